// The table's top as it is: tiles with their lights, borders, terrain, figures; and each space that answers the question
// can be clicked, or reached by arrow keys.

import { ARROWS, U, cellOf, cellWords as keyOf, cellsOf, cellsUnder, middle, square } from "./cells.js";
import { answer, answerable, change, doubled, draftOf, pick, step, wayTo } from "./draft.js";
import { Figure, Token, acts, figureWords } from "./figures.js";
import { Legend, Light, roleWords } from "./lights.js";
import { capital, html, listed, useRef, useState } from "./ui.js";

const MARGIN = 34;

const line = (cells) => cells.map((cell, nth) => `${nth ? "L" : "M"}${middle(cell).join(" ")}`).join("");

function bodies(scene) {
  const found = new Map();
  for (const figure of scene.figures ?? []) for (const cell of cellsUnder(figure.at, figure.size)) found.set(keyOf(cell), figure);
  return found;
}

function optionsBy(question, standing) {
  const by = new Map();
  for (const option of question?.options ?? []) {
    const cells = new Set(option.at ? [keyOf(option.at)] : []);
    for (const [key, figure] of standing) if (figure.id === option.figure || (!option.at && figure.id === option.id)) cells.add(key);
    for (const key of cells) by.set(key, [...(by.get(key) ?? []), option]);
  }
  return by;
}

function wallPath([a, b]) {
  const [x, y] = [Math.max(a[0], b[0]) * U, Math.max(a[1], b[1]) * U];
  return a[0] === b[0] ? `M${x} ${y}h${U}` : `M${x} ${y}v${U}`;
}

function Defs({ id }) {
  return html`<defs>
    <pattern id=${`${id}-dark`} width="16" height="16" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="16" height="16" class="dark-ground" /><path d="M0 0v16" class="dark-line" /></pattern>
    <pattern id=${`${id}-dangerous`} width="25" height="25" patternUnits="userSpaceOnUse"><path d="M4 20L12.5 6L21 20Z" class="danger-line" /></pattern>
    <pattern id=${`${id}-blocked`} width="20" height="20" patternUnits="userSpaceOnUse"><path d="M0 0L20 20M20 0L0 20" class="blocked-line" /></pattern>
    <marker id=${`${id}-tip`} viewBox="0 0 10 10" refX="7" refY="5" markerWidth="4" markerHeight="4" orient="auto"><path d="M0 0L10 5L0 10z" class="tip" /></marker>
  </defs>`;
}

const corner = ([x, y]) => `translate(${x * U},${y * U})`;

function ring(cell, r, look) {
  const [x, y] = middle(cell);
  return html`<circle class=${look} cx=${x} cy=${y} r=${r} />`;
}

function Terrain({ scene, id }) {
  return Object.entries(scene.terrain ?? {}).map(([name, cells]) => cells.map((cell) => html`
    <g class=${`terrain-${name}`}><title>${name}</title>
      ${name === "trigger" ? ring(cell, 38) : square(cell, 8, "", { fill: `url(#${id}-${name})`, rx: 8 })}</g>`));
}

function Mending({ step: { start, to, kind }, id }) {
  return html`<g class="mending" aria-hidden="true">
    ${start.length > 0 && to.length > 0 && html`<path class="carry" d=${line([start[0], to[0]])} marker-end=${`url(#${id}-tip)`} />`}
    ${start.map((cell) => ring(cell, 46, "from"))}
    ${to.map((cell) => square(cell, 5, "to", { rx: 12 }))}
    ${kind === "identify" && start.length === 1 && html`<text class="which" transform=${`translate(${middle(start[0])})`} y="14">?</text>`}
  </g>`;
}

function Weighed({ weighing, standing }) {
  const spaces = (one) => (one.cells?.length ? one.cells : [...standing].filter(([, figure]) => figure.id === one.id).map(([key]) => cellOf(key)));
  const mark = (one, kept) => spaces(one).map((cell) => html`<g class=${kept ? "kept" : "dropped"} transform=${corner(cell)}>
    <title>${one.why ?? ""}</title>
    ${kept ? html`<rect x="4" y="4" width="92" height="92" rx="12" /><circle cx="82" cy="18" r="16" /><path d="M74 18l6 7l11-14" />` : html`${["under-cross", ""].map((look) => html`<path class=${look} d="M14 14L86 86M86 14L14 86" />`)}`}</g>`);
  return html`<g>${(weighing.dropped ?? []).map((one) => mark(one, false))}${(weighing.kept ?? []).map((one) => mark(one, true))}</g>`;
}

function wayShown(question, draft, over) {
  if (question?.kind !== "path") return null;
  const way = draft.way.length ? draft.way : over && !draft.stepwise ? wayTo(question, cellOf(over)) : null;
  return way?.length ? [question.start, ...way] : null;
}

/** `seats` are those the page speaks for (none: the table itself); `words` adds the line under the board and its legend. */
export function Board({ store, view, seats = [], words = false }) {
  const { fight } = view;
  const question = fight.phase === "open" ? fight.question : null;
  const draft = draftOf(store, fight.question);
  const preview = draft.preview?.scene ? draft.preview : null;
  const scene = preview ? preview.scene : fight.scene;
  const { figures = [], tokens = [] } = scene;
  const [over, setOver] = useState("");
  const [at, setAt] = useState("");
  const root = useRef(null);
  const id = useRef(`b${Math.random().toString(36).slice(2, 8)}`).current;
  const standing = bodies(scene);
  const options = preview ? new Map() : optionsBy(question, standing);
  const stops = new Set(question?.kind === "path" && !preview ? question.stops.map(keyOf) : []);
  const missing = new Set((scene.missing ?? []).map(keyOf));
  const dark = new Set(fight.dark.filter(([x, y]) => x < scene.width && y < scene.height).map(keyOf).filter((key) => !missing.has(key)));
  const terrain = new Map();
  for (const [name, cells] of Object.entries(scene.terrain ?? {})) for (const cell of cells) terrain.set(keyOf(cell), name);
  const able = question && answerable(view, seats).length > 0;
  const numbers = new Map(fight.numbered.filter((one) => one.option).map((one) => [one.option, one.number]));
  const cells = cellsOf(scene.width, scene.height).filter((cell) => !missing.has(keyOf(cell)));
  const home = at && !missing.has(at) ? at : [...options.keys()][0] ?? [...stops][0] ?? (cells.length ? keyOf(cells[0]) : "");
  const way = wayShown(question, draft, over);
  const walls = (scene.walls ?? []).map(wallPath).join("");

  const answers = (key) => store.picking || (able && (options.has(key) || stops.has(key) || (draft.stepwise && question.kind === "path")));

  const choose = (key, sure) => {
    if (store.picking) {
      const { then } = store.picking;
      store.picking = null;
      return then(cellOf(key));
    }
    if (preview) return store.say("This is what if: go back first.");
    if (!able) return undefined;
    if (question.kind === "path") {
      if (draft.stepwise) return step(store, question, cellOf(key));
      const walk = wayTo(question, cellOf(key));
      if (!walk) return store.say(question.refusals?.[key] ?? "That space cannot be reached.", "refused");
      const again = draft.way.length && keyOf(draft.way.at(-1)) === key;
      if (sure || again || !walk.length) return answer(store, view, seats, cellOf(key));
      return change(store, { way: walk });
    }
    const here = options.get(key) ?? [];
    if (here.length > 1) return store.say("Several answers are here: use the buttons.");
    return here.length ? pick(store, view, seats, here[0].id) : undefined;
  };

  const pressed = (event, cell) => {
    const move = ARROWS[event.key];
    if ((event.key === "Enter" || event.key === " ") && answers(keyOf(cell))) {
      event.preventDefault();
      choose(keyOf(cell), false);
    } else if (move) {
      event.preventDefault();
      let [x, y] = cell;
      do [x, y] = [x + move[0], y + move[1]];
      while (missing.has(`${x},${y}`));
      root.current.querySelector(`[data-cell="${x},${y}"]`)?.focus();
    }
  };

  const said = (key) => {
    const figure = standing.get(key);
    const token = tokens.find((one) => keyOf(one.at) === key);
    const shown = preview || fight.lights[key] === "active" ? "" : roleWords(fight.lights[key] ?? "");
    const state = answers(key) && !shown ? "can be chosen" : shown;
    const why = question?.kind === "path" && !stops.has(key) ? question.refusals?.[key] : "";
    return listed([figure && figureWords(figure, acts(figure, scene.row)), token?.name, `space ${key}`, terrain.get(key) !== state && terrain.get(key), state,
      dark.has(key) && "its board does not answer", why].filter(Boolean));
  };

  const hovered = draft.hover && !preview ? [...options].filter(([, found]) => found.some((one) => one.id === draft.hover)).map(([key]) => key) : [];
  const picked = [...options].filter(([, found]) => found.some((one) => draft.picked.includes(one.id))).map(([key]) => key);
  const about = new Set(question?.about ?? []);

  return html`<figure class=${`stack board ${preview ? "previewing" : ""}`}>
    <svg ref=${root} viewBox=${`${-MARGIN} ${-MARGIN} ${scene.width * U + 2 * MARGIN} ${scene.height * U + 2 * MARGIN}`}
      role="grid" aria-label=${preview ? "The table as it would be" : "The table"} preserveAspectRatio="xMidYMid meet">
      <${Defs} id=${id} />
      ${cellsOf(scene.width, 1).map(([x]) => html`<text class="edge" x=${x * U + 50} y=${-10}>${x}</text>`)}
      ${cellsOf(1, scene.height).map(([, y]) => html`<text class="edge" x=${-18} y=${y * U + 57}>${y}</text>`)}
      ${cells.map((cell) => square(cell, 2, "tile"))}
      <${Terrain} scene=${scene} id=${id} />
      ${!preview && cells.filter((cell) => fight.lights[keyOf(cell)] && !dark.has(keyOf(cell))).map((cell) => html`
        <${Light} role=${fight.lights[keyOf(cell)]} x=${cell[0] * U} y=${cell[1] * U} key=${keyOf(cell)} />`)}
      ${[...dark].map((key) => square(cellOf(key), 2, "lost", { fill: `url(#${id}-dark)`, children: html`<title>its board does not answer</title>` }))}
      ${["wall-edge", "wall"].map((look) => html`<path class=${look} d=${walls} />`)}
      ${way && html`<path class="way-edge" d=${line(way)} /><path class="way" d=${line(way)} marker-end=${`url(#${id}-tip)`} />`}
      ${tokens.map((token) => html`<${Token} token=${token} covered=${standing.has(keyOf(token.at))} key=${`token ${token.id}`} />`)}
      ${figures.map((figure) => html`<${Figure} figure=${figure} acting=${acts(figure, scene.row)} asked=${about.has(figure.id)} key=${figure.id} />`)}
      ${way && !preview && html`<g class="steps" transform=${`translate(${middle(way.at(-1))})`}><circle cy="-30" r="17" /><text y="-22">${way.length - 1}</text></g>`}
      ${[...new Set([...hovered, ...picked])].map((key) => square(cellOf(key), 3, picked.includes(key) ? "picked" : "pointed", { rx: 12 }))}
      ${able && [...options].map(([key, found]) => found.length === 1 && numbers.has(found[0].id) && html`<g class="badge" transform=${corner(cellOf(key))}>
        <circle cx="82" cy="18" r="15" /><text x="82" y="25">${numbers.get(found[0].id)}</text></g>`)}
      ${store.weigh && html`<${Weighed} weighing=${store.weigh.weighed[store.weigh.at]} standing=${standing} />`}
      ${fight.phase === "mending" && fight.step && html`<${Mending} step=${fight.step} id=${id} />`}
      ${cellsOf(1, scene.height).map(([, y]) => html`<g role="row">${cells.filter((cell) => cell[1] === y).map((cell) => {
        const key = keyOf(cell);
        return html`<rect class=${`cell ${answers(key) ? "answers" : ""}`} role="gridcell" data-cell=${key} key=${key}
          x=${cell[0] * U} y=${y * U} width=${U} height=${U} tabindex=${key === home ? 0 : -1} aria-label=${said(key)}
          aria-selected=${picked.includes(key) ? "true" : undefined}
          onPointerEnter=${(event) => event.pointerType !== "touch" && setOver(key)} onPointerLeave=${() => setOver("")}
          onFocus=${() => (setAt(key), setOver(key))} onBlur=${() => setOver("")}
          onClick=${(event) => doubled(store, event) || choose(key, event.pointerType === "mouse")} onKeyDown=${(event) => pressed(event, cell)} />`;
      })}</g>`)}
    </svg>
    ${words && html`<figcaption class="row">
      <p class="quiet under" aria-hidden="true">${over ? capital(said(over)) : preview ? "What if: nothing has happened yet." : ""}</p>
      ${!preview && html`<${Legend} lights=${fight.lights} />`}</figcaption>`}
  </figure>`;
}

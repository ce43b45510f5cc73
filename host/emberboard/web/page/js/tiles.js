// The virtual table's top: each tile's LED as the firmware last told it, the boards they sit on, and the figures where
// they truly stand.

import { useBell } from "./bell.js";
import { ARROWS, U, cellWords, cellsOf, diamond, square } from "./cells.js";
import { over } from "./drag.js";
import { lookOf } from "./lights.js";
import { html, listed, useLayoutEffect, useRef, useState } from "./ui.js";

const BOARD = 6;
const TOOL_KEYS = { t: "tap", w: "wand", k: "knock", b: "wobble" };
const DARK = [34, 36, 36];

/** An LED's number (linear light) as a screen shows it. */
const onScreen = (linear) => Math.round(255 * (linear / 255) ** (1 / 2.2));
const colourOf = (led) => `rgb(${(led ?? [0, 0, 0]).map((part, n) => Math.max(onScreen(part), DARK[n])).join(" ")})`;

/** Column and row of a board's place: `B1` is [1, 0]. */
export const placeAt = (place) => [place.charCodeAt(0) - 65, Number(place.slice(1)) - 1];

/** Draw again when what `pick` takes of the lamps is another; gives it. */
export function useLamps(store, pick) {
  const [seen, see] = useState(() => JSON.stringify(pick(store.lamps)));
  useLayoutEffect(() => store.lampBell.listen(() => see(JSON.stringify(pick(store.lamps)))), [store]);
  return JSON.parse(seen);
}

function Led({ x, y, colour, role }) {
  const { path, stroke } = role ? lookOf(role) : {};
  return html`<g>
    ${square([x, y], 2, "pcb")}
    <circle class="led" cx=${x * U + 50} cy=${y * U + 50} r="43" fill=${colour} />
    ${path && html`<path class="led-mark" transform=${`translate(${x * U + 36},${y * U + 36}) scale(1.15)`} d=${path}
      fill=${stroke ? "none" : undefined} stroke-width=${stroke || undefined} />`}
  </g>`;
}

function Leds({ store, view, columns, rows }) {
  useBell(store.lampBell);
  return cellsOf(columns, rows).map((cell) => {
    const key = cellWords(cell);
    return html`<${Led} key=${key} x=${cell[0]} y=${cell[1]} colour=${colourOf(store.lamps.tiles.get(key))} role=${view.fight.lights[key]} />`;
  });
}

function Piece({ figure, at, look = "" }) {
  const side = figure.size * U;
  const r = side * 0.31;
  return html`<g class=${`piece side-${figure.side || "none"} ${look}`} data-figure=${figure.id} transform=${`translate(${at[0] * U + side / 2},${at[1] * U + side / 2})`}>
    ${figure.side === "party" ? html`<circle r=${r} />` : html`<path d=${diamond(0, 0, r * 1.15)} />`}
    <text y=${11 * figure.size} font-size=${30 * figure.size}>${figure.label}</text></g>`;
}

function Boards({ view, off, columns }) {
  return view.hall.places.map((place) => {
    const [x, y] = placeAt(place).map((n) => n * BOARD * U);
    const edge = { x, y, width: BOARD * U, height: BOARD * U, rx: 14 };
    return html`<g class="pcb-edge">
      <rect ...${edge} />
      ${off.includes(place) && html`<rect class="veil" ...${edge} />
        <text class="veil-words" x=${x + 300} y=${y + 310} font-size=${columns > 2 ? 64 : 52}>${place} unplugged</text>`}
    </g>`;
  });
}

/** The top of the table. `tool` is what a click does; `hand` does it. */
export function Tiles({ store, view, hand, carrier, tool }) {
  const { fight, hall } = view;
  const [columns, rows] = [hall.columns * BOARD, hall.rows * BOARD];
  const root = useRef(null);
  const [at, setAt] = useState("0,0");
  const [pointed, point] = useState(null);
  const { stands, off } = useLamps(store, (lamps) => ({ stands: lamps.stands ?? {}, off: lamps.off }));

  const cellAt = (x, y) => {
    if (!over(root.current, x, y)) return null;
    const spot = new DOMPoint(x, y).matrixTransform(root.current.getScreenCTM().inverse());
    const cell = [Math.floor(spot.x / U), Math.floor(spot.y / U)];
    return cell[0] >= 0 && cell[1] >= 0 && cell[0] < columns && cell[1] < rows ? cell : null;
  };
  hand.cellAt = cellAt;

  const down = (event, cell) => {
    const found = hand.at(cell);
    const who = tool === "hand" && !hand.who ? found?.[0] : "";
    carrier.follow(event, who ? { label: hand.label(who), look: `side-${hand.of(who).side || "none"}` } : null, {
      begin: () => Boolean(who) && hand.lift(cell),
      drop: (x, y) => {
        const to = cellAt(x, y);
        if (to) hand.put(to);
        else hand.toBox();
      },
      click: () => hand.use(tool, cell),
      left: () => hand.back(),
    });
  };

  const pressed = (event, cell) => {
    const move = ARROWS[event.key];
    const other = TOOL_KEYS[event.key.toLowerCase()];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      const [x, y] = [cell[0] + move[0], cell[1] + move[1]];
      root.current.querySelector(`[data-tile="${x},${y}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") hand.use(tool, cell);
    else if (event.key === "Escape" && hand.who) hand.back();
    else if (event.key === "Delete" && hand.who) hand.toBox();
    else if (other) hand.use(other, cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const said = (cell) => {
    const found = hand.at(cell);
    return listed([`space ${cell}`, found && hand.of(found[0]).name, fight.lights[cellWords(cell)]].filter(Boolean));
  };

  return html`<svg class=${`tiles tool-${tool} ${hand.who ? "full" : ""}`} ref=${root} viewBox=${`-6 -6 ${columns * U + 12} ${rows * U + 12}`} role="grid"
      aria-label="The virtual table's tiles" onPointerLeave=${() => point(null)}>
    <${Leds} store=${store} view=${view} columns=${columns} rows=${rows} />
    <${Boards} view=${view} off=${off} columns=${hall.columns} />
    ${Object.entries(stands).map(([id, on]) => html`<${Piece} key=${id} figure=${{ ...hand.of(id), label: hand.label(id) }} at=${on} />`)}
    ${hand.who && pointed && html`<${Piece} figure=${{ ...hand.of(hand.who), label: hand.label(hand.who) }} at=${pointed} look="floating" />`}
    ${cellsOf(1, rows).map(([, y]) => html`<g role="row">${cellsOf(columns, 1).map(([x]) => {
      const cell = [x, y];
      const key = cellWords(cell);
      return html`<rect class="spot" role="gridcell" data-tile=${key} x=${x * U} y=${y * U} width=${U} height=${U} tabindex=${at === key ? 0 : -1}
        aria-label=${said(cell)} onPointerDown=${(event) => down(event, cell)} onKeyDown=${(event) => pressed(event, cell)}
        onPointerEnter=${() => point(cell)} onFocus=${() => (setAt(key), point(cell))}><title>${said(cell)}</title></rect>`;
    })}</g>`)}
  </svg>`;
}

export function RailStrip({ store }) {
  const rail = useLamps(store, (lamps) => lamps.rail);
  return html`<svg class="rail-strip" viewBox=${`0 0 ${Math.max(rail.length, 1) * 20} 20`} role="img" aria-label="The rail's pixels">
    ${rail.map((pixel, n) => html`<circle cx=${n * 20 + 10} cy="10" r="7.5" fill=${colourOf(pixel)} class="led" />`)}</svg>`;
}

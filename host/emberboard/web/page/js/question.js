// The pending question, in large type, with everything that answers it. The same panel serves the whole table (for no
// seat in particular) and a seat's own page.

import { DiceTray } from "./dice.js";
import { answer, answerable, change, doubled, draftOf, addFace, isSingle, pick, ready, roll, take, wayMayEnd } from "./draft.js";
import { useKeys } from "./keys.js";
import { Odds } from "./odds.js";
import { cellWords, html, listed, useState } from "./ui.js";
import { WhatIfPanel, WhatIfSwitch, leaveWhatIf } from "./whatif.js";
import { Rules } from "./why.js";

const FEW_STOPS = 6;
const FEW_NUMBERS = 13;

const numberOf = (fight, kind, id) => fight.numbered.find((line) => line[kind] === id)?.number;

function Hint({ number }) {
  return number && number < 10 ? html`<kbd>${number}</kbd>` : null;
}

function OptionButton({ store, view, seats, option, order }) {
  const { fight } = view;
  const draft = draftOf(store, fight.question);
  const place = draft.picked.indexOf(option.id);
  const words = option.label || option.id;
  const single = isSingle(fight.question) && fight.question.kind !== "order";
  const space = option.at && words === cellWords(option.at) ? "space " : "";
  const hover = (id) => () => draft.hover !== id && change(store, { hover: id });
  return html`<button class="option" data-option=${option.id} disabled=${draft.busy}
    aria-pressed=${single ? undefined : String(place >= 0)}
    onMouseEnter=${hover(option.id)} onMouseLeave=${hover("")} onFocus=${hover(option.id)} onBlur=${hover("")}
    onClick=${() => pick(store, view, seats, option.id)}>
    ${order && place >= 0 && html`<b class="place">${place + 1}.</b>`}
    <span class="label">${space}${words}${option.note && html`<small>${option.note}</small>`}</span>
    <${Hint} number=${numberOf(fight, "option", option.id)} />
  </button>`;
}

function Ok({ store, view, seats, words = "OK" }) {
  const act = ready(store, view, seats);
  return html`<button class="main" data-do="ok" disabled=${!act || store.draft.busy} onClick=${act}>${words} <kbd>Enter</kbd></button>`;
}

function Choose(props) {
  const { view, store } = props;
  const { question } = view.fight;
  const draft = draftOf(store, question);
  const order = question.kind === "order";
  const several = order || !isSingle(question);
  const wanted = question.least === question.most ? question.least : `${question.least} to ${question.most}`;
  return html`
    ${several && html`<p class="quiet">${order ? "Tap them in the order that you want." : `Choose ${wanted}.`}</p>`}
    <div class=${`options ${question.options.length > 6 ? "many" : ""}`}>
      ${question.options.map((option) => html`<${OptionButton} ...${props} option=${option} order=${order} key=${option.id} />`)}
    </div>
    ${several && html`<div class="row">
      <${Ok} ...${props} />
      ${order && draft.picked.length > 0 && html`<button data-do="clear" onClick=${() => change(store, { picked: [] })}>Start over</button>`}
    </div>`}`;
}

function Place(props) {
  const { options } = props.view.fight.question;
  return html`<p class="quiet">Tap a lit space on the board.</p>
    <details open=${options.length <= FEW_STOPS}><summary>${options.length} spaces as a list</summary>
      <div class="options many">${options.map((option) => html`<${OptionButton} ...${props} option=${option} key=${option.id} />`)}</div>
    </details>`;
}

function Path(props) {
  const { store, view, seats } = props;
  const { question } = view.fight;
  const draft = draftOf(store, question);
  const here = cellWords(question.start);
  const others = question.stops.filter((stop) => cellWords(stop) !== here);
  const stays = others.length < question.stops.length;
  const walked = draft.way.length;
  const go = (cell) => answer(store, view, seats, cell);
  return html`
    <p class="quiet">${draft.stepwise
      ? `Tap space after space, then OK. ${walked} of ${question.limit} steps.`
      : walked ? `${walked} of ${question.limit} steps: tap the space again, or OK.` : `Tap a lit space on the board: up to ${question.limit === 1 ? "1 step" : `${question.limit} steps`}.`}</p>
    <div class="row">
      ${walked > 0 && html`<${Ok} ...${props} words=${wayMayEnd(question, draft.way) ? `Walk ${walked}` : "Not here"} />`}
      ${stays && html`<button data-option=${here} disabled=${draft.busy} onClick=${() => go(question.start)}>Stay here</button>`}
      <button class="small" data-do="step-by-step" aria-pressed=${String(draft.stepwise)}
        onClick=${() => change(store, { stepwise: !draft.stepwise, way: [] })}>My own way</button>
    </div>
    ${others.length > 0 && others.length <= FEW_STOPS && html`<div class="options many">
      ${others.map((stop) => html`<button class="option" data-option=${cellWords(stop)} disabled=${draft.busy}
        onClick=${() => go(stop)}><span class="label">space ${cellWords(stop)}</span></button>`)}</div>`}`;
}

function Draw({ store, view, seats }) {
  const { fight } = view;
  const { question } = fight;
  const draft = draftOf(store, question);
  return html`
    <div class="row"><button class="main" data-do="roll" disabled=${draft.busy} onClick=${() => roll(store, view, seats)}>Draw for me <kbd>R</kbd></button>
      <span class="quiet">or say what your hand drew:</span></div>
    <div class="options many">
      ${Object.entries(question.contents).filter(([, count]) => count > 0).map(([kind, count]) => html`
        <button class="option" data-option=${kind} disabled=${draft.busy} onClick=${() => answer(store, view, seats, kind)}>
          <span class=${`token token-${kind}`} aria-hidden="true"></span><span class="label">${kind}<small>${count} left</small></span>
          <${Hint} number=${numberOf(fight, "option", kind)} /></button>`)}
    </div>`;
}

function NumberKind(props) {
  const { store, view, seats } = props;
  const { question } = view.fight;
  const draft = draftOf(store, question);
  if (question.high - question.low < FEW_NUMBERS) {
    const all = Array.from({ length: question.high - question.low + 1 }, (_, at) => question.low + at);
    return html`<div class="faces">${all.map((value) => html`<button data-option=${value} disabled=${draft.busy}
      onClick=${() => answer(store, view, seats, value)}>${value}</button>`)}</div>`;
  }
  return html`<div class="row"><label>${question.low} to ${question.high}: <input type="number" inputmode="numeric" min=${question.low} max=${question.high}
    value=${draft.number ?? ""} onInput=${(event) => change(store, { number: event.target.value === "" ? null : Number(event.target.value) })} /></label>
    <${Ok} ...${props} /></div>`;
}

function Confirm({ store, view, seats }) {
  const { busy } = draftOf(store, view.fight.question);
  return html`<div class="row pair">
    <button class="main" data-option="yes" disabled=${busy} onClick=${() => answer(store, view, seats, true)}>Yes <kbd>Y</kbd></button>
    <button data-option="no" disabled=${busy} onClick=${() => answer(store, view, seats, false)}>No <kbd>N</kbd></button></div>`;
}

function Window({ store, view, seats }) {
  const { fight } = view;
  const { busy } = draftOf(store, fight.question);
  const holding = fight.seats.filter((seat) => seat.holding).map((seat) => seat.name);
  return html`
    ${holding.length > 0 && html`<p class="quiet">${listed(holding)} asked to wait.</p>`}
    <div class="row"><button class="main" data-do="go-on" disabled=${busy} onClick=${() => answer(store, view, seats, "go on")}>
      ${fight.question.offers.length ? "Go on without" : "Go on"} <kbd>Enter</kbd></button></div>`;
}

const KINDS = {
  choose: Choose, order: Choose, place: Place, path: Path, roll: DiceTray, draw: Draw, number: NumberKind, confirm: Confirm, window: Window,
};

function Offers({ store, view, seats }) {
  const { fight } = view;
  const { question } = fight;
  const able = (seat) => (seats.length ? seats.includes(seat) || view.hall.trust : view.you.role === "table");
  const mine = question.offers.filter((offer) => able(offer.seat));
  const others = [...new Set(question.offers.filter((offer) => !able(offer.seat)).map((offer) => offer.seat))];
  if (!question.offers.length) return null;
  return html`<div class="offers">
    ${mine.length > 0 && html`<h3>${question.kind === "window" ? "Anybody?" : "Or, before that:"}</h3>`}
    ${mine.map((offer) => html`<button class="option offer" data-offer=${offer.id} disabled=${draftOf(store, question).busy} key=${offer.id}
      onClick=${() => take(store, view, offer)}>
      <span class="label">${offer.label}<small>${offer.note}</small></span>
      ${seats.length !== 1 && html`<span class="whose">${offer.seat}</span>`}
      <${Hint} number=${numberOf(fight, "offer", offer.id)} /></button>`)}
    ${others.length > 0 && html`<p class="quiet">${listed(others)} may still do something here.</p>`}
  </div>`;
}

/** While figures or the bag are put right by hand: what to do, and OK where no hands help. */
function Hands({ store, view }) {
  const { fight, hall } = view;
  const press = async () => {
    await store.ask("finger", { what: "press", name: "OK" });
    await store.ask("finger", { what: "release", name: "OK" });
  };
  const own = hall.hardware === "virtual" && view.you.role === "table" && !hall.hands;
  return html`<div class="hands">
    <p class="kicker">${fight.phase === "bag" ? "First the bag" : "First the figures"}</p>
    <h2 id="question" aria-live="polite">${fight.words}</h2>
    ${hall.hands && hall.hardware === "virtual" && html`<p class="quiet">Virtual hands are at it.</p>`}
    ${own && html`<button class="main" data-do="ok" onClick=${press}>OK: all is right</button>`}
    ${hall.hardware === "real" && html`<p class="quiet">Or OK at the dice station: all is as it should be.</p>`}
  </div>`;
}

function Over({ view }) {
  const { fight } = view;
  const { result, rounds } = fight.summary;
  return html`<div class="over"><p class="kicker">The fight is over</p>
    <h2 id="question">${result ? String(result)[0].toUpperCase() + String(result).slice(1) : fight.words}</h2>
    ${rounds && html`<p>${rounds} Rounds.</p>`}<p class="quiet">Undo takes the last decision back.</p></div>`;
}

function asks(fight) {
  const { who } = fight.question;
  if (who.mode === "each") return `Each for themselves; still to answer: ${listed(fight.waiting)}`;
  if (who.mode === "group") return "All together";
  return `${listed(who.seats)} ${who.seats.length > 1 ? "decide" : "decides"}`;
}

/** What was keyed in at the table itself, if anything; the tray says by itself which dice are wanted. */
function keyedIn({ echo, question }) {
  const keyed = question.kind !== "roll" || echo.slice(0, -1).some((part) => /: \d/.test(part));
  return keyed ? listed(echo) : "";
}

/** The key of a number, a letter or Enter, where it means something for this question. */
function useQuestionKeys({ store, view, seats, toggleWhy }) {
  useKeys((key) => {
    const { fight } = view;
    const { question } = fight;
    if (key === "u" && fight.can.undo) return store.ask("undo"), true;
    if (key === "y" && fight.can.redo && question?.kind !== "confirm") return store.ask("redo"), true;
    if (!question || fight.phase !== "open") return false;
    const draft = draftOf(store, question);
    if (key === "?") return toggleWhy(), true;
    if (key === "Escape" && (draft.whatIf || draft.way.length)) {
      if (draft.whatIf) leaveWhatIf(store, !draft.preview);
      else change(store, { way: [] });
      return true;
    }
    const able = answerable(view, seats).length > 0;
    if (able && key === "r" && ["roll", "draw"].includes(question.kind)) return roll(store, view, seats), true;
    if (able && question.kind === "confirm" && "yn".includes(key)) return answer(store, view, seats, key === "y"), true;
    if (able && question.kind === "roll" && /^[0-9+]$/.test(key)) {
      if (key === "+") change(store, { tens: draft.tens + 10 });
      else addFace(store, view, key === "0" && !draft.tens ? 10 : draft.tens + Number(key));
      return true;
    }
    if (question.kind === "roll" && key === "Backspace") return change(store, { faces: draft.faces.slice(0, -1) }), true;
    if (key === "Enter") {
      const act = ready(store, view, seats);
      if (act) act();
      return Boolean(act);
    }
    const line = /^[1-9]$/.test(key) && fight.numbered.find((one) => one.number === Number(key));
    if (!line) return false;
    if (line.option) {
      if (!able) return false;
      if (question.kind === "draw") answer(store, view, seats, line.option);
      else pick(store, view, seats, line.option);
      return true;
    }
    const offer = question.offers.find((one) => one.id === line.offer);
    if (!offer || (seats.length && !seats.includes(offer.seat) && !view.hall.trust) || (!seats.length && view.you.role !== "table")) return false;
    take(store, view, offer);
    return true;
  });
}

/**
 * The pending question for a page that speaks for `seats`; none is the table itself, which speaks for all. `big` is for
 * a seat's own page.
 */
export function QuestionPanel({ store, view, seats = [], big = false }) {
  const { fight } = view;
  const { question, phase } = fight;
  const [why, setWhy] = useState("");
  useQuestionKeys({ store, view, seats, toggleWhy: () => setWhy((open) => (open === question.id ? "" : question.id)) });
  const look = `question ${big ? "big" : ""}`;
  if (phase === "over" || !question) return html`<section class=${look} aria-label="Result"><${Over} view=${view} /></section>`;
  if (phase !== "open") return html`<section class=${look} aria-label="Question"><${Hands} store=${store} view=${view} /></section>`;
  const draft = draftOf(store, question);
  const able = answerable(view, seats);
  const each = question.who.mode === "each" && able.length > 1;
  const Kind = KINDS[question.kind];
  const props = { store, view, seats };
  const commit = (value) => {
    leaveWhatIf(store, true);
    answer(store, view, seats, value);
  };
  const once = (event) => doubled(store, event) && event.stopPropagation();
  return html`<section class=${look} aria-label="Question" onClickCapture=${once}>
    <div class="row overline"><p class="kicker">${asks(fight)}</p>
      ${able.length > 0 && html`<${WhatIfSwitch} store=${store} question=${question} draft=${draft} />`}
      <button class="small" data-do="why" aria-expanded=${String(why === question.id)}
        onClick=${() => setWhy(why === question.id ? "" : question.id)}>Why? <kbd>?</kbd></button>
    </div>
    <h2 id="question" aria-live="polite">${question.prompt}</h2>
    ${why === question.id && html`<div class="why">
      ${question.note && html`<p>${question.note}</p>`}
      <${Rules} store=${store} ids=${[...question.rules, ...question.offers.flatMap((offer) => offer.rules ?? [])]} /></div>`}
    ${fight.notice && html`<p class="notice" role="status">${fight.notice}</p>`}
    ${fight.kept && html`<p class="notice">${fight.kept}</p>`}
    ${keyedIn(fight) && html`<p class="quiet">At the dice station: ${keyedIn(fight)}</p>`}
    ${each && html`<div class="row" role="group" aria-label="Who answers">${able.map((seat) => html`<button class="small"
      aria-pressed=${String((draft.seat || able[0]) === seat)} data-for=${seat} onClick=${() => change(store, { seat, picked: [] })}>${seat}</button>`)}</div>`}
    <${Odds} store=${store} view=${view} />
    ${question.kind === "window" && html`<${Offers} ...${props} key=${`offers ${question.id}`} />`}
    ${able.length > 0
      ? html`<${Kind} ...${props} key=${question.id} />`
      : html`<p class="quiet wait">${fight.waiting.length ? `${listed(fight.waiting)} ${fight.waiting.length > 1 ? "decide" : "decides"}.` : ""}</p>`}
    ${question.kind !== "window" && html`<${Offers} ...${props} key=${`offers ${question.id}`} />`}
    <${WhatIfPanel} store=${store} draft=${draft} commit=${commit} />
  </section>`;
}

// The pending question, in large type, with everything that answers it. The same panel serves the whole table (for no
// seat in particular) and a seat's own page.

import { Answer, Hint, Ok, OptionButton, RollForMe } from "./answers.js";
import { cellWords } from "./cells.js";
import { DiceTray } from "./dice.js";
import { answer, answerable, change, doubled, draftOf, addFace, isSingle, mayTake, pick, ready, roll, take, wayMayEnd } from "./draft.js";
import { useKeys } from "./keys.js";
import { Odds } from "./odds.js";
import { capital, decide, html, listed, useState } from "./ui.js";
import { WhatIfPanel, WhatIfSwitch, leaveWhatIf } from "./whatif.js";
import { Rules } from "./why.js";

const FEW_STOPS = 6;
const FEW_NUMBERS = 13;

function Options(props) {
  const { options } = props.question;
  return html`<div class=${`stack options ${options.length > 6 || props.many ? "many" : ""}`}>
    ${options.map((option) => html`<${OptionButton} ...${props} option=${option} key=${option.id} />`)}</div>`;
}

function Choose(props) {
  const { store, question, draft } = props;
  const { least, most } = question;
  const order = question.kind === "order";
  if (isSingle(question)) return html`<${Options} ...${props} />`;
  return html`
    <p class="quiet">${order ? "Tap them in the order that you want." : `Choose ${least === most ? least : `${least} to ${most}`}.`}</p>
    <${Options} ...${props} />
    <div class="row">
      <${Ok} ...${props} />
      ${order && draft.picked.length > 0 && html`<button data-do="clear" onClick=${() => change(store, { picked: [] })}>Start over</button>`}
    </div>`;
}

function Place(props) {
  const { length } = props.question.options;
  return html`<p class="quiet">Tap a lit space on the board.</p>
    <details open=${length <= FEW_STOPS}><summary>${length} spaces as a list</summary><${Options} ...${props} many /></details>`;
}

function Path(props) {
  const { store, question, draft } = props;
  const { start, stops, limit } = question;
  const others = stops.filter((stop) => cellWords(stop) !== cellWords(start));
  const walked = draft.way.length;
  const so = `${walked} of ${limit} steps`;
  return html`
    <p class="quiet">${draft.stepwise ? `Tap space after space, then OK. ${so}.`
      : walked ? `${so}: tap the space again, or OK.` : `Tap a lit space on the board: up to ${limit === 1 ? "1 step" : `${limit} steps`}.`}</p>
    <div class="row">
      ${walked > 0 && html`<${Ok} ...${props} words=${wayMayEnd(question, draft.way) ? `Walk ${walked}` : "Not here"} />`}
      ${others.length < stops.length && html`<${Answer} ...${props} value=${start} id=${cellWords(start)}>Stay here<//>`}
      <button class="small" data-do="step-by-step" aria-pressed=${draft.stepwise}
        onClick=${() => change(store, { stepwise: !draft.stepwise, way: [] })}>My own way</button>
    </div>
    ${others.length > 0 && others.length <= FEW_STOPS && html`<div class="stack options many">${others.map((stop) => html`
      <${Answer} ...${props} look="option" value=${stop} id=${cellWords(stop)}><span class="label">space ${cellWords(stop)}</span><//>`)}</div>`}`;
}

function Draw(props) {
  const kinds = Object.entries(props.question.contents).filter(([, count]) => count > 0);
  return html`<${RollForMe} ...${props} what="Draw" or="say what your hand drew" />
    <div class="stack options many">${kinds.map(([kind, count]) => html`
      <${Answer} ...${props} look="option" value=${kind}>
        <span class=${`token token-${kind}`} aria-hidden="true"></span><span class="label">${kind}<small>${count} left</small></span>
        <${Hint} fight=${props.fight} id=${kind} /><//>`)}</div>`;
}

function NumberKind(props) {
  const { store, draft } = props;
  const { low, high } = props.question;
  if (high - low < FEW_NUMBERS) {
    const all = Array.from({ length: high - low + 1 }, (_, at) => low + at);
    return html`<div class="faces">${all.map((value) => html`<${Answer} ...${props} value=${value}>${value}<//>`)}</div>`;
  }
  return html`<div class="row"><label>${low} to ${high}: <input type="number" inputmode="numeric" min=${low} max=${high}
    value=${draft.number ?? ""} onInput=${({ target }) => change(store, { number: target.value === "" ? null : Number(target.value) })} /></label>
    <${Ok} ...${props} /></div>`;
}

const Confirm = (props) => html`<div class="row pair">
  <${Answer} ...${props} look="main" value=${true} id="yes">Yes <kbd>Y</kbd><//>
  <${Answer} ...${props} value=${false} id="no">No <kbd>N</kbd><//></div>`;

function Window({ store, view, seats, fight, question, draft }) {
  const holding = fight.seats.filter((seat) => seat.holding).map((seat) => seat.name);
  // Who has no offer leaves the big button to those who have.
  const alone = question.offers.length > 0 && !question.offers.some((offer) => mayTake(view, seats, offer));
  return html`
    ${holding.length > 0 && html`<p class="quiet">${listed(holding)} asked to wait.</p>`}
    <div class="row"><button class=${alone ? "small" : "main"} data-do="go-on" disabled=${draft.busy} onClick=${() => answer(store, view, seats, "go on")}>
      ${alone ? "Go on for all" : question.offers.length ? "Go on without" : "Go on"} <kbd>Enter</kbd></button></div>`;
}

const KINDS = {
  choose: Choose, order: Choose, place: Place, path: Path, roll: DiceTray, draw: Draw, number: NumberKind, confirm: Confirm, window: Window,
};

function Offers({ store, view, seats, fight, question, draft }) {
  const { offers } = question;
  if (!offers.length) return null;
  const mine = offers.filter((offer) => mayTake(view, seats, offer));
  const others = [...new Set(offers.filter((offer) => !mine.includes(offer)).map((offer) => offer.seat))];
  return html`<div class="stack">
    ${mine.length > 0 && html`<h3>${question.kind === "window" ? "Anybody?" : "Or, before that:"}</h3>`}
    ${mine.map((offer) => html`<button class="option offer" data-offer=${offer.id} disabled=${draft.busy} key=${offer.id}
      onClick=${() => take(store, view, offer)}>
      <span class="label">${offer.label}<small>${offer.note}</small></span>
      ${seats.length !== 1 && html`<span class="whose">${offer.seat}</span>`}
      <${Hint} fight=${fight} kind="offer" id=${offer.id} /></button>`)}
    ${others.length > 0 && html`<p class="quiet">${listed(others)} may still do something here.</p>`}
  </div>`;
}

/** While figures or the bag are put right by hand: what to do; OK and No as at the dice station, unless hands help. */
function Hands({ store, view }) {
  const { fight, hall } = view;
  const settle = (ok) => () => store.ask("settle", { ok });
  return html`<div>
    <p class="kicker">${fight.phase === "bag" ? "First the bag" : "First the figures"}</p>
    <h2 id="question" aria-live="polite">${fight.words}</h2>
    ${fight.notice && html`<p class="notice" role="status">${fight.notice}</p>`}
    ${hall.hands ? html`<p class="quiet">Virtual hands are at it.</p>` : view.you.role !== "watcher" && html`<div class="row">
      <button class="main" data-do="ok" onClick=${settle(true)}>OK: all is right</button>
      <button data-do="no" onClick=${settle(false)}>No</button></div>`}
  </div>`;
}

function Over({ view }) {
  const { fight } = view;
  const { result, rounds } = fight.summary;
  return html`<div class="over"><p class="kicker">The fight is over</p>
    <h2 id="question">${result ? capital(String(result)) : fight.words}</h2>
    ${rounds && html`<p>${rounds} Rounds.</p>`}<p class="quiet">Undo takes the last decision back.</p></div>`;
}

function asks(fight) {
  const { who } = fight.question;
  if (who.mode === "each") return `Each for themselves; still to answer: ${listed(fight.waiting)}`;
  if (who.mode === "group") return "All together";
  return decide(who.seats);
}

function keyedIn({ echo, question }) {
  const keyed = question.kind !== "roll" || echo.slice(0, -1).some((part) => /: \d/.test(part));
  return keyed ? listed(echo) : "";
}

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
    if (!offer || !mayTake(view, seats, offer)) return false;
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
  const toggleWhy = () => setWhy((open) => (open === question.id ? "" : question.id));
  useQuestionKeys({ store, view, seats, toggleWhy });
  const look = `boxed stack question ${big ? "big" : ""}`;
  if (phase === "over" || !question) return html`<section class=${look} aria-label="Result"><${Over} view=${view} /></section>`;
  if (phase !== "open") return html`<section class=${look} aria-label="Question"><${Hands} store=${store} view=${view} /></section>`;
  const draft = draftOf(store, question);
  const able = answerable(view, seats);
  const each = question.who.mode === "each" && able.length > 1;
  const Kind = KINDS[question.kind];
  const props = { store, view, seats, fight, question, draft };
  const offers = html`<${Offers} ...${props} key=${`offers ${question.id}`} />`;
  const commit = (value) => {
    leaveWhatIf(store, true);
    answer(store, view, seats, value);
  };
  const once = (event) => doubled(store, event) && event.stopPropagation();
  return html`<section class=${look} aria-label="Question" onClickCapture=${once}>
    <div class="row overline"><p class="kicker">${asks(fight)}</p>
      ${able.length > 0 && html`<${WhatIfSwitch} store=${store} question=${question} draft=${draft} />`}
      <button class="small" data-do="why" aria-expanded=${why === question.id} onClick=${toggleWhy}>Why? <kbd>?</kbd></button>
    </div>
    <h2 id="question" aria-live="polite">${question.prompt}</h2>
    ${why === question.id && html`<div class="why">
      ${question.note && html`<p>${question.note}</p>`}
      <${Rules} store=${store} ids=${[...question.rules, ...question.offers.flatMap((offer) => offer.rules ?? [])]} /></div>`}
    ${fight.notice && html`<p class="notice" role="status">${fight.notice}</p>`}
    ${fight.kept && html`<p class="notice">${fight.kept}</p>`}
    ${keyedIn(fight) && html`<p class="quiet">At the dice station: ${keyedIn(fight)}</p>`}
    ${each && html`<div class="row" role="group" aria-label="Who answers">${able.map((seat) => html`<button class="small"
      aria-pressed=${(draft.seat || able[0]) === seat} data-for=${seat} onClick=${() => change(store, { seat, picked: [] })}>${seat}</button>`)}</div>`}
    <${Odds} store=${store} view=${view} />
    ${question.kind === "window" && offers}
    ${able.length > 0
      ? html`<${Kind} ...${props} key=${question.id} />`
      : html`<p class="quiet wait">${fight.waiting.length ? `${decide(fight.waiting)}.` : ""}</p>`}
    ${question.kind !== "window" && offers}
    <${WhatIfPanel} store=${store} draft=${draft} commit=${commit} />
  </section>`;
}

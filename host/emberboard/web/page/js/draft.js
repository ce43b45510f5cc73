// An answer in the making, shared by the question's panel, the board and the keyboard of this page. It lives in the
// store, belongs to one question, and another question starts it anew.

import { cellWords as key, same } from "./cells.js";
import { askWhatIf, change } from "./whatif.js";

export { change };

function fresh(id) {
  return {
    id, picked: [], faces: [], tens: 0, way: [], stepwise: false, hover: "", number: null, seat: "",
    whatIf: false, preview: null, busy: false, born: Date.now(),
  };
}

/** The draft of the pending question. */
export function draftOf(store, question) {
  const id = question ? question.id : "";
  if (store.draft?.id !== id) store.draft = fresh(id);
  return store.draft;
}

const DOUBLE_MS = 500;

/** Whether a click is the second half of a double click that answered the question before. */
export const doubled = (store, event) => event.detail > 1 && Date.now() - store.draft.born < DOUBLE_MS;

/** The seats for which a page may answer now; a page for no seat in particular (the table) may for all that are asked. */
export function answerable(view, seats) {
  const { waiting } = view.fight;
  if (!seats.length) return view.you.role === "table" ? waiting : [];
  const mine = waiting.filter((seat) => seats.includes(seat));
  return mine.length || !view.hall.trust ? mine : waiting;
}

/** Whether a page may take an offer. */
export const mayTake = (view, seats, { seat }) => (seats.length ? seats.includes(seat) || view.hall.trust : view.you.role === "table");

/** The seat in whose name the answer is sent; empty is the table, which speaks for all where not each is asked. */
function speaker(store, view, seats) {
  const { question } = view.fight;
  const able = answerable(view, seats);
  if (question.who.mode !== "each" && !seats.length) return "";
  const { seat } = draftOf(store, question);
  return able.includes(seat) ? seat : able[0] ?? "";
}

async function send(store, what, fields) {
  const draft = store.draft;
  if (draft.busy) return;
  change(store, { busy: true });
  await store.ask(what, { question: draft.id, ...fields });
  draft.busy = false;
  draft.picked = [];
  draft.faces = [];
  store.tell();
}

/** Answer the pending question, or, while "What if" is on, look at what would come of it. */
export function answer(store, view, seats, value) {
  const draft = draftOf(store, view.fight.question);
  const seat = speaker(store, view, seats);
  if (draft.whatIf) return askWhatIf(store, draft, value, seat);
  return send(store, "answer", { value, seat });
}

export function take(store, view, offer) {
  draftOf(store, view.fight.question);
  return send(store, "take", { offer: offer.id, seat: offer.seat });
}

export function roll(store, view, seats) {
  draftOf(store, view.fight.question);
  return send(store, "roll", { seat: speaker(store, view, seats) });
}

/** Whether one option answers the question by itself. */
export const isSingle = ({ kind, many, least, most }) => kind !== "order" && (kind !== "choose" || (!many && least === 1 && most === 1));

/** The faces that one of these dice can show. */
export function facesOf(wanted) {
  if (wanted.faces?.length) return wanted.faces;
  return Array.from({ length: Number(wanted.kind.slice(1)) || 0 }, (_, at) => at + 1);
}

/** All wanted dice in one row: the group and the number in it of each. */
export const rowOf = (question) =>
  question.dice.flatMap((wanted, group) => Array.from({ length: wanted.count }, (_, nth) => ({ wanted, group, nth })));

/** Key in a face; the last one hands nothing in, because dice are looked at once more before OK. */
export function addFace(store, view, face) {
  const draft = draftOf(store, view.fight.question);
  const next = rowOf(view.fight.question)[draft.faces.length];
  if (!next || !facesOf(next.wanted).includes(face)) return false;
  change(store, { faces: [...draft.faces, face], tens: 0 });
  return true;
}

function handIn(store, view, seats) {
  const { question } = view.fight;
  const { faces } = draftOf(store, question);
  const row = rowOf(question);
  if (faces.length !== row.length) return undefined;
  const groups = question.dice.map((_, group) => faces.filter((__, at) => row[at].group === group));
  return answer(store, view, seats, groups);
}

/** An option was pointed at: by its button, its cell or its number. */
export function pick(store, view, seats, id) {
  const { question } = view.fight;
  const { picked } = draftOf(store, question);
  const most = question.kind === "order" ? question.options.length : question.most;
  if (isSingle(question)) return answer(store, view, seats, id);
  if (picked.includes(id)) return change(store, { picked: picked.filter((one) => one !== id) });
  if (most === 1) return change(store, { picked: [id] });
  if (picked.length >= most) return store.say(`At most ${most}: choose one again to drop it.`);
  return change(store, { picked: [...picked, id] });
}

/** The suggested way to a cell of a Path question: the cells entered, [] for the start, null where none leads. */
export function wayTo(question, cell) {
  if (!wayMayEnd(question, [cell])) return null;
  return same(cell, question.start) ? [] : question.suggested?.[key(cell)] ?? null;
}

/** Add a step to the way, or go back to a cell of it. Says why where that cannot be. */
export function step(store, question, cell) {
  const { way } = draftOf(store, question);
  const here = way.at(-1) ?? question.start;
  const before = way.findIndex((one) => same(one, cell));
  if (same(cell, question.start)) return change(store, { way: [] });
  if (before >= 0) return change(store, { way: way.slice(0, before + 1) });
  const legal = way.length < question.limit && question.steps[key(here)]?.some((one) => same(one, cell));
  if (!legal) return store.say(question.refusals?.[key(cell)] ?? "No step leads there.", "refused");
  return change(store, { way: [...way, cell] });
}

/** Whether the way that was stepped may end where it is. */
export function wayMayEnd(question, way) {
  const here = way.at(-1) ?? question.start;
  return question.stops.some((stop) => same(stop, here));
}

/** What Enter and OK mean now: the function that does it, or null while something is missing. */
export function ready(store, view, seats) {
  const { question } = view.fight;
  if (!question || !answerable(view, seats).length) return null;
  const draft = draftOf(store, question);
  const give = (value) => () => answer(store, view, seats, value);
  switch (question.kind) {
    case "choose":
      return !isSingle(question) && draft.picked.length >= question.least ? give(draft.picked) : null;
    case "order":
      return draft.picked.length === question.options.length ? give(draft.picked) : null;
    case "path":
      return draft.way.length && wayMayEnd(question, draft.way) ? give(draft.way) : null;
    case "roll":
      return draft.faces.length === rowOf(question).length ? () => handIn(store, view, seats) : null;
    case "number":
      return draft.number !== null ? give(draft.number) : null;
    case "window":
      return give("go on");
    default:
      return null;
  }
}

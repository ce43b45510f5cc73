// Whose turn it is, as one line: mine, ours or another's; and a short buzz when it becomes mine.

import { answerable } from "./draft.js";
import { html, listed, useEffect, useRef } from "./ui.js";

/** What the open question is to a page of the seats `mine`: `asked` (it may answer), `own` (it is waited for), `words`. */
export function turnOf(view, mine) {
  const { fight } = view;
  const { question, waiting } = fight;
  if (fight.phase !== "open" || !question) return { asked: false, own: false, words: "" };
  const able = mine.length ? answerable(view, mine) : [];
  const asked = able.length > 0;
  const others = `${listed(waiting)} ${waiting.length > 1 ? "are" : "is"} choosing`;
  if (question.kind === "window") return reacting(question, mine, asked);
  if (!asked) return { asked, own: false, words: mine.length && waiting.length ? `Not your turn: ${others}` : waiting.length ? others : "" };
  if (question.who.mode !== "group") return { asked, own: true, words: mine.length > 1 ? `Your turn: ${listed(able)}` : "Your turn" };
  const rolls = question.kind === "roll" && fight.boards.find((board) => board.id === question.dice[0].owner);
  if (!rolls) return { asked, own: false, words: "All of you together" };
  return mine.includes(rolls.seat) ? { asked, own: true, words: `Your dice: ${rolls.name}` } : { asked, own: false, words: `The dice are ${rolls.seat}'s` };
}

function reacting(question, mine, asked) {
  const able = [...new Set(question.offers.map((offer) => offer.seat))];
  const own = able.some((seat) => mine.includes(seat));
  const words = own ? "You can react" : able.length ? `${listed(able)} can react` : "Nobody can react";
  return { asked, own, words };
}

/** The line itself, told apart by its shape too, with the button that folds the question away. */
export function Turn({ turn, folded, fold }) {
  const before = useRef(turn.own);
  useEffect(() => {
    // Browsers allow it only after the first touch of the page; without one nothing happens.
    if (turn.own && !before.current && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(120);
    before.current = turn.own;
  }, [turn.own]);
  return html`
    <div class=${`row turn ${turn.own ? "mine" : ""}`}>
      <strong role="status">${turn.words}</strong>
      <button class="small" data-do="fold" aria-expanded=${!folded} onClick=${fold}>${folded ? "Show" : "Fold"}</button>
    </div>`;
}

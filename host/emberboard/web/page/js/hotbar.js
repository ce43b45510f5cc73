// The Hotbar and the Items: each card with the side that is up, ready to be used now or with the reason why not.

import { answerable, pick, take } from "./draft.js";
import { html } from "./ui.js";

/** The cards of a Character's Hotbar. */
export function Hotbar({ store, view, board, mine, refusals }) {
  if (!board.cards.length) return null;
  return html`
    <ul class="hotbar" aria-label=${`Hotbar of ${board.name}`}>
      ${board.cards.map((card, at) => html`
        <li key=${at}><${Card} card=${card} use=${useOf(store, view, board, mine, card)} refusal=${refusals.find((one) => isOf(one, card))} /></li>`)}
    </ul>`;
}

/** What the Character carries. */
export function Items({ store, view, board, mine, refusals }) {
  const items = board.items ?? [];
  if (!items.length) return null;
  return html`
    <ul class="items" aria-label=${`Items of ${board.name}`}>
      ${items.map((item, at) => html`
        <li key=${at}><${Card} card=${item} item use=${useOf(store, view, board, mine, item)} refusal=${refusals.find((one) => isOf(one, item))} /></li>`)}
    </ul>`;
}

const isOf = (refusal, card) => (card.id ? refusal.source === card.id : refusal.label.includes(card.name));

/** How a card is used at this question: by its option, by an offer, or null. */
function useOf(store, view, board, mine, card) {
  const { question, phase } = view.fight;
  if (!question || phase !== "open" || !mine.includes(board.seat)) return null;
  const offer = question.offers.find((one) => one.args?.who === board.id && card.id && [one.args.card, one.args.item].includes(card.id));
  if (offer) return { words: offer.procedure.startsWith("refresh") ? "Refresh it" : "Use it", act: () => take(store, view, offer) };
  const option = question.about?.[0] === board.id && question.kind === "choose" && question.options.find((one) => one.id === card.id);
  if (!option || !answerable(view, mine).length) return null;
  return { words: "Use it", act: () => pick(store, view, mine, option.id) };
}

function Card({ card, item, use, refusal }) {
  const side = item ? "item" : card.light ? "light" : "dark";
  const what = html`
    <strong class="card-name">${card.name}</strong>
    <span class="card-kind">${!item && html`<em class="side">${card.light ? "light" : "dark"}</em> `}${about(card)} <${Icons} card=${card} /></span>
    ${card.text && html`<span class="card-text">${card.text}</span>`}`;
  if (use) return html`<button class=${`card ${side} ready`} data-card=${card.id || card.name} onClick=${use.act}>${what}<b class="use">${use.words}</b></button>`;
  return html`<div class=${`card ${side} ${refusal ? "cannot" : ""}`} data-card=${card.id || card.name}>${what}${refusal && html`<span class="why-not">${refusal.why}</span>`}</div>`;
}

/** Kind, range and needs in one line. */
const about = (card) => [card.type, card.range, card.needs && `needs ${card.needs}`].filter(Boolean).join(" · ");

/** Suns and moons of the side that is up: what Enemies look at. */
function Icons({ card }) {
  if (!card.sun && !card.moon) return null;
  return html`<span class="icons" aria-label=${`${card.sun ?? 0} sun, ${card.moon ?? 0} moon`}>${"☀".repeat(card.sun ?? 0)}${"☾".repeat(card.moon ?? 0)}</span>`;
}

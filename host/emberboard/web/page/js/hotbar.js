// The Hotbar and the Items: each card with the side that is up, ready to be used now or with the reason why not.

import { answerable, pick, take } from "./draft.js";
import { capital, html, listed, useState } from "./ui.js";

/** The cards of a Character's Hotbar, or with `item` what it carries. */
export function Hotbar({ store, view, board, mine, refusals, item = false }) {
  const cards = (item ? board.items : board.cards) ?? [];
  if (!cards.length) return null;
  return html`
    <ul class="hotbar" aria-label=${`${item ? "Items" : "Hotbar"} of ${board.name}`}>
      ${cards.map((card, at) => html`
        <li key=${at}><${Card} card=${card} item=${item} use=${useOf(store, view, board, mine, card)} refusal=${refusals.find((one) => isOf(one, card))} /></li>`)}
    </ul>`;
}

const isOf = (refusal, card) => (card.id ? refusal.source === card.id : refusal.label.includes(card.name));

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
  const [open, setOpen] = useState(false);
  const side = item ? "item" : card.light ? "light" : "dark";
  const small = item ? !card.equipped && "in the Pouch" : card.when;
  const what = html`
    <strong class="card-name">${card.name}</strong>
    <span class="card-kind">${!item && html`<em class="side">${side}</em>`}<${Icons} card=${card} /> <span class="reach">${reach(card)}</span></span>
    ${card.text && html`<span class="card-text">${card.text}</span>`}
    ${small && html`<span class="card-when">${small}</span>`}`;
  const name = card.id || card.name;
  if (use) return html`<button class=${`boxed stack card ${side} ready`} data-card=${name} onClick=${use.act}>${what}<b class="use">${use.words}</b></button>`;
  const why = refusal?.why || card.refresh;
  return html`
    <button class=${`boxed stack card ${side} ${refusal ? "cannot" : ""} ${open ? "open" : ""}`} data-card=${name} aria-expanded=${open} onClick=${() => setOpen(!open)}>
      ${what}${why && html`<span class="why-not">${capital(why)}</span>`}</button>`;
}

const reach = (card) => [card.range, card.needs?.length && `needs ${card.needs.join(", ")}`].filter(Boolean).join("; ");

function Icons({ card }) {
  if (!card.sun && !card.moon) return null;
  const words = [[card.sun, "sun"], [card.moon, "moon"]].filter(([count]) => count).map(([count, name]) => `${count} ${name}`).join(", ");
  return html`<span class="icons" role="img" aria-label=${words} title=${words}>${"\u2600\ufe0e".repeat(card.sun)}${"\u263e\ufe0e".repeat(card.moon)}</span>`;
}

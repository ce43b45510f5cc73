import { html } from "./ui.js";

/** One seat. */
export function SeatView({ view }) {
  return html`<main><h1>${view.fight.title}</h1><p>${view.fight.words}</p></main>`;
}

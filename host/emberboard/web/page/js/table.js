import { html } from "./ui.js";

/** The whole table. */
export function TableView({ view }) {
  return html`<main><h1>${view.fight.title}</h1><p>${view.fight.words}</p></main>`;
}

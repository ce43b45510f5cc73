import { QuestionPanel } from "./question.js";
import { html } from "./ui.js";

/** The whole table. */
export function TableView({ store, view }) {
  return html`<main><h1>${view.fight.title}</h1><${QuestionPanel} store=${store} view=${view} seats=${[]} /></main>`;
}

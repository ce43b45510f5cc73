// A choice of one in a list that folds away. `options` are pairs of id and words; `set` gets the chosen id as text.

import { html } from "./ui.js";

export function Select({ value, options, set, label }) {
  return html`<select aria-label=${label} value=${value} onChange=${(event) => set(event.target.value)}>
    ${options.map(([id, words]) => html`<option value=${id} selected=${String(id) === String(value)}>${words}</option>`)}</select>`;
}

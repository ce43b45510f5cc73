// "What if": the host plays an answer out on a copy of the fight and shows where it would lead. Nothing is kept of it.

import { Bars } from "./odds.js";
import { few, html, listed } from "./ui.js";

/** Change the draft and draw again. */
export function change(store, fields) {
  Object.assign(store.draft, fields);
  store.tell();
}

/** Ask for the preview of an answer and keep it in the draft. */
export async function askWhatIf(store, draft, value, seat) {
  change(store, { busy: true });
  const preview = await store.ask("what if", { question: draft.id, value, seat });
  draft.busy = false;
  if (preview && store.draft === draft) draft.preview = { ...preview, value };
  store.tell();
}

/** Leave the preview, and with `off` "What if" too. */
export function leaveWhatIf(store, off = false) {
  change(store, off ? { preview: null, whatIf: false } : { preview: null });
}

const TOGGLED = ["choose", "place", "path", "confirm"];

/** The switch beside a question: while it is on, choosing only looks. */
export function WhatIfSwitch({ store, question, draft }) {
  if (!TOGGLED.includes(question.kind)) return null;
  const flip = () => change(store, { preview: null, whatIf: !draft.whatIf });
  return html`<button class="small" data-do="what-if" aria-pressed=${draft.whatIf} onClick=${flip}>
    What if ...</button>`;
}

function Threats({ threats }) {
  if (!threats.length) return null;
  const near = threats.filter((one) => one.near);
  const far = threats.filter((one) => !one.near);
  return html`
    ${near.length > 0 && html`<p><b>In reach of:</b> ${listed(near.map((one) => `${one.name} (${one.why})`))}</p>`}
    ${far.length > 0 && html`<p class="quiet">After a move also: ${few(far.map((one) => one.name), 6)}</p>`}`;
}

/** What would come of it, with the way back and the way to do it in earnest. */
export function WhatIfPanel({ store, draft, commit }) {
  const seen = draft.preview;
  if (!draft.whatIf) return null;
  if (!seen) {
    return html`<p class="boxed dashed whatif" role="status">Choose anything: you will see what would come of it. Nothing happens yet.</p>`;
  }
  const labels = [...seen.options, ...seen.offers].map((one) => one.label || one.id);
  return html`<section class="boxed dashed whatif" aria-label="What if" aria-live="polite">
    <h3>What if: nothing has happened yet</h3>
    ${seen.news.map((note) => html`<p>${note.text}</p>`)}
    <${Threats} threats=${seen.threats} />
    ${seen.prompt && html`<p class="quiet">Then: ${seen.prompt}</p>`}
    ${labels.length > 0 && html`<p class="quiet">Possible then: ${few(labels, 8)}</p>`}
    ${seen.odds_table.length ? html`<${Bars} rows=${seen.odds_table} />` : seen.odds.map((line) => html`<p>${line}</p>`)}
    <div class="row">
      <button class="main" data-do="what-if-do" disabled=${draft.busy} onClick=${() => commit(seen.value)}>Do it</button>
      <button data-do="what-if-leave" onClick=${() => leaveWhatIf(store)}>Back <kbd>Esc</kbd></button>
    </div>
  </section>`;
}

// "What if": the host plays an answer out on a copy of the fight and shows where it would lead. Nothing is kept of it.

import { html } from "./ui.js";

/** Ask for the preview of an answer and keep it in the draft. */
export async function askWhatIf(store, draft, value, seat) {
  draft.busy = true;
  store.tell();
  const preview = await store.ask("what if", { question: draft.id, value, seat });
  draft.busy = false;
  if (preview && store.draft === draft) draft.preview = { ...preview, value };
  store.tell();
}

/** Leave the preview, and with `off` "What if" too. */
export function leaveWhatIf(store, off = false) {
  store.draft.preview = null;
  if (off) store.draft.whatIf = false;
  store.tell();
}

const TOGGLED = ["choose", "place", "path", "confirm"];

/** The switch beside a question: while it is on, choosing only looks. */
export function WhatIfSwitch({ store, question, draft }) {
  if (!TOGGLED.includes(question.kind)) return null;
  const flip = () => {
    draft.whatIf = !draft.whatIf;
    draft.preview = null;
    store.tell();
  };
  return html`<button class="small" data-do="what-if" aria-pressed=${String(draft.whatIf)} onClick=${flip}>
    What if ...</button>`;
}

/** What would come of it, with the way back and the way to do it in earnest. */
export function WhatIfPanel({ store, draft, commit }) {
  const seen = draft.preview;
  if (!draft.whatIf) return null;
  if (!seen) {
    return html`<p class="whatif-hint" role="status">Choose anything: you will see what would come of it. Nothing happens yet.</p>`;
  }
  const odds = seen.odds ?? [];
  const next = seen.next ?? seen.prompt;
  return html`<section class="whatif" aria-label="What if" aria-live="polite">
    <h3>What if: nothing has happened yet</h3>
    ${(seen.notes ?? []).map((note) => html`<p>${note.text ?? note}</p>`)}
    ${next && html`<p class="quiet">Then: ${next}</p>`}
    ${odds.map((line) => html`<p>${line.label ? `${line.label}: ${Math.round(line.percent)} %` : line}</p>`)}
    <div class="row">
      <button class="main" data-do="what-if-do" onClick=${() => commit(seen.value)}>Do it</button>
      <button data-do="what-if-leave" onClick=${() => leaveWhatIf(store)}>Back <kbd>Esc</kbd></button>
    </div>
  </section>`;
}

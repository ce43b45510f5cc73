// How the rules decided something: the criteria in the rulebook's order, one at a time, drawn on the board.

import { nameIn } from "./figures.js";
import { useKeys } from "./keys.js";
import { few, html } from "./ui.js";
import { RuleLink } from "./why.js";

/** Begin to show a decision on the board. */
export function weigh(store, { id, note }) {
  store.weigh = { id, text: note.text, weighed: note.weighed, at: 0 };
  store.tell();
}

function weighNoMore(store) {
  store.weigh = null;
  store.tell();
}

function candidate(fight, one) {
  const spaces = (one.cells ?? []).map((cell) => cell.join(","));
  const name = one.id ? nameIn(fight, one.id) : `${spaces.length === 1 ? "space" : "spaces"} ${spaces.slice(0, 4).join(" ")}${spaces.length > 4 ? " ..." : ""}`;
  return one.why ? `${name} (${one.why})` : name;
}

const candidates = (fight, all) => few(all.map((one) => candidate(fight, one)), 6);

export function WeighedPanel({ store, view }) {
  const seen = store.weigh;
  const go = (by) => {
    seen.at = Math.max(0, Math.min(seen.weighed.length - 1, seen.at + by));
    store.tell();
  };
  useKeys((key, event) => {
    if (!store.weigh || event.target.closest?.("[role=gridcell]")) return false;
    if (key === "ArrowRight" || key === "ArrowLeft") return go(key === "ArrowRight" ? 1 : -1), true;
    if (key === "Escape") return weighNoMore(store), true;
    return false;
  });
  if (!seen) return null;
  const { criterion, rule, kept = [], dropped = [] } = seen.weighed[seen.at];
  const last = seen.at === seen.weighed.length - 1;
  return html`<section class="boxed aside weighing" aria-label="How it was decided" aria-live="polite">
    <p class="quiet">${seen.text}</p>
    <h3>${seen.at + 1} of ${seen.weighed.length}: ${criterion}</h3>
    <p><span class="sign" aria-hidden="true">✓</span> ${candidates(view.fight, kept) || "nothing is left"}</p>
    ${dropped.length > 0 && html`<p class="quiet"><span class="sign" aria-hidden="true">✕</span> ${candidates(view.fight, dropped)}</p>`}
    <div class="row">
      <button data-do="weigh-back" disabled=${seen.at === 0} onClick=${() => go(-1)}>Back <kbd>←</kbd></button>
      <button data-do="weigh-next" class=${last ? "" : "main"} disabled=${last} onClick=${() => go(1)}>Next <kbd>→</kbd></button>
      <button data-do="weigh-close" class=${last ? "main" : ""} onClick=${() => weighNoMore(store)}>Close <kbd>Esc</kbd></button>
      ${rule && html`<${RuleLink} store=${store} id=${rule} key=${rule} />`}
    </div>
  </section>`;
}

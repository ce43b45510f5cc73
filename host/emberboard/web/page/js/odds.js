// How likely things are, before dice are thrown or bought anew. The host computes it when it is shown.

import { useAsked } from "./asked.js";
import { html } from "./ui.js";

const KINDS = ["roll", "window", "choose", "confirm"];

/** Rows of odds as bars, case by case. */
export function Bars({ rows }) {
  const cases = [...new Set(rows.map((row) => row.case ?? ""))];
  return cases.map((one) => html`<div>
    ${one && html`<p class="quiet">${one}</p>`}
    ${rows.filter((row) => (row.case ?? "") === one).map((row) => html`<div class="odds-row" title=${row.chance}>
      <span>${row.label}</span>
      <meter min="0" max="100" value=${row.percent} aria-label=${row.label}></meter>
      <b>${percent(row.percent)}</b>
    </div>`)}
  </div>`);
}

function percent(value) {
  if (value > 0 && value < 1) return "under 1 %";
  if (value > 99 && value < 100) return "over 99 %";
  return `${Math.round(value)} %`;
}

export function Odds({ store, view }) {
  const { question } = view.fight;
  const id = question && KINDS.includes(question.kind) ? question.id : "";
  // Odds are a help: without them the question stands as it is.
  const seen = useAsked(store, id, () => store.ask("odds", {}, { quiet: true }).catch(() => null));
  if (seen?.question !== id || !(seen.rows?.length || seen.lines?.length)) return null;
  return html`<details class="odds" open><summary>Odds</summary>
    ${seen.rows?.length ? html`<${Bars} rows=${seen.rows} />` : seen.lines.map((line) => html`<p>${line}</p>`)}
  </details>`;
}

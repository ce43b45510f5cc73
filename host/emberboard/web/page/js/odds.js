// How likely things are, before dice are thrown or bought anew. The host computes it when it is shown.

import { html, useEffect, useState } from "./ui.js";

const ASKED = ["roll", "window", "choose", "confirm"];

/** Rows of odds as bars, case by case. */
export function Bars({ rows }) {
  const cases = [...new Set(rows.map((row) => row.case ?? ""))];
  return cases.map((one) => html`<div class="odds-case">
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

/** The odds of the pending question; nothing where there are none. */
export function Odds({ store, view }) {
  const { question } = view.fight;
  const [seen, setSeen] = useState(null);
  const id = question && ASKED.includes(question.kind) ? question.id : "";
  useEffect(() => {
    let gone = false;
    setSeen(null);
    if (!id) return undefined;
    store.ask("odds", {}, { quiet: true }).then(
      (data) => !gone && data?.question === id && setSeen(data),
      () => {}, // odds are a help: without them the question stands as it is
    );
    return () => {
      gone = true;
    };
  }, [id]);
  if (!seen || seen.question !== id || !(seen.rows?.length || seen.lines?.length)) return null;
  return html`<details class="odds" open><summary>Odds</summary>
    ${seen.rows?.length ? html`<${Bars} rows=${seen.rows} />` : seen.lines.map((line) => html`<p>${line}</p>`)}
  </details>`;
}

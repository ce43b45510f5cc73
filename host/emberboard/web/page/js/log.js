// The log: what happened, newest last. Each line opens: where its numbers come from, and the rules behind it. The list follows the
// newest line unless somebody has scrolled up to read.

import { nameIn } from "./figures.js";
import { html, useEffect, useRef, useState } from "./ui.js";
import { weigh } from "./weighed.js";
import { RuleLink, Rules } from "./why.js";

const ROUND = /^Round \d+ begins/;
const TURN = / is Activated\.$/;
const LATEST = 300;

const signed = (delta) => (delta > 0 ? `+${delta}` : String(delta).replace("-", "\u2212"));

/** A number with all that went into it, and what each step made of it. */
function Explained({ store, number }) {
  const steps = (number.trace ?? []).filter((line) => line.before !== line.after);
  return html`<div class="explained">
    <p><b>${number.subject ? `${nameIn(store.view.fight, number.subject)}: ` : ""}${number.stat} ${number.value}</b></p>
    ${number.contributions?.length > 0 && html`<table><tbody>${number.contributions.map((part) => html`<tr>
      <td class="delta">${signed(part.delta ?? 1)}</td><td>${part.source}</td>
      <td>${part.rule && html`<${RuleLink} store=${store} id=${part.rule} key=${part.rule} />`}</td></tr>`)}</tbody></table>`}
    ${steps.length > 1 && html`<p class="quiet">${steps.map((line) => `${line.step}: ${line.before} → ${line.after}`).join(", ")}</p>`}
  </div>`;
}

function Line({ store, line, fresh, open, toggle }) {
  const { note } = line;
  const look = ROUND.test(note.text) ? "is-round" : TURN.test(note.text) ? "is-turn" : "";
  const values = note.weighed?.length ? [] : (note.numbers ?? []).filter((number) => number.contributions?.length);
  const item = useRef(null);
  useEffect(() => {
    if (open) item.current.scrollIntoView({ block: "nearest" });
  }, [open]);
  return html`<li ref=${item} class=${`line ${look} ${fresh ? "fresh" : ""} ${note.seat ? "for-seat" : ""}`}>
    <button class="words" aria-expanded=${open} onClick=${toggle}>
      ${note.seat && html`<b>For ${note.seat}: </b>`}${note.text}
      ${values.length > 0 && html`<span class="sums" aria-hidden="true">${values.map((number) => `${number.stat} ${number.value}`).join(" · ")}</span>`}
    </button>
    ${open && html`<div class="more">
      ${(note.numbers ?? []).map((number) => html`<${Explained} store=${store} number=${number} />`)}
      ${note.detail?.length > 0 && html`<p class="quiet">${note.detail.join("; ")}</p>`}
      ${note.weighed?.length > 0 && html`<p><button class="small" data-do="weigh" onClick=${() => weigh(store, line)}>Show on the board how it was decided</button></p>`}
      <${Rules} store=${store} ids=${note.rules} />
      ${!note.rules?.length && !note.numbers?.length && !note.detail?.length && html`<p class="quiet">No rule stands behind this line.</p>`}
    </div>`}
  </li>`;
}

export function Log({ store }) {
  const [open, setOpen] = useState("");
  const list = useRef(null);
  const follows = useRef(true);
  const lines = store.log.slice(-LATEST);
  const skipped = store.log.length - lines.length;
  useEffect(() => {
    if (follows.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [store.log]);
  const scrolled = ({ target }) => {
    follows.current = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
  };
  return html`<ol id="log" class="log" ref=${list} onScroll=${scrolled} aria-label="Log" tabindex="0">
    ${skipped > 0 && html`<li class="quiet">${skipped} older lines</li>`}
    ${lines.map((line, nth) => html`<${Line} store=${store} line=${line} key=${line.id} fresh=${skipped + nth >= store.fresh}
      open=${open === line.id} toggle=${() => setOpen(open === line.id ? "" : line.id)} />`)}
  </ol>`;
}

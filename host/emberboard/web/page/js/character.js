// A Character's board as one glance: HP, counters, what helps and what hurts, its cards and Items.

import { Hotbar } from "./hotbar.js";
import { html, useState } from "./ui.js";

/** One Character's board. `refusals` are what it cannot do now; `alone` says that there is room to show it whole. */
export function CharacterBoard({ store, view, board, mine, refusals, alone }) {
  const acting = view.fight.scene.row?.some((one) => one.id === board.id && one.active);
  const concerned = acting || view.fight.question?.about.includes(board.id);
  const [open, setOpen] = useState(null);
  const shown = open ?? (alone || concerned);
  const other = refusals.filter((one) => !one.source);
  return html`
    <details class=${`character panel ${concerned ? "acting" : ""}`} data-character=${board.id} open=${shown}
      onToggle=${(event) => event.target.open !== shown && setOpen(event.target.open)}>
      <summary>
        <span class="row who"><i class="dot" style=${{ background: board.colour }} aria-hidden="true"></i>
          <strong>${board.name}</strong>${!mine.includes(board.seat) && html`<span class="quiet">${board.seat}</span>`}
          ${acting && html`<em class="tag">acting now</em>`}${board.status && html`<em class="tag bad">${board.status}</em>`}</span>
        <${Hp} board=${board} />
      </summary>
      <ul class="row counters">
        ${board.counters.map(([name, count]) => html`<li key=${name}><b>${count}</b> ${name}</li>`)}
        ${(board.attributes ?? []).map(([name, value]) => html`<li key=${name} class="attribute"><b>${value}</b> ${name}</li>`)}
      </ul>
      ${board.lists.filter(([, held]) => held.length).map(([name, held]) => html`
        <p class="row chips" key=${name}><span class="quiet">${name}</span> ${held.map((word) => html`<em class="tag">${word}</em>`)}</p>`)}
      ${[false, true].map((item) => html`<${Hotbar} ...${{ store, view, board, mine, refusals, item }} />`)}
      ${other.length > 0 && html`
        <details class="unfolds not-now"><summary>${other.length} more that cannot be done now</summary>
          <ul>${other.map((one) => html`<li key=${one.id}><b>${one.label}:</b> ${one.why}</li>`)}</ul></details>`}
    </details>`;
}

function Hp({ board }) {
  const share = board.hp_max ? Math.max(0, board.hp / board.hp_max) : 0;
  const look = share <= 0.34 ? "low" : share <= 0.67 ? "hurt" : "well";
  return html`
    <span class=${`hp ${look}`} role="img" aria-label=${`${board.hp} of ${board.hp_max} HP`}>
      <b>${board.hp}</b><span class="of">/${board.hp_max} HP</span>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-all" width="100" height="8" rx="2" /><rect class="bar-left" width=${100 * share} height="8" rx="2" /></svg>
    </span>`;
}

// Moments at which a seat might react: pass them ahead, or ask the table to wait. One row a seat.

import { capital, html, listed } from "./ui.js";

export function Moments({ store, view, mine }) {
  const { fight } = view;
  const seats = fight.seats.filter((seat) => mine.includes(seat.name));
  const passing = seats.filter((seat) => seat.passing);
  return html`
    <details class="unfolds moments">
      <summary>When I could react: ${passing.length ? listed(passing.map((seat) => `${mine.length > 1 ? `${seat.name}: ` : ""}not this ${capital(seat.passing)}`)) : "ask me"}</summary>
      ${seats.map((seat) => html`
        <div class="row" role="group" key=${seat.name} aria-label=${`${seat.name}: when I could react`}>
          ${mine.length > 1 && html`<b>${seat.name}</b>`}
          <button class="small" data-do="pass-none" aria-pressed=${!seat.passing}
            onClick=${() => seat.passing && store.ask("pass", { seat: seat.name, until: "" })}>Ask me</button>
          ${fight.scopes.map((scope) => html`
            <button class="small" key=${scope} data-do=${`pass-${scope}`} aria-pressed=${seat.passing === scope}
              onClick=${() => store.ask("pass", { seat: seat.name, until: scope })}>Not this ${capital(scope)}</button>`)}
          <button class="small" data-do="hold" aria-pressed=${seat.holding} disabled=${seat.holding}
            onClick=${() => hold(store, seat.name)}>${seat.holding ? "The table waits" : "Wait for me"}</button>
        </div>`)}
    </details>`;
}

async function hold(store, seat) {
  if ((await store.ask("hold", { seat })) !== null) store.say("The table waits for you at the next moment to react.");
}

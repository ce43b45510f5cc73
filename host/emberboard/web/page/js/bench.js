// What can go wrong with real hardware, at the virtual one: boards without power, loose sensors, noise, missed tokens.

import { html, useState } from "./ui.js";
import { placeAt, useLamps } from "./tiles.js";

export function Bench({ store, view }) {
  const { places, columns } = view.hall;
  const { off, noise } = useLamps(store, (lamps) => ({ off: lamps.off, noise: lamps.noise ?? false }));
  const [chosen, choose] = useState(places[0]);
  const inOrder = [...places].sort((a, b) => placeAt(a)[1] - placeAt(b)[1] || placeAt(a)[0] - placeAt(b)[0]);
  const out = off.includes(chosen);
  const does = (what, words, more) => html`<button class="small" data-do=${what} onClick=${() => store.ask("finger", { what, name: ["noise", "miss"].includes(what) ? "" : chosen })} ...${more}>${words}</button>`;
  return html`<details class="bench"><summary>What can go wrong</summary>
    <div class="places" role="group" aria-label="Boards" style=${{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}>
      ${inOrder.map((place) => html`<button class="place" data-place=${place} aria-pressed=${place === chosen} onClick=${() => choose(place)}>
        ${place}${off.includes(place) && html`<span class="quiet"> out</span>`}</button>`)}
    </div>
    <div class="row" role="group" aria-label=${`Board ${chosen}`}>
      ${out ? does("replug", `Plug in ${chosen}`) : does("unplug", `Unplug ${chosen}`)}
      ${does("restart", "Restart")}
      ${does("break", "Loose sensors", { disabled: out, title: "A restart mends it" })}
      ${does("noise", noise ? "Noise ..." : "Noise on the line", { disabled: noise })}
      ${does("miss", "Reader misses")}
    </div>
  </details>`;
}

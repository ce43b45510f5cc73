// What can go wrong with real hardware, at the virtual one: boards without power, loose sensors, noise, missed tokens.

import { html, useState } from "./ui.js";
import { placeAt, useLamps } from "./tiles.js";

/** The boards by their places, and what can be done to the chosen one. */
export function Bench({ store, view }) {
  const { places, columns } = view.hall;
  const { off, noise } = useLamps(store, (lamps) => ({ off: lamps.off, noise: lamps.noise ?? false }));
  const [chosen, choose] = useState(places[0]);
  const finger = (what, name = "") => store.ask("finger", { what, name });
  const inOrder = [...places].sort((a, b) => placeAt(a)[1] - placeAt(b)[1] || placeAt(a)[0] - placeAt(b)[0]);
  const out = off.includes(chosen);
  return html`<details class="bench"><summary>What can go wrong</summary>
    <div class="places" role="group" aria-label="Boards" style=${{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}>
      ${inOrder.map((place) => html`<button class="place" data-place=${place} aria-pressed=${place === chosen ? "true" : "false"} onClick=${() => choose(place)}>
        ${place}${off.includes(place) && html`<span class="quiet"> out</span>`}</button>`)}
    </div>
    <div class="row" role="group" aria-label=${`Board ${chosen}`}>
      <button class="small" data-do=${out ? "replug" : "unplug"} onClick=${() => finger(out ? "replug" : "unplug", chosen)}>${out ? "Plug in" : "Unplug"} ${chosen}</button>
      <button class="small" data-do="restart" onClick=${() => finger("restart", chosen)}>Restart</button>
      <button class="small" data-do="break" disabled=${out} title="A restart mends it" onClick=${() => finger("break", chosen)}>Loose sensors</button>
      <button class="small" data-do="noise" disabled=${noise} onClick=${() => finger("noise")}>${noise ? "Noise ..." : "Noise on the line"}</button>
      <button class="small" data-do="miss" onClick=${() => finger("miss")}>Reader misses</button>
    </div>
  </details>`;
}

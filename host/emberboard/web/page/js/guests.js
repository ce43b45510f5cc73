// How other devices come in, who sits where, and whether seats may answer for each other; for the table's page.

import { Switch, html } from "./ui.js";

export function Guests({ store, view }) {
  const { hall, fight } = view;
  const [address, code] = hall.join.split(/\/join\.html#/);
  return html`
    <div class="row guests">
      <figure class="row join-code">
        <img class="qr" src="/join.svg" alt="QR code that opens the page on a phone" />
        <figcaption>Scan it with a phone's camera. Or open <b>${address}</b> there and type <b class="code">${code.slice(0, 4)}-${code.slice(4)}</b></figcaption>
      </figure>
      ${fight && html`<${Seats} store=${store} fight=${fight} trust=${hall.trust} />`}
    </div>`;
}

function Seats({ store, fight, trust }) {
  return html`
    <div class="guest-seats">
      <h3>Seats</h3>
      <ul>
        ${fight.seats.map((seat) => html`
          <li class="row" key=${seat.name}>
            <b>${seat.name}</b> <span class="quiet">${!seat.taken ? "free" : seat.here ? "at a phone or page" : "taken, away just now"}</span>
            ${seat.taken && html`<button class="small" data-do=${`free ${seat.name}`} onClick=${() => store.ask("leave", { seat: seat.name })}>Free the seat</button>`}
          </li>`)}
      </ul>
      <${Switch} name="trust" on=${trust} turn=${(all) => store.ask("trust", { all })}>Seats may answer for each other<//>
    </div>`;
}

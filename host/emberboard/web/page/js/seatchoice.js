// Which seat is mine: what a phone sees first, and whenever somebody wants another one.

import { html, listed } from "./ui.js";

/** The seats with who sits there; `done` goes back to one's own, `look` looks on without a seat. */
export function SeatChoice({ store, view, done, look }) {
  const { fight, you } = view;
  const sit = async (seat) => {
    if ((await store.ask("claim", { seat })) !== null) done();
  };
  const stand = (seat) => store.ask("leave", { seat });
  return html`
    <main class="seat-choice">
      <h1>${you.seats.length ? "Seats" : "Which seat is yours?"}</h1>
      <p class="quiet">${fight.title}, Round ${fight.scene.round}. One device may hold several seats.</p>
      <ul>
        ${fight.seats.map((seat) => html`
          <li key=${seat.name} class=${you.seats.includes(seat.name) ? "own" : ""}>
            <${SeatRow} seat=${seat} own=${you.seats.includes(seat.name)} table=${you.role === "table"}
              plays=${fight.boards.filter((board) => board.seat === seat.name).map((board) => board.name)}
              sit=${() => sit(seat.name)} stand=${() => stand(seat.name)} />
          </li>`)}
      </ul>
      <div class="row">
        ${you.seats.length
          ? html`<button class="main" data-do="seated" onClick=${done}>Back to my board</button>`
          : you.role !== "table" && html`<button data-do="look-on" onClick=${look}>Just look on</button>`}
        ${you.role === "table" && html`<a class="button" href="#table">The whole table</a>`}
      </div>
    </main>`;
}

function SeatRow({ seat, own, table, plays, sit, stand }) {
  const state = own ? "yours" : seat.taken ? (seat.here ? "taken" : "taken, away just now") : "free";
  return html`
    <button class=${seat.taken ? "" : "main"} data-seat=${seat.name} disabled=${own} onClick=${sit}
      aria-label=${`${seat.name}, plays ${listed(plays)}, ${state}`}>
      <strong>${seat.name}</strong><span>plays ${plays.join(" and ")}</span><em>${state}</em>
    </button>
    ${(own || (table && seat.taken)) && html`
      <button class="small" data-do=${`leave-${seat.name}`} onClick=${stand}>${own ? "Stand up" : "Free this seat"}</button>`}`;
}

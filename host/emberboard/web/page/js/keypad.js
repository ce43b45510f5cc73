// The dice station's keys and the seats' buttons: real presses and releases, as long as the finger stays.

import { html, useEffect, useRef } from "./ui.js";
import { useLamps } from "./tiles.js";

const KEYS = ["1", "2", "3", "Roll", "4", "5", "6", "Undo", "7", "8", "9", "Help", "10", "+10", "No", "OK"];
const LONG = { Undo: "held long: takes back the last answer" };
const SHORTEST_MS = 60;
const WAIT_MS = 60;

const later = (ms) => new Promise((done) => setTimeout(done, ms));

/** Press a key for as long as a quick finger does. */
export async function pressKey(store, name) {
  await store.ask("finger", { what: "press", name });
  await later(SHORTEST_MS);
  await store.ask("finger", { what: "release", name });
  await later(WAIT_MS);
}

function Key({ store, name, label = name, hint, look = "", lit }) {
  const down = useRef(0);
  const press = () => {
    if (down.current) return;
    down.current = Date.now();
    store.ask("finger", { what: "press", name });
  };
  const release = () => {
    if (!down.current) return;
    // No finger is quicker than this, and the keys are scanned only so often.
    const left = Math.max(0, SHORTEST_MS - (Date.now() - down.current));
    down.current = 0;
    setTimeout(() => store.ask("finger", { what: "release", name }), left);
  };
  useEffect(() => release, []);
  const typed = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) press();
  };
  return html`<button class=${`key ${look} ${lit ? "lit" : ""}`} data-key=${name} title=${hint} aria-label=${`${label}${lit ? ", lit" : ""}`}
    onPointerDown=${(event) => !event.button && (event.currentTarget.setPointerCapture(event.pointerId), press())} onPointerUp=${release}
    onPointerCancel=${release} onKeyDown=${typed} onKeyUp=${release} onBlur=${release} onContextMenu=${(event) => event.preventDefault()}>${label}</button>`;
}

export function Keypad({ store }) {
  return html`<section class="stack" aria-label="Dice station"><h3>Dice station</h3>
    <div class="keygrid">${KEYS.map((name) => html`<${Key} store=${store} name=${name} hint=${LONG[name]} look=${/\d/.test(name) ? "" : "word"} key=${name} />`)}</div>
  </section>`;
}

/** Yes and No of every seat, with their lights. */
export function SeatButtons({ store, view }) {
  const lit = useLamps(store, (lamps) => lamps.buttons);
  return html`<section class="stack" aria-label="Seat buttons"><h3>Seats</h3>
    ${view.fight.seats.map((seat, nth) => html`<div class="seatkey" key=${seat.name}><span class="one-line name">${seat.name}</span>
      ${["yes", "no"].map((word) => html`<${Key} store=${store} name=${`seat ${nth + 1} ${word}`} label=${word === "yes" ? "Yes" : "No"} look="word"
        hint=${`${seat.name}: ${word}`} lit=${lit.includes(`seat ${nth + 1} ${word}`)} />`)}</div>`)}
  </section>`;
}

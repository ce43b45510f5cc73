// The dice tray of the virtual table: dice that this page throws, and keys in at the dice station as a player would.

import { pressKey } from "./keypad.js";
import { html, useState } from "./ui.js";

const sidesOf = (kind) => Number(/^d(\d+)$/i.exec(kind)?.[1] ?? 0);

function thrown({ kind, count }) {
  const sides = sidesOf(kind);
  return Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
}

function pressesOf(face) {
  const tens = Math.ceil(face / 10) - 1;
  return [...Array.from({ length: tens }, () => "+10"), String(face - 10 * tens)];
}

export function Tray({ store, view }) {
  const { question, phase } = view.fight;
  const [cast, setCast] = useState({ id: "", groups: [] });
  const [busy, setBusy] = useState(false);
  if (phase !== "open" || question?.kind !== "roll" || !question.dice.every(({ kind, faces }) => sidesOf(kind) && !faces?.length)) return null;
  const groups = cast.id === question.id ? cast.groups : [];
  const keyIn = async () => {
    setBusy(true);
    for (const face of groups.flat()) for (const name of pressesOf(face)) await pressKey(store, name);
    await pressKey(store, "OK");
    setBusy(false);
  };
  return html`<section class="stack" aria-label="Dice tray"><h3>Dice tray</h3>
    <div class="row dice">${question.dice.map((wanted, nth) => (groups[nth] ?? Array.from({ length: wanted.count }, () => "?"))
      .map((face) => html`<span class="cast">${face}</span>`))}</div>
    <div class="row">
      <button class="small" data-do="throw" disabled=${busy} onClick=${() => setCast({ id: question.id, groups: question.dice.map(thrown) })}>Throw the dice</button>
      <button class="small" data-do="key-in" disabled=${busy || !groups.length} onClick=${keyIn}>${busy ? "Keying in ..." : "Key them in"}</button>
    </div>
  </section>`;
}

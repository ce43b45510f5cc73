// The virtual hardware: the table's top, keys, dice, bag and boards, to be used with mouse, fingers or keys. Nothing here
// tells the game anything: what is done goes to sensors and pins, and the table hears of it as it would of real ones.

import { BagView } from "./bagview.js";
import { useBell } from "./bell.js";
import { Bench } from "./bench.js";
import { Carrier, Ghost } from "./drag.js";
import { Hand } from "./hand.js";
import { Keypad, SeatButtons } from "./keypad.js";
import { RailStrip, Tiles, useLamps } from "./tiles.js";
import { Tray } from "./tray.js";
import { Switch, html, useEffect, useRef, useState } from "./ui.js";

const TOOLS = [
  ["hand", "Move", "Drag a figure, or click it and then its new space. Esc puts it back."],
  ["tap", "Tap", "Lift a figure for a moment and put it back: it is chosen (T)."],
  ["wand", "Wand", "Click a space to point at it, or drag the wand there (W)."],
  ["knock", "Knock", "Knock a figure onto the space next to it (K)."],
  ["wobble", "Wobble", "Put it down so that its magnet bounces (B)."],
];

function Box({ store, view, hand, carrier }) {
  const held = useLamps(store, (lamps) => [lamps.held ?? [], Object.keys(lamps.stands ?? {})])[0].filter((id) => id !== hand.who);
  const chip = (id, words) => html`<button class=${`chip side-${hand.of(id).side || "none"}`} data-figure=${id} key=${id} aria-label=${`${hand.of(id).name}, ${words}`}
    onPointerDown=${(event) => carrier.follow(event, { label: hand.label(id), look: `side-${hand.of(id).side}` }, {
      begin: () => !hand.who && (hand.hold(id, null), true),
      drop: (x, y) => (hand.cellAt(x, y) ? hand.put(hand.cellAt(x, y)) : hand.toBox()),
      click: () => hand.who || hand.hold(id, null),
      left: () => hand.toBox(),
    })} onClick=${(event) => event.detail === 0 && !hand.who && hand.hold(id, null)}><b>${hand.label(id)}</b> ${hand.of(id).name}</button>`;
  const boxed = hand.boxed(view.fight.scene);
  return html`<div class="row boxed dashed box" aria-label="Figures that are not on the table"><span class="quiet where">Box</span>
    ${boxed.map((id) => chip(id, "in the box"))}${held.map((id) => chip(id, "in a hand"))}
    ${!boxed.length && !held.length && html`<span class="quiet">All figures stand on the table. Drag one off the tiles to put it here.</span>`}
  </div>`;
}

function Help({ store, view }) {
  return html`<${Switch} name="hands" on=${view.hall.hands} turn=${(help) => store.ask("hands", { help })}>
    <b>Hands help</b> <span class="quiet">Virtual hands put the figures where the light asks.</span><//>`;
}

export function Drawer({ store, view, close }) {
  const hand = useRef(null);
  hand.current ??= new Hand(store);
  const carrier = useRef(null);
  carrier.current ??= new Carrier();
  const [tool, setTool] = useState("hand");
  const box = useRef(null);
  hand.current.know(view.fight.scene);
  useBell(hand.current);
  useEffect(() => () => hand.current.back(), []);
  useEffect(() => {
    if (!store.reached) return undefined;
    // A page that comes back is a new one to the host: it asks for the lamps again.
    store.ask("watch", { on: true });
    return () => store.talk.open() && store.ask("watch", { on: false });
  }, [store.reached]);
  useEffect(() => box.current.querySelector("[data-tile][tabindex='0']").focus({ preventScroll: true }), []);
  const both = { store, view };
  const held = { hand: hand.current, carrier: carrier.current };
  const escaped = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (hand.current.who) hand.current.back();
    else close();
  };
  const wave = (event) => carrier.current.follow(event, { label: "Wand", look: "wand" }, {
    drop: (x, y) => {
      const cell = hand.current.cellAt(x, y);
      if (cell) hand.current.finger("tap", { cell });
    },
  });
  const words = view.fight.words;
  const inHand = hand.current.who && `${hand.current.of(hand.current.who).name} is in your hand.`;
  return html`<section class="virtual" ref=${box} role="region" aria-label="Virtual table" onKeyDown=${escaped}>
    <header class="row virtual-head"><h2>Virtual table</h2><p class="one-line asks" role="status">${inHand || words}</p>
      <button class="small" data-do="virtual-close" onClick=${close} aria-label="Close the virtual table">✕</button></header>
    <div class="stack virtual-top">
      <${RailStrip} store=${store} />
      <${Tiles} ...${both} ...${held} tool=${tool} />
      <div class="row tools" role="radiogroup" aria-label="What a click does">
        ${TOOLS.map(([name, label, hint]) => html`<button class="small" role="radio" data-tool=${name} aria-checked=${tool === name} title=${hint}
          onPointerDown=${(event) => name === "wand" && wave(event)} onClick=${() => setTool(name)}>${label}</button>`)}
        <span class="quiet hint">${TOOLS.find(([name]) => name === tool)[2]}</span>
      </div>
      <${Box} ...${both} ...${held} />
    </div>
    <div class="stack virtual-side">
      <${Help} ...${both} />
      <${Tray} ...${both} />
      <${Keypad} store=${store} />
      <${SeatButtons} ...${both} />
      <${BagView} ...${both} carrier=${carrier.current} />
      <${Bench} ...${both} />
    </div>
    <${Ghost} carrier=${carrier.current} />
  </section>`;
}

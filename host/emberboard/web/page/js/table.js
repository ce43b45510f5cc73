// The whole table: the board as large as it fits, the question beside it, the log below that.

import { Adjust } from "./adjust.js";
import { Board } from "./board.js";
import { CapsuleButton } from "./capsule.js";
import { VirtualPanel } from "./drawer.js";
import { Fix } from "./fix.js";
import { Guests } from "./guests.js";
import { Bag, InitiativeRow } from "./initiative.js";
import { useKeys } from "./keys.js";
import { Log } from "./log.js";
import { QuestionPanel } from "./question.js";
import { capital, html, useEffect, useRef, useState } from "./ui.js";
import { WeighedPanel, weigh } from "./weighed.js";

const KEYS = [
  ["1 to 9", "the answer with that number"], ["Enter", "OK, go on"], ["R", "roll or draw for me"], ["0 to 9, +", "what a die shows (0 is 10, + is ten more)"],
  ["Backspace", "take a die back"], ["U", "undo"], ["Y", "redo"], ["?", "why"], ["B", "to the board; arrow keys move there"], ["Esc", "leave"],
];

/** A dialog over the page. Esc and a click beside it close it. */
function Dialog({ title, close, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} onClose=${close} onClick=${(event) => event.target === box.current && close()} aria-label=${title}>
    <div class="dialog"><div class="row head"><h2>${title}</h2><button class="small" data-do="close-dialog" aria-label="Close" onClick=${close}>✕</button></div>${children}</div>
  </dialog>`;
}

function Keys() {
  return html`<table class="keys"><tbody>${KEYS.map(([key, words]) => html`<tr><th><kbd>${key}</kbd></th><td>${words}</td></tr>`)}</tbody></table>`;
}

const DIALOGS = {
  join: ["Phones join", Guests], keys: ["Keys", Keys], fix: ["Take back or put right", Fix], adjust: ["By agreement", Adjust],
};

function Head({ store, view, show }) {
  const { fight, hall, you } = view;
  return html`<header class="row head">
    <h1>${fight.title}</h1>
    <span class="round">Round ${fight.scene.round || 1}</span>
    <${Bag} bag=${fight.scene.bag} />
    <nav class="row">
      ${fight.rail && fight.rail.health !== "good" && html`<button class="small dashed health" data-do="health" onClick=${() => store.say(fight.rail.notice)}>${fight.rail.health === "lost" ? "Something is lost" : "Lights are dimmed"}</button>`}
      ${hall.join && html`<button class="small" data-do="join" onClick=${() => show("join")}>Phones join</button>`}
      ${hall.hardware === "virtual" && you.role === "table" && html`<${VirtualPanel} store=${store} view=${view} />`}
      <a class="button small" href="#seat">My seat</a>
      ${you.role === "table" && html`<a class="button small" href="#home">Saves</a>`}
      <button class="small keys-button" data-do="keys" onClick=${() => show("keys")}>Keys</button>
    </nav>
  </header>`;
}

function Back({ store, view, show }) {
  const { can } = view.fight;
  if (view.you.role === "watcher") return null;
  return html`<div class="row back" role="group" aria-label="Take back">
    ${[["undo", "U"], ["redo", "Y"]].map(([what, key]) => html`
      <button class="small" data-do=${what} disabled=${!can[what]} onClick=${() => store.ask(what)}>${capital(what)} <kbd>${key}</kbd></button>`)}
    <button class="small" title="Take back further, or put a wrong die right" data-do="further" disabled=${!can.undo} onClick=${() => show("fix")}>Fix ...</button>
    <button class="small" title="Change HP, places, tokens by agreement" data-do="adjust" disabled=${!can.adjust} onClick=${() => show("adjust")}>Adjust ...</button>
  </div>`;
}

function Decided({ store }) {
  const latest = store.weigh ? null : store.log.slice(store.fresh).findLast((line) => line.note.weighed?.length);
  if (!latest) return null;
  return html`<button class="boxed dashed aside decided" data-do="weigh" onClick=${() => weigh(store, latest)}>
    <span class="quiet">How was it decided?</span> ${latest.note.text}</button>`;
}

function LogBox({ store, you }) {
  const [open, setOpen] = useState(matchMedia("(min-width: 40rem)").matches);
  return html`<section class=${`stack logbox ${open ? "open" : ""}`} aria-label="Log">
    <div class="row"><button class="fold" data-do="log" aria-expanded=${open} onClick=${() => setOpen(!open)}>Log</button>
      ${you.role !== "watcher" && html`<${CapsuleButton} store=${store} words="Disputed?" />`}</div>
    ${open ? html`<${Log} store=${store} />` : html`<p class="quiet last">${store.log.at(-1)?.note.text ?? ""}</p>`}
  </section>`;
}

function Picking({ store }) {
  if (!store.picking) return null;
  const leave = () => {
    store.picking = null;
    store.tell();
  };
  return html`<p class="boxed aside picking" role="status">${store.picking.words} <button class="small" onClick=${leave}>Leave it</button></p>`;
}

export function TableView({ store, view }) {
  const { fight } = view;
  const [shown, show] = useState("");
  const close = () => show("");
  const main = useRef(null);
  useKeys((key) => {
    if (key === "b") return main.current.querySelector('[role=gridcell][tabindex="0"]')?.focus(), true;
    if (key === "h") return show("keys"), true;
    return false;
  });
  const id = fight.question?.id;
  useEffect(() => {
    store.weigh = null;
    store.picking = null;
  }, [id]);
  const [title, Inside] = DIALOGS[shown] ?? [];
  const both = { store, view };
  return html`<main class="table" ref=${main}>
    <${Head} ...${both} show=${show} />
    <section class="stack top" aria-label="Board">
      <${InitiativeRow} scene=${fight.scene} />
      <${Picking} store=${store} />
      <${Board} ...${both} words=${true} />
    </section>
    <aside class="stack side">
      <${WeighedPanel} ...${both} />
      <${QuestionPanel} ...${both} seats=${[]} />
      <${Decided} store=${store} />
      <${Back} ...${both} show=${show} />
      <${LogBox} store=${store} you=${view.you} />
    </aside>
    ${shown && html`<${Dialog} title=${title} close=${close}><${Inside} ...${both} close=${close} /><//>`}
  </main>`;
}

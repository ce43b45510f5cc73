// The home face: going on with a save, or a new fight. Only the table's page chooses; others wait here.

import { Guests } from "./guests.js";
import { NewFight } from "./newfight.js";
import { SaveCard, Bring } from "./saves.js";
import { html, useEffect, useState } from "./ui.js";

export function Home({ store, view }) {
  if (view.you.role !== "table") return html`<${Waiting} />`;
  return html`<${Choosing} store=${store} view=${view} />`;
}

function Part({ look, title, children }) {
  return html`<section class=${look} aria-label=${title}><h2>${title}</h2>${children}</section>`;
}

function Waiting() {
  return html`
    <main class="home waiting">
      <${Ember} />
      <h1>The table chooses what to play</h1>
      <p class="quiet">You have joined. As soon as a fight is open you take your seat here; nothing to press until then.</p>
    </main>`;
}

function Choosing({ store, view }) {
  const { fight, hall } = view;
  const [saves, setSaves] = useState(null);
  const [scenarios, setScenarios] = useState(null);
  const look = async () => setSaves((await store.ask("saves")) ?? []);
  useEffect(() => {
    if (!store.reached) return;
    look();
    store.ask("scenarios").then((found) => setScenarios(found ?? []));
  }, [store.reached]);
  if (!saves || !scenarios) return html`<main class="home"><${Ember} /><p class="quiet" role="status">Looking for your fights ...</p></main>`;
  const names = namesOf(scenarios);
  const playing = fight?.save ?? "";
  const open = saves.find((save) => (playing ? save.name === playing : !save.finished && !save.damaged));
  const rest = saves.filter((save) => save !== open);
  return html`
    <main class="home">
      <header class="row home-head"><${Ember} /><div><h1>Emberboard</h1><p class="quiet">The table knows the rules. You play.</p></div></header>
      ${open && html`
        <${Part} look="home-last" title=${playing ? "On the table now" : "Go on where you stopped"}>
          <${SaveCard} key=${open.name} store=${store} save=${open} names=${names} changed=${look} playing=${Boolean(playing)} main />
        <//>`}
      <${Part} look="home-new" title="New fight">
        <${NewFight} store=${store} scenarios=${scenarios} main=${!open} />
      <//>
      ${hall.join && html`
        <${Part} look="home-join" title="Phones join">
          <${Guests} store=${store} view=${view} />
        <//>`}
      <${Part} look="home-saves" title=${rest.length ? (open ? "Other fights" : "Your fights") : "Saves"}>
        ${!rest.length && html`<p class="quiet">${open ? "No other fight is saved." : "No fight is saved yet. Every fight is saved by itself, at every answer."}</p>`}
        <ul class="saves">
          ${rest.map((save) => html`<li key=${save.name}><${SaveCard} store=${store} save=${save} names=${names} changed=${look} /></li>`)}
        </ul>
        <${Bring} store=${store} changed=${look} />
      <//>
    </main>`;
}

function namesOf(scenarios) {
  return new Map(scenarios.flatMap((one) => one.characters.map(({ id, name }) => [id, name])));
}

function Ember() {
  return html`<img class="ember" src="/icon.svg" alt="" width="56" height="56" />`;
}

// The home face: going on with a save, or a new fight. Only the table's page chooses; others wait here.

import { Guests } from "./guests.js";
import { NewFight } from "./newfight.js";
import { SaveCard, Bring } from "./saves.js";
import { html, useEffect, useState } from "./ui.js";

/** Saves and new fights, or for a guest the word that the table chooses. */
export function Home({ store, view }) {
  if (view.you.role !== "table") return html`<${Waiting} />`;
  return html`<${Choosing} store=${store} view=${view} />`;
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
      <header class="home-head"><${Ember} /><div><h1>Emberboard</h1><p class="quiet">The table knows the rules. You play.</p></div></header>
      ${open && html`
        <section class="home-last" aria-labelledby="last-title">
          <h2 id="last-title">${playing ? "On the table now" : "Go on where you stopped"}</h2>
          <${SaveCard} key=${open.name} store=${store} save=${open} names=${names} changed=${look} playing=${Boolean(playing)} main />
        </section>`}
      <section class="home-new" aria-labelledby="new-title">
        <h2 id="new-title">New fight</h2>
        <${NewFight} store=${store} scenarios=${scenarios} main=${!open} />
      </section>
      ${hall.join && html`
        <section class="home-join" aria-labelledby="join-title">
          <h2 id="join-title">Phones join</h2>
          <${Guests} store=${store} view=${view} />
        </section>`}
      <section class="home-saves" aria-labelledby="saves-title">
        <h2 id="saves-title">${rest.length ? (open ? "Other fights" : "Your fights") : "Saves"}</h2>
        ${!rest.length && html`<p class="quiet">${open ? "No other fight is saved." : "No fight is saved yet. Every fight is saved by itself, at every answer."}</p>`}
        <ul class="saves">
          ${rest.map((save) => html`<li key=${save.name}><${SaveCard} store=${store} save=${save} names=${names} changed=${look} /></li>`)}
        </ul>
        <${Bring} store=${store} changed=${look} />
      </section>
    </main>`;
}

/** Characters' names by their ids, over all scenarios. */
function namesOf(scenarios) {
  return new Map(scenarios.flatMap((one) => one.characters.map(({ id, name }) => [id, name])));
}

function Ember() {
  return html`<img class="ember" src="/icon.svg" alt="" width="56" height="56" />`;
}

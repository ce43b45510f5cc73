// A new fight: how many play, what they are called, who holds which Character. Two players are ready to start at once.

import { html, useState } from "./ui.js";

const MOST_PLAYERS = 5;
const REMEMBERED = "emberboard names";

/** The form of a new fight; `main` makes its start the page's first button. */
export function NewFight({ store, scenarios, main }) {
  const [chosen, setChosen] = useState(scenarios[0]?.id);
  const scenario = scenarios.find((one) => one.id === chosen);
  const [names, setNames] = useState(remembered);
  const [players, setPlayers] = useState(2);
  const [holders, setHolders] = useState(() => dealt(scenario, 2));
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState(false);
  if (!scenario) return html`<p>No scenario can be played here.</p>`;

  const seated = names.slice(0, players).map((name, at) => name.trim() || `Player ${at + 1}`);
  const many = (count) => {
    setPlayers(count);
    setHolders(dealt(scenario, count, holders));
  };
  const rename = (at, name) => {
    const next = names.map((old, other) => (other === at ? name : old));
    setNames(next);
    localStorage.setItem(REMEMBERED, JSON.stringify(next));
  };
  const give = (id, player) => setHolders({ ...holders, [id]: holders[id] === player ? undefined : player });
  const trouble = whyNot(scenario, seated, holders);

  const start = async (event) => {
    event.preventDefault();
    if (trouble || busy) return;
    setBusy(true);
    const seats = Object.fromEntries(seated.map((name, at) => [name, heldBy(scenario, holders, at).map(({ id }) => id)]));
    if ((await store.ask("begin", { game: scenario.game, scenario: scenario.id, seats })) !== null) location.hash = "#table";
    setBusy(false);
  };
  return html`
    <form class="new-fight panel" onSubmit=${start}>
      ${scenarios.length > 1
        ? html`<fieldset><legend>Scenario</legend><div class="row">${scenarios.map((one) => html`
            <button type="button" aria-pressed=${one.id === chosen} onClick=${() => { setChosen(one.id); setHolders(dealt(one, players)); }}>${one.name}</button>`)}
          </div></fieldset>`
        : html`<h3>${scenario.name}</h3>`}
      <p class="quiet story">${scenario.text}</p>
      <fieldset>
        <legend>How many play?</legend>
        <div class="row players">
          ${upTo(Math.min(MOST_PLAYERS, scenario.most)).map((count) => html`
            <button type="button" data-do=${`players-${count}`} aria-pressed=${players === count} onClick=${() => many(count)}>${count}</button>`)}
        </div>
      </fieldset>
      <fieldset>
        <legend>Who are you?</legend>
        <div class="names">
          ${upTo(players).map((count) => html`
            <input key=${count} aria-label=${`Name of player ${count}`} maxlength="20" autocomplete="off" placeholder=${`Player ${count}`}
              value=${names[count - 1]} onInput=${(event) => rename(count - 1, event.target.value)} />`)}
        </div>
      </fieldset>
      <p class="start-words" role="status">${trouble || told(scenario, seated, holders)}</p>
      <button type="submit" class=${main ? "main big" : "big"} data-do="begin" disabled=${Boolean(trouble) || busy}>
        ${busy ? "The table is being laid ..." : "Start the fight"}
      </button>
      <details class="unfolds casting" open=${open || Boolean(trouble)} onToggle=${(event) => setOpen(event.target.open)}>
        <summary>Choose who plays whom</summary>
        <p class="quiet">One player may hold several Characters. A Character without a player stays at home.</p>
        <ul class="company">
          ${scenario.characters.map((one) => html`
            <li key=${one.id} class=${`boxed stack ${holders[one.id] === undefined ? "" : "chosen"}`} data-character=${one.id}>
              <${Portrait} one=${one} />
              <div class="row" role="group" aria-label=${`Who plays ${one.name}?`}>
                ${seated.map((name, at) => html`
                  <button type="button" key=${at} aria-pressed=${holders[one.id] === at} onClick=${() => give(one.id, at)}>${name}</button>`)}
              </div>
            </li>`)}
        </ul>
      </details>
    </form>`;
}

function Portrait({ one }) {
  const dot = one.words.indexOf(". ");
  const [numbers, text] = dot < 0 ? [one.words, ""] : [one.words.slice(0, dot), one.words.slice(dot + 2)];
  return html`<div><strong>${one.name}</strong> <span class="quiet">${numbers}</span><p>${text}</p></div>`;
}

const upTo = (count) => Array.from({ length: count }, (_, at) => at + 1);

function remembered() {
  let kept = [];
  try {
    kept = JSON.parse(localStorage.getItem(REMEMBERED) ?? "[]");
  } catch {
    kept = [];
  }
  return upTo(MOST_PLAYERS).map((count) => (typeof kept[count - 1] === "string" ? kept[count - 1] : ""));
}

/** Characters dealt out anew where a player has none: one each, two for a single player. By Character: the player. */
function dealt(scenario, players, before = {}) {
  const holders = {};
  if (!scenario) return holders;
  for (const { id } of scenario.characters) {
    if (before[id] < players) holders[id] = before[id];
  }
  const free = () => scenario.characters.find(({ id }) => holders[id] === undefined);
  for (let player = 0; player < players; player++) {
    const wanted = players === 1 ? 2 : 1;
    while (heldBy(scenario, holders, player).length < wanted) {
      const taken = free() ?? spare(scenario, holders, players);
      if (!taken) break;
      holders[taken.id] = player;
    }
  }
  return holders;
}

function spare(scenario, holders, players) {
  const rich = upTo(players).map((count) => heldBy(scenario, holders, count - 1)).find((held) => held.length > 1);
  return rich?.at(-1);
}

const heldBy = (scenario, holders, player) => scenario.characters.filter(({ id }) => holders[id] === player);

function whyNot(scenario, seated, holders) {
  const doubled = seated.find((name, at) => seated.indexOf(name) !== at);
  if (doubled) return `Two players are called ${doubled}: give one another name.`;
  const idle = seated.find((_, at) => !heldBy(scenario, holders, at).length);
  if (idle) return `${idle} has no Character yet: choose one.`;
  const held = Object.values(holders).filter((player) => player !== undefined).length;
  return held > scenario.most ? `This scenario has places for ${scenario.most} Characters.` : "";
}

const told = (scenario, seated, holders) =>
  seated.map((name, at) => `${name} plays ${heldBy(scenario, holders, at).map((one) => one.name).join(" and ")}`).join(", ") + ".";

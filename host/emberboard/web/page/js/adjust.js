// What a group changes by agreement: HP, counters, where a figure stands, cards, tokens in the bag, marks.

import { Select } from "./select.js";
import { html, useState } from "./ui.js";

function Stepper({ label, value, set, low = 0, high = 99 }) {
  return html`<span class="row stepper" role="group" aria-label=${label}>
    <button class="small" aria-label=${`${label} less`} disabled=${value <= low} onClick=${() => set(value - 1)}>−</button>
    <b>${value}</b>
    <button class="small" aria-label=${`${label} more`} disabled=${value >= high} onClick=${() => set(value + 1)}>+</button></span>`;
}

const Row = ({ label, children }) => html`<div class="row adjusted"><span class="what">${label}</span>${children}</div>`;

function One({ label, now, low, high, give }) {
  const [value, setValue] = useState(now);
  return html`<${Row} label=${label}><${Stepper} label=${label} value=${value} set=${setValue} low=${low} high=${high} />
    <button class="small" disabled=${value === now} onClick=${() => give(value)}>Set</button><//>`;
}

export function Adjust({ store, view, close }) {
  const { fight } = view;
  const figures = fight.scene.figures ?? [];
  const [who, setWho] = useState(figures[0]?.id ?? "");
  const [mark, setMark] = useState("");
  const figure = figures.find((one) => one.id === who);
  const board = fight.boards.find((one) => one.id === who);
  const name = figure?.name ?? board?.name ?? who;
  const give = (change) => store.ask("adjust", { change });
  const [bag, setBag] = useState(fight.scene.bag ?? {});
  if (!fight.can.adjust) return html`<p class="quiet">That is possible between Actions: finish what is asked first.</p>`;
  const place = () => {
    store.picking = { words: `Tap the space where ${name} stands.`, then: (cell) => give({ who, at: cell.join(",") }) };
    close();
    store.tell();
  };
  return html`<div class="adjust stack">
    <label>Whom? <${Select} value=${who} set=${setWho} options=${figures.map((one) => [one.id, one.name])} /></label>
    ${figure && html`
      ${figure.hp_max ? html`<${One} key=${`${who} hp ${figure.hp}`} label="HP" now=${figure.hp} low=${1} high=${board ? figure.hp_max : 99} give=${(value) => give({ who, hp: value })} />` : null}
      ${(board?.counters ?? []).map(([label, now]) => html`<${One} key=${`${who} ${label} ${now}`} label=${label} now=${now} give=${(value) => give({ who, [label.toLowerCase()]: value })} />`)}
      <${Row} label=${`Stands on ${figure.at}`}><button class="small" data-do="place" onClick=${place}>Another space ...</button><//>
      ${(board?.cards ?? []).filter((card) => card.id).map((card) => html`<${Row} label=${`${card.name}, ${card.light ? "light" : "dark"} side up`}>
        <button class="small" onClick=${() => give({ who, card: card.id })}>Turn over</button><//>`)}`}
    ${Object.keys(bag).length > 0 && html`<${Row} label="Bag">
      ${Object.entries(bag).map(([kind, count]) => html`<span class="row">${kind} <${Stepper} label=${kind} value=${count} set=${(value) => setBag({ ...bag, [kind]: value })} /></span>`)}
      <button class="small" onClick=${() => give({ bag })}>Set</button><//>`}
    <div class="row adjusted"><label class="what">Mark <input size="4" maxlength="12" value=${mark} onInput=${(event) => setMark(event.target.value)} /></label>
      <button class="small" disabled=${!mark.trim()} onClick=${() => give({ mark: mark.trim() })}>Set or clear</button></div>
  </div>`;
}

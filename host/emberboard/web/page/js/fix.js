// Taking back further than one decision, and putting an earlier answer right (a mis-keyed die).

import { useAsked } from "./asked.js";
import { facesOf } from "./draft.js";
import { Select } from "./select.js";
import { html, useState } from "./ui.js";

function Dice({ question, value, set }) {
  const put = (group, nth, face) => set(value.map((faces, at) => (at === group ? faces.map((old, i) => (i === nth ? face : old)) : faces)));
  return question.dice.map((wanted, group) => html`<span class="row">${value[group].map((face, nth) => html`
    <${Select} label=${`die ${nth + 1}`} value=${face} options=${facesOf(wanted).map((one) => [one, one])}
      set=${(text) => put(group, nth, facesOf(wanted).find((one) => String(one) === text))} />`)}</span>`);
}

function Several({ question, value, set }) {
  const flip = (id) => set(value.includes(id) ? value.filter((one) => one !== id) : [...value, id]);
  return question.options.map((option) => html`<button class="small" aria-pressed=${value.includes(option.id)}
    onClick=${() => flip(option.id)}>${option.label || option.id}</button>`);
}

function Editor({ question, value, set }) {
  const labelled = (question.options ?? []).map((option) => [option.id, option.label || option.id]);
  switch (question.kind) {
    case "roll":
      return html`<${Dice} question=${question} value=${value} set=${set} />`;
    case "draw":
      return html`<${Select} label="drawn" value=${value} set=${set} options=${Object.keys(question.contents).map((kind) => [kind, kind])} />`;
    case "confirm":
      return html`<${Select} label="answer" value=${value ? "yes" : "no"} set=${(text) => set(text === "yes")} options=${[["yes", "yes"], ["no", "no"]]} />`;
    case "number":
      return html`<input type="number" min=${question.low} max=${question.high} value=${value} onInput=${(event) => set(Number(event.target.value))} />`;
    case "choose":
    case "place":
      return Array.isArray(value) ? html`<${Several} question=${question} value=${value} set=${set} />`
        : html`<${Select} label=${question.kind === "place" ? "space" : "answer"} value=${value} set=${set} options=${labelled} />`;
    default:
      return null;
  }
}

const FIXED = ["roll", "draw", "confirm", "number", "choose", "place"];

function Earlier({ store, one, done }) {
  const [value, setValue] = useState(undefined);
  const fix = async () => {
    if (await store.ask("fix", { entry: one.entry, value })) done();
  };
  const back = async () => {
    if (await store.ask("undo", { count: one.back })) done();
  };
  return html`<li>
    <p><b>${one.words}</b> <span class="quiet">${one.about}</span></p>
    ${value === undefined ? html`<div class="row">
      ${one.back && html`<button class="small" data-do="back-to" onClick=${back}>Take back to here</button>`}
      ${one.question && FIXED.includes(one.question.kind) && html`<button class="small" data-do="put-right" onClick=${() => setValue(one.value)}>Put right</button>`}
    </div>` : html`<div class="row"><${Editor} question=${one.question} value=${value} set=${setValue} />
      <button class="main small" data-do="fix" onClick=${fix}>Play on from this</button>
      <button class="small" onClick=${() => setValue(undefined)}>Leave it</button></div>`}
  </li>`;
}

export function Fix({ store, view, close }) {
  const found = useAsked(store, `fixable at ${view.fight.question?.id}`, async () => [await store.ask("fixable")].flat().filter((one) => one?.entry));
  if (!found) return html`<p class="quiet">Looking back ...</p>`;
  if (!found.length) return html`<p class="quiet">Nothing has been answered yet.</p>`;
  return html`<p class="quiet">A wrong die or answer can be put right: all that still fits after it is played again.</p>
    <ol class="earlier">${found.map((one) => html`<${Earlier} store=${store} one=${one} done=${close} key=${one.entry} />`)}</ol>`;
}

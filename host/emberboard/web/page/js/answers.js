// The buttons that answer a question. All of them take what each kind of question is drawn from: the store, the view and
// its fight, the seats that the page speaks for, the question and the draft of its answer.

import { answer, change, draftOf, isSingle, pick, ready, roll } from "./draft.js";
import { cellWords } from "./cells.js";
import { html } from "./ui.js";

/** The number that answers on the table's keys. `kind` is `option` or `offer`. */
export function Hint({ fight, kind = "option", id }) {
  const number = fight.numbered.find((line) => line[kind] === id)?.number;
  return number < 10 ? html`<kbd>${number}</kbd>` : null;
}

/** Answers with `value`, which is called `id` where it is no word itself. */
export function Answer({ store, view, seats, draft, value, id = value, look = "", children }) {
  return html`<button class=${look} data-option=${id} disabled=${draft.busy} onClick=${() => answer(store, view, seats, value)}>${children}</button>`;
}

/** One of a question's options, which answers or is picked along with others. */
export function OptionButton({ store, view, seats, option }) {
  const { fight } = view;
  const { question } = fight;
  const draft = draftOf(store, question);
  const place = draft.picked.indexOf(option.id);
  const words = option.label || option.id;
  const order = question.kind === "order";
  const space = option.at && words === cellWords(option.at) ? "space " : "";
  const hover = (id) => () => draft.hover !== id && change(store, { hover: id });
  return html`<button class="option" data-option=${option.id} disabled=${draft.busy}
    aria-pressed=${isSingle(question) ? undefined : place >= 0}
    onMouseEnter=${hover(option.id)} onMouseLeave=${hover("")} onFocus=${hover(option.id)} onBlur=${hover("")}
    onClick=${() => pick(store, view, seats, option.id)}>
    ${order && place >= 0 && html`<b class="place">${place + 1}.</b>`}
    <span class="label">${space}${words}${option.note && html`<small>${option.note}</small>`}</span>
    <${Hint} fight=${fight} id=${option.id} />
  </button>`;
}

/** Hands in what is there, once it is enough. */
export function Ok({ store, view, seats, draft, words = "OK" }) {
  const act = ready(store, view, seats);
  return html`<button class="main" data-do="ok" disabled=${!act || draft.busy} onClick=${act}>${words} <kbd>Enter</kbd></button>`;
}

/** Lets the program roll or draw. */
export function RollForMe({ store, view, seats, draft, what, or }) {
  return html`<div class="row">
    <button class="main" data-do="roll" disabled=${draft.busy} onClick=${() => roll(store, view, seats)}>${what} for me <kbd>R</kbd></button>
    <span class="quiet">or ${or}:</span></div>`;
}

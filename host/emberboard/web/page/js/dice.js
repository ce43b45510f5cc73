// The dice tray: faces of real dice keyed in one by one, in the order that the question says, or the program's dice.

import { Ok, RollForMe } from "./answers.js";
import { addFace, change, facesOf, rowOf } from "./draft.js";
import { nameIn } from "./figures.js";
import { html } from "./ui.js";

function wantedWords(fight, wanted) {
  const named = wanted.name ? ` (${wanted.name})` : "";
  return `${nameIn(fight, wanted.owner)}: ${wanted.count} ${wanted.kind.toUpperCase()}${named}`;
}

function Group({ fight, wanted, faces, from, now }) {
  const slots = Array.from({ length: wanted.count }, (_, nth) => {
    const face = faces[from + nth];
    const again = wanted.positions?.length ? `die ${wanted.positions[nth] + 1}` : "";
    const label = face !== undefined ? String(face) : `${again || `die ${nth + 1}`}, not in yet`;
    return html`<span class=${`die ${face !== undefined ? "in" : ""} ${from + nth === now ? "next" : ""}`}
      role="img" aria-label=${label}>${face ?? again}</span>`;
  });
  return html`<div class="row dice-group"><b>${wantedWords(fight, wanted)}</b><span class="row dice">${slots}</span></div>`;
}

export function DiceTray(props) {
  const { store, view, fight, question, draft } = props;
  const row = rowOf(question);
  const next = row[draft.faces.length];
  const words = Object.fromEntries(Object.entries(next?.wanted.symbols ?? {}).map(([word, value]) => [value, word]));
  let from = 0;
  const groups = question.dice.map((wanted) => {
    const shown = html`<${Group} fight=${fight} wanted=${wanted} faces=${draft.faces} from=${from} now=${draft.faces.length} />`;
    from += wanted.count;
    return shown;
  });
  return html`<div class="stack">
    ${groups}
    ${!draft.faces.length && html`<${RollForMe} ...${props} what="Roll" or="tap what your dice show" />`}
    ${next && html`<div class="faces" role="group" aria-label="What the die shows">
      ${facesOf(next.wanted).map((face) => html`<button data-face=${face} disabled=${draft.busy}
        aria-label=${words[face] ? `${face}, ${words[face]}` : String(face)} onClick=${() => addFace(store, view, face)}>
        ${face}${words[face] && html`<small>${words[face]}</small>`}</button>`)}
    </div>`}
    ${draft.faces.length > 0 && html`<div class="row">
      <${Ok} ...${props} />
      <button data-do="take-die-back" onClick=${() => change(store, { faces: draft.faces.slice(0, -1) })}>Take a die back</button>
    </div>`}
  </div>`;
}

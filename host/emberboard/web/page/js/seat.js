// A seat's own face: my question, my Characters, what I can do now and why not the rest. Made for a phone in one hand.

import { Board } from "./board.js";
import { CapsuleButton } from "./capsule.js";
import { CharacterBoard } from "./character.js";
import { SeatChoice } from "./seatchoice.js";
import { Moments } from "./moments.js";
import { useNotNow } from "./notnow.js";
import { QuestionPanel } from "./question.js";
import { Turn, turnOf } from "./turn.js";
import { html, listed, useEffect, useState } from "./ui.js";

const LAST_LINES = 8;
const LONG = 80;
const OPEN_BOARDS = 2;

export function SeatView({ store, view }) {
  const mine = view.you.seats;
  const [looking, setLooking] = useState(false);
  const [choosing, setChoosing] = useState(false);
  if (choosing || (!mine.length && !looking)) {
    return html`<${SeatChoice} store=${store} view=${view} done=${() => setChoosing(false)}
      look=${() => { setLooking(true); setChoosing(false); }} />`;
  }
  return html`<${Sitting} store=${store} view=${view} mine=${mine} choose=${() => setChoosing(true)} />`;
}

function Sitting({ store, view, mine, choose }) {
  const { fight } = view;
  const { question } = fight;
  const both = { store, view, mine };
  const refusals = useNotNow(store, fight, mine);
  const turn = turnOf(view, mine);
  const [folded, setFolded] = useState(false);
  useEffect(() => setFolded(false), [question?.id]);
  const boards = mine.length ? fight.boards.filter((one) => mine.includes(one.seat)) : fight.boards;
  const onBoard = turn.asked && ["place", "path"].includes(question.kind);
  return html`
    <main class=${`stack seat ${turn.own ? "my-turn" : ""} ${onBoard ? "on-board" : ""}`}>
      <header class="row seat-head">
        <h1 class="one-line">${mine.length ? listed(mine) : "Watching"}</h1>
        <span class="quiet">Round ${fight.scene.round}</span>
        <button class="small" data-do="seats" onClick=${choose}>${mine.length ? "Seats" : "Take a seat"}</button>
        <a class="button small" href="#table">Table</a>
      </header>
      <div class=${`seat-sheet ${folded ? "folded" : ""}`}>
        <${Turn} turn=${turn} folded=${folded} fold=${() => setFolded(!folded)} />
        <div class=${`seat-ask ${(question?.prompt ?? "").length > LONG ? "long" : ""}`}><${QuestionPanel} ...${both} seats=${mine} big=${true} /></div>
        ${mine.length > 0 && fight.phase !== "over" && html`<${Moments} ...${both} />`}
      </div>
      <div class="stack seat-scroll">
        <${Private} store=${store} mine=${mine} />
        <section class="seat-boards" aria-label=${mine.length ? "My Characters" : "All Characters"}>
          ${boards.map((board) => html`
            <${CharacterBoard} key=${board.id} ...${both} board=${board}
              refusals=${refusals.filter((one) => one.about === board.id)} alone=${boards.length <= OPEN_BOARDS} />`)}
        </section>
        <section class="seat-table" aria-label="The table"><${Board} ...${both} seats=${mine} /></section>
        <${Last} store=${store} />
        ${mine.length > 0 && html`<div><${CapsuleButton} store=${store} /></div>`}
      </div>
    </main>`;
}

function Private({ store, mine }) {
  const lines = store.log.filter(({ note }) => note.seat && mine.includes(note.seat)).slice(-LAST_LINES);
  if (!lines.length) return null;
  return html`<section class="private" aria-label="Only for you"><h2>Only for you</h2>
    <ul>${lines.map(({ id, note }) => html`<li key=${id}>${mine.length > 1 && html`<b>${note.seat}: </b>`}${note.text}</li>`)}</ul></section>`;
}

function Last({ store }) {
  const lines = store.log.filter(({ note }) => !note.seat).slice(-LAST_LINES);
  return html`<section class="seat-last" aria-label="What happened last"><h2>What happened last</h2>
    <ol id="log" class="lines" aria-live="off">${lines.map(({ id, note }) => html`<li key=${id}>${note.text}</li>`)}</ol></section>`;
}

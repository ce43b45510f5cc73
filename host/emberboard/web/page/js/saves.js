// One save as a card: a picture of the table, who plays, the last lines of the log, and what can be done with it.

import { html, useEffect, useRef, useState } from "./ui.js";

const LARGEST = 64 * 1024 * 1024;

/**
 * A save with its buttons; `names` are Characters' names by id, `changed` is called when the list is another,
 * `playing` says that this fight is on the table.
 */
export function SaveCard({ store, save, names, changed, playing, main }) {
  const [asking, setAsking] = useState(null);
  const picture = usePicture(save.picture);
  const [busy, setBusy] = useState(false);

  const goOn = async (agree) => {
    setBusy(true);
    try {
      await store.ask("go on", { save: save.name, agree }, { quiet: true });
      location.hash = "#table";
    } catch (refused) {
      if (refused.data?.agree) setAsking({ about: "lost", words: refused.message, lost: refused.data.lost ?? [] });
      else store.say(refused.message, "refused");
    }
    setBusy(false);
  };
  const remove = async () => {
    if ((await store.ask("delete", { save: save.name, sure: true })) === null) return;
    store.say("The fight is in the trash.");
    changed();
  };
  const file = `/saves/${encodeURIComponent(save.name)}.ember`;
  return html`
    <article class=${`save panel ${main ? "main-save" : ""}`} data-save=${save.name}>
      ${picture.source
        ? html`<img class="save-picture" src=${picture.source} alt=${`The table as you left it: ${picture.words}`} />`
        : html`<div class="save-picture none" aria-hidden="true"></div>`}
      <div class="save-words">
        <h3>${save.title || save.name}</h3>
        <p class="save-who">${whoPlays(save.seats, names)}</p>
        <p class="quiet">${[when(save.played), roundOf(picture.words), save.finished && "finished"].filter(Boolean).join(", ")}</p>
        ${save.damaged && html`<p class="boxed dashed save-damaged"><strong>This save is damaged.</strong> ${save.damaged}</p>`}
        ${save.log.length > 0 && html`<ol class="lines save-log">${save.log.map((line) => html`<li>${line}</li>`)}</ol>`}
      </div>
      ${asking ? html`<${Second} asking=${asking} no=${() => setAsking(null)} yes=${() => (asking.about === "lost" ? goOn(true) : remove())} />` : html`
        <div class="row save-buttons">
          ${playing
            ? html`<a class="button main big" data-do="back" href="#table">Back to the table</a>`
            : html`<button class=${main ? "main big" : ""} data-do="go-on-save" disabled=${busy} onClick=${() => goOn(false)}>${goOnWords(save)}</button>`}
          ${!save.damaged && html`<a class="button" data-do="export" href=${file} download=${`${save.name}.ember`}>Save as a file</a>`}
          ${!playing && html`<button data-do="delete" onClick=${() => setAsking({ about: "delete", words: "Move this fight to the trash?", lost: [] })}>Delete</button>`}
        </div>`}
    </article>`;
}

function usePicture(address) {
  const [picture, setPicture] = useState({ source: "", words: "" });
  useEffect(() => {
    let source = "";
    const left = new AbortController();
    const look = async () => {
      const answer = await fetch(address, { signal: left.signal });
      if (!answer.ok) return;
      const drawing = await answer.text();
      const title = new DOMParser().parseFromString(drawing, "image/svg+xml").querySelector("title");
      source = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
      setPicture({ source, words: title?.textContent ?? "" });
    };
    // A picture that does not come is only a picture less.
    look().catch(() => setPicture({ source: "", words: "" }));
    return () => {
      left.abort();
      URL.revokeObjectURL(source);
    };
  }, [address]);
  return picture;
}

const roundOf = (words) => /^Round \d+/.exec(words)?.[0];

function goOnWords(save) {
  if (save.damaged) return "Try to recover it";
  return save.finished ? "Look at it again" : "Go on";
}

function Second({ asking, yes, no }) {
  const { words, lost, about } = asking;
  const safe = useRef(null);
  useEffect(() => safe.current.focus(), []);
  return html`
    <div class="second" role="alertdialog" aria-label=${words}>
      <p><strong>${words}</strong></p>
      ${lost.length > 0 && html`
        <p>This would be given up:</p>
        <ul>${lost.slice(0, 8).map((line) => html`<li>${line}</li>`)}${lost.length > 8 && html`<li>and ${lost.length - 8} more</li>`}</ul>`}
      <div class="row">
        <button data-do="sure" class="grave" onClick=${yes}>${about === "lost" ? "Go on without them" : "Yes, delete it"}</button>
        <button data-do="not-sure" ref=${safe} onClick=${no}>${about === "lost" ? "Leave it as it is" : "No, keep it"}</button>
      </div>
    </div>`;
}

/** Bringing a save in: with the file picker, or by dropping it here. */
export function Bring({ store, changed }) {
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const picker = useRef(null);

  const bring = async (file) => {
    if (!file) return;
    if (file.size > LARGEST) {
      store.say(`${file.name} is larger than any save. Choose an exported save (.ember).`, "refused");
      return;
    }
    setBusy(true);
    try {
      const answer = await fetch(`/saves?name=${encodeURIComponent(file.name.slice(-120))}`, { method: "POST", body: file });
      if (answer.ok) {
        store.say(`${file.name} is among your fights now.`);
        changed();
      } else {
        store.say(await answer.text(), "refused");
      }
    } catch {
      store.say("The table cannot be reached just now. Bring the file in again.", "refused");
    }
    setBusy(false);
    if (picker.current) picker.current.value = "";
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    bring(event.dataTransfer.files[0]);
  };
  return html`
    <div class=${`row boxed dashed bring ${over ? "over" : ""}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave=${() => setOver(false)} onDrop=${dropped}>
      <input ref=${picker} id="bring" class="offscreen" type="file" accept=".ember" disabled=${busy}
        onChange=${(event) => bring(event.target.files[0])} />
      <label for="bring" class="button">${busy ? "Bringing it in ..." : "Bring in a saved file"}</label>
      <span class="quiet">or drop it here</span>
    </div>`;
}

function whoPlays(seats, names) {
  const told = Object.entries(seats ?? {}).map(([seat, held]) => {
    const who = [held].flat().map((id) => names.get(id) ?? String(id));
    return `${seat}: ${who.join(" and ")}`;
  });
  return told.join(" · ");
}

/** A moment as people say it: today and yesterday by the clock, older ones by the day. */
function when(iso, now = new Date()) {
  const then = new Date(iso);
  const days = Math.round((midnight(now) - midnight(then)) / 86400000);
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (days === 0) return `Today, ${clock}`;
  if (days === 1) return `Yesterday, ${clock}`;
  return then.toLocaleDateString([], { day: "numeric", month: "long", year: days > 300 ? "numeric" : undefined });
}

const midnight = (day) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();

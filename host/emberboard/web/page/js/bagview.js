// The Initiative bag, the tokens beside it, and the reader between them: a token is dragged to the reader and lies
// there until it is clicked, or is clicked and only shown.

import { over } from "./drag.js";
import { html, useRef, useState } from "./ui.js";
import { useLamps } from "./tiles.js";

const MARKS = { white: "○", black: "●", dual: "◐" };

function stacks(tags, kinds) {
  const by = {};
  for (const tag of tags) (by[kinds[tag] ?? "unknown"] ??= []).push(tag);
  return Object.entries(by);
}

function Stack({ kind, tags, act, carrier, drop }) {
  const label = `${MARKS[kind] ?? "◇"} ${kind}`;
  return html`<button class="tok" data-token=${kind} aria-label=${`${kind}, ${tags.length}`}
    onPointerDown=${(event) => carrier.follow(event, { label, look: "tok" }, { drop: (x, y) => drop(tags[0], x, y), click: () => act(tags[0]) })}
    onClick=${(event) => event.detail === 0 && act(tags[0])}>${label} <b>×${tags.length}</b></button>`;
}

export function BagView({ store, view, carrier }) {
  const kinds = view.hall.tags;
  const { inside, tokens } = useLamps(store, (lamps) => ({ inside: lamps.inside ?? [], tokens: lamps.tokens }));
  const [busy, setBusy] = useState(false);
  const reader = useRef(null);
  const outside = Object.keys(kinds).filter((tag) => !inside.includes(tag) && !tokens.includes(tag));
  const free = inside.filter((tag) => !tokens.includes(tag));
  const show = async (tag) => {
    if (busy) return;
    setBusy(true);
    await store.ask("finger", { what: "show", name: tag });
    setBusy(false);
  };
  const drop = (tag, x, y) => over(reader.current, x, y) && store.ask("finger", { what: "tag", name: tag });
  const blind = () => free.length && show(free[Math.floor(Math.random() * free.length)]);
  const row = (tags) => stacks(tags, kinds).map(([kind, some]) => html`<${Stack} kind=${kind} tags=${some} act=${show} carrier=${carrier} drop=${drop} key=${kind} />`);
  return html`<section class="stack" aria-label="Initiative bag"><h3>Initiative bag</h3>
    <span class="quiet where">In the bag${free.length ? "" : ": nothing"}</span>
    <div class="tokens">${row(free)}</div>
    <span class="quiet where">Outside</span>
    <div class="tokens">${row(outside)}</div>
    <div class="row">
      <button class="small" data-do="draw-blind" disabled=${busy || !free.length} onClick=${blind}>Draw one blind</button>
      <div class=${`row boxed dashed reader ${tokens.length ? "on" : ""}`} ref=${reader} aria-label="Token reader">
        ${tokens.length ? tokens.map((tag) => html`<button class="tok" onClick=${() => store.ask("finger", { what: "untag", name: tag })}>
          ${MARKS[kinds[tag]] ?? "◇"} take away</button>`) : html`<span class="quiet">${busy ? "reading ..." : "reader"}</span>`}
      </div>
    </div>
  </section>`;
}

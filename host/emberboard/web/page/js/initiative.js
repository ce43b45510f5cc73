// Whose turn it is: the Round, the initiative row and the bag.

import { html, useEffect, useRef } from "./ui.js";

const SIGNS = { party: "●", enemy: "◆" };

function state(one) {
  if (one.active) return "acts now";
  return one.acted ? "has acted" : "waits";
}

export function InitiativeRow({ scene }) {
  const list = useRef(null);
  const active = (scene.row ?? []).find((one) => one.active)?.id ?? "";
  useEffect(() => {
    const entry = list.current.querySelector(".active");
    list.current.scrollLeft = entry ? entry.offsetLeft - list.current.clientWidth / 3 : 0;
  }, [active]);
  return html`<ol class="row initiative" ref=${list} aria-label="Initiative row">${(scene.row ?? []).map((one) => html`
    <li class=${`row entry side-${one.side} ${one.active ? "active" : one.acted ? "acted" : ""}`} key=${one.id}
      aria-current=${one.active ? "true" : undefined} title=${`${one.name}: ${state(one)}`}>
      <span class="sign" aria-hidden="true">${SIGNS[one.side] ?? "■"}</span>${one.name}
      ${one.token && html`<span class=${`token token-${one.token}`} title=${`${one.token} token`}></span>`}
      ${one.note && one.note !== "standing" && html`<small>${one.note}</small>`}
      <span class="offscreen">, ${state(one)}</span></li>`)}</ol>`;
}

export function Bag({ bag }) {
  const kinds = Object.entries(bag ?? {});
  if (!kinds.length) return null;
  return html`<p class="row bag"><span class="quiet">Initiative bag</span>${kinds.map(([kind, count]) => html`
    <span class=${count ? "" : "none"}><span class=${`token token-${kind}`} aria-hidden="true"></span>${count} ${kind}</span>`)}</p>`;
}

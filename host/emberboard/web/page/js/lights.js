// A tile's light as it really is: its role's colour and the mark of its pattern, both from the table's theme (/theme.css).

import { square } from "./cells.js";
import { html, roleClass } from "./ui.js";

const known = new Map();

/** What the theme says of a role: its pattern and the mark that stands for it. */
export function lookOf(role) {
  if (known.has(role)) return known.get(role);
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  const mark = read(`--${roleClass(role)}-mark`);
  const look = {
    pattern: read(`--${roleClass(role)}-pattern`) || "steady",
    path: read(`--mark-${mark}-path`).replaceAll('"', ""),
    stroke: Number(read(`--mark-${mark}-stroke`)) || 0,
  };
  if (mark) known.set(role, look);
  return look;
}

/** The light of the tile whose corner is at x, y: a frame in its colour, and its mark in the corner. */
export function Light({ role, x, y }) {
  const { pattern, path, stroke } = lookOf(role);
  return html`<g class=${`light ${roleClass(role)} pattern-${pattern}`} transform=${`translate(${x},${y})`}>
    ${square([0, 0], 4, "glow")}
    ${square([0, 0], 7, "frame", { rx: 8 })}
    <path class="corner" d="M4 14a10 10 0 0 1 10-10h22v18a14 14 0 0 1-14 14h-18z" />
    ${path && html`<path class="mark" transform="translate(5,5) scale(1.12)" d=${path} fill=${stroke ? "none" : "var(--text)"}
      stroke=${stroke ? "var(--text)" : "none"} stroke-width=${stroke} />`}
  </g>`;
}

const WORDS = {
  "put here": "put it here", lift: "lift this", wrong: "not here", path: "the way", option: "can be chosen", reachable: "can be reached",
  threatened: "is attacked", active: "acts now", area: "is covered", danger: "dangerous",
};

/** A light's role in players' words. */
export const roleWords = (role) => WORDS[role] ?? role;

/** What the lights mean, for those in use. */
export function Legend({ lights }) {
  return html`<ul class="row quiet legend" aria-label="What the lights mean">${[...new Set(Object.values(lights))].map((role) => html`<li class="row" key=${role}>
    <svg viewBox="0 0 100 100" aria-hidden="true"><${Light} role=${role} x=${0} y=${0} /></svg>${roleWords(role)}</li>`)}</ul>`;
}

// Figures and tokens on the board. A member of the party is a circle, an Enemy a diamond; letters, names and numbers say
// what the colours say.

import { U, diamond } from "./cells.js";
import { html, listed } from "./ui.js";

const NAME_FITS = 8;

/** Two letters, or an Enemy's own letter, for the middle of a figure. */
export function initials(figure) {
  if (figure.letter) return figure.letter;
  const words = plain(figure.name).split(/\s+/);
  return words.length > 1 ? words[0][0] + words[1][0] : figure.name.slice(0, 2);
}

/** A name without what stands in brackets after it: that is for its title. */
const plain = (name) => name.replace(/\s*\(.*\)$/, "");
const short = (name) => (plain(name).length <= NAME_FITS ? plain(name) : plain(name).split(/\s+/).at(-1).slice(0, NAME_FITS));

/** What an id is called on this table: a Character, an Enemy, a card of the row; the id itself where nothing is known. */
export function nameIn(fight, id) {
  const { figures = [], row = [], tokens = [] } = fight.scene;
  return [...fight.boards, ...figures, ...row, ...tokens].find((one) => one.id === id)?.name ?? id;
}

/** A figure in words, as the board reads it out. */
export function figureWords(figure, acting) {
  const hp = (figure.hp ?? null) !== null && `${figure.hp} of ${figure.hp_max} HP`;
  const status = figure.status !== "standing" && figure.status;
  return listed([figure.name, figure.side === "enemy" && "Enemy", hp, status, ...(figure.conditions ?? []), acting && "acts now"].filter(Boolean));
}

/** Whether it is this figure's turn: the row names a card or a Character, of which the figure may be one of several. */
export const acts = (figure, row) => (row ?? []).some((one) => one.active && (one.id === figure.id || figure.id.startsWith(`${one.id}:`)));

function Chips({ words, x }) {
  if (!words.length) return null;
  return html`<g class="chip" transform=${`translate(${x},4)`}><rect x="-60" width="60" height="20" rx="5" /><text x="-30" y="15.5">${words[0].slice(0, 6)}</text>
    ${words.length > 1 && html`<rect x="-24" y="22" width="24" height="18" rx="5" /><text x="-12" y="36">+${words.length - 1}</text>`}</g>`;
}

export function Figure({ figure, acting, asked }) {
  const size = figure.size ?? 1;
  const side = size * U;
  const mid = side / 2;
  const r = 34 * size;
  const cy = mid - 11;
  const hp = figure.hp_max ? Math.max(0, Math.min(1, figure.hp / figure.hp_max)) : null;
  const look = `figure side-${figure.side} paint-${figure.colour || "none"} ${figure.status === "knocked out" ? "down" : ""}`;
  const outline = figure.side === "party"
    ? html`<circle class="body" cx=${mid} cy=${cy} r=${r} />`
    : html`<path class="body" d=${diamond(mid, cy, r + 6)} />`;
  const low = side - 26;
  const hurt = figure.hp_max > 1 ? String(figure.hp) : "";
  const tight = short(figure.name).length + hurt.length > 6;
  return html`<g class=${look} data-figure=${figure.id} transform=${`translate(${figure.at[0] * U},${figure.at[1] * U})`}>
    <title>${figureWords(figure, acting)}</title>
    ${[acting && "halo", asked && "asked"].map((look) => look && html`<circle class=${look} cx=${mid} cy=${cy} r=${r + 9} />`)}
    ${outline}
    <text class="letters" x=${mid} y=${cy + 11 * size} font-size=${32 * size}>${initials(figure)}</text>
    <g class="plate">
      <rect class="back" x="3" y=${low} width=${side - 6} height="24" rx="6" />
      ${hp !== null && html`<rect class="hp" x="3" y=${low} width=${(side - 6) * hp} height="24" rx="6" />`}
      <text x=${mid} y=${low + 19}><tspan class="called" lengthAdjust="spacingAndGlyphs"
        textLength=${tight ? side - 14 - 12 * hurt.length : undefined}>${short(figure.name)}${hurt && "\u00a0"}</tspan>${hurt}</text>
    </g>
    <${Chips} words=${figure.conditions ?? []} x=${side - 2} />
  </g>`;
}

export function Token({ token, covered }) {
  const [x, y] = [token.at[0] * U, token.at[1] * U];
  const r = covered ? 15 : 26;
  const [cx, cy] = covered ? [x + 20, y + 58] : [x + 50, y + 44];
  return html`<g class="lying"><title>${token.name}</title>
    <rect x=${cx - r} y=${cy - r} width=${2 * r} height=${2 * r} rx="7" />
    <text x=${cx} y=${cy + r / 3} font-size=${r}>${initials({ name: token.name })}</text>
    ${!covered && html`<text class="name" x=${x + 50} y=${y + 92}>${short(token.name)}</text>`}
  </g>`;
}

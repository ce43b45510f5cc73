// Cells as both drawings of the table know them: the board's, and the virtual tiles'.

import { html } from "./ui.js";

/** A cell's side in the drawings' own units. */
export const U = 100;

/** The step of each arrow key. */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** A cell as players say it, which also names it in maps and addresses; and back. */
export const cellWords = (cell) => cell.join(",");
export const cellOf = (words) => words.split(",").map(Number);

export const same = (a, b) => a[0] === b[0] && a[1] === b[1];

/** The cells under a figure of `size` cells a side. */
export const cellsUnder = ([x, y], size = 1) =>
  Array.from({ length: size * size }, (_, n) => [x + (n % size), y + Math.floor(n / size)]);

/** Every cell, row by row. */
export const cellsOf = (columns, rows) => Array.from({ length: columns * rows }, (_, n) => [n % columns, Math.floor(n / columns)]);

/** The middle of a cell. */
export const middle = ([x, y]) => [x * U + U / 2, y * U + U / 2];

/** A square on a cell, `inset` from its sides. */
export function square([x, y], inset, look, more) {
  const side = U - 2 * inset;
  return html`<rect class=${look} x=${x * U + inset} y=${y * U + inset} width=${side} height=${side} rx="10" ...${more} />`;
}

/** A diamond around a point: an Enemy's outline. */
export const diamond = (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;

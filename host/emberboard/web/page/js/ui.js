// What all views share: html templates, and hooks on the store.

import { html, render, useEffect, useState } from "../vendor/preact-htm.js";

export { html, render };
export * from "../vendor/preact-htm.js";

/** Draw again whenever the store tells. */
export function useStore(store) {
  const [, draw] = useState(0);
  useEffect(() => store.listen(() => draw((n) => n + 1)), [store]);
  return store;
}

/** The role of a tile as a class: `put here` is `role-put-here`. */
export const roleClass = (role) => (role ? `role-${role.replaceAll(" ", "-")}` : "");

/** A cell as players say it. */
export const cellWords = (cell) => `${cell[0]},${cell[1]}`;

/** Plain words for a seat or name list. */
export const listed = (names) => names.join(", ");

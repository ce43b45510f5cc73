// What all views share: html templates, and small words.

import { html, useState } from "../vendor/preact-htm.js";

export * from "../vendor/preact-htm.js";

/** The role of a tile as a class: `put here` is `role-put-here`. */
export const roleClass = (role) => (role ? `role-${role.replaceAll(" ", "-")}` : "");

/** Plain words for a seat or name list. */
export const listed = (names) => names.join(", ");

/** The first `most` of a list of words, and how many more there are. */
export const few = (words, most) => listed(words.length > most ? [...words.slice(0, most), `and ${words.length - most} more`] : words);

/** Words as a sentence begins. */
export const capital = (words) => words.replace(/^./, (first) => first.toUpperCase());

/** Who decides: "Ann decides", "Ann, Ben decide". */
export const decide = (who) => `${listed(who)} ${who.length > 1 ? "decide" : "decides"}`;

/** A checkbox: what was clicked is shown at once, the host's word follows. */
export function Switch({ name, on, turn, children }) {
  const [wish, setWish] = useState(null);
  const change = async (event) => {
    setWish(event.currentTarget.checked);
    await turn(event.currentTarget.checked);
    setWish(null);
  };
  return html`<label class="check"><input type="checkbox" data-do=${name} checked=${wish ?? on} onChange=${change} />
    <span>${children}</span></label>`;
}

import { html } from "./ui.js";

/** Saves and new fights. */
export function Home() {
  return html`<main><h1>Emberboard</h1></main>`;
}

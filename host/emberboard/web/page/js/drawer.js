// The handle of the virtual hardware on the table's face. What it opens is loaded only then: phones never need it.

import { useKeys } from "./keys.js";
import { html, useEffect, useState } from "./ui.js";

const KEPT = "emberboard virtual";

async function load() {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/virtual.css" });
  await new Promise((done, failed) => document.head.append(Object.assign(sheet, { onload: done, onerror: failed })));
  return import("./virtual.js");
}

let loading = null;

/** V and the handle open and close the drawer; over a reload it stays as it is. */
export function VirtualPanel({ store, view }) {
  const [open, setOpen] = useState(() => sessionStorage.getItem(KEPT) === "open");
  const [parts, setParts] = useState(null);
  const turn = (to) => {
    sessionStorage.setItem(KEPT, to ? "open" : "shut");
    setOpen(to);
  };
  useKeys((key) => key === "v" && (turn(!open), true));
  useEffect(() => {
    if (!open || parts) return;
    loading ??= load();
    loading.then(setParts, () => {
      loading = null;
      turn(false);
      store.say("The virtual table did not come. Open it again.", "refused");
    });
  }, [open]);
  if (open && parts) return html`<${parts.Drawer} store=${store} view=${view} close=${() => turn(false)} />`;
  return html`<button class="small virtual-handle" title="Move figures, press keys, draw tokens, pull plugs" data-do="virtual" aria-expanded="false" onClick=${() => turn(true)}>
    Virtual table <kbd>V</kbd></button>`;
}

// A disputed moment as a file: `emberboard check` runs it, and it can go into a bug report.

import { html, useState } from "./ui.js";

export function CapsuleButton({ store, words = "Disputed? Save this moment" }) {
  const [busy, setBusy] = useState(false);
  const write = async () => {
    setBusy(true);
    const made = await store.ask("capsule");
    setBusy(false);
    if (made === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([made.text], { type: "application/yaml" }));
    link.download = made.name;
    link.click();
    URL.revokeObjectURL(link.href);
    store.say("The moment is saved as a file. emberboard check runs it, and a bug report can carry it.");
  };
  return html`<button class="small" data-do="capsule" disabled=${busy} title="A file with this moment: emberboard check runs it" onClick=${write}>
    ${busy ? "Writing ..." : words}</button>`;
}

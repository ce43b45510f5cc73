// The page: which of its three faces is shown. #table is the whole table, #seat one's own seat, #home saves and new fights.

import { useBell } from "./bell.js";
import { Home } from "./home.js";
import { SeatView } from "./seat.js";
import { Store } from "./store.js";
import { TableView } from "./table.js";
import { html, render, useEffect, useState } from "./ui.js";

const store = new Store();

function faceOf(view, hash) {
  if (!view.fight || (hash === "#home" && view.you.role === "table")) return "home";
  if (hash === "#table" || hash === "#seat") return hash.slice(1);
  return view.you.role === "table" ? "table" : "seat";
}

function Page() {
  useBell(store);
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const { view, reached, toast } = store;
  if (!view) return html`<p class="quiet" role="status">The table is being reached ...</p>`;
  const face = faceOf(view, hash);
  document.title = view.fight ? `${view.fight.title} - Emberboard` : "Emberboard";
  const Face = { home: Home, table: TableView, seat: SeatView }[face];
  return html`
    <div class=${`${face === "seat" ? "stack" : ""} face-${face}`}>
      ${!reached && html`<p class="banner lost" role="alert">The table cannot be reached. Trying again ...</p>`}
      ${view.hall.trouble && html`<p class="banner" role="alert">${view.hall.trouble}</p>`}
      <${Face} store=${store} view=${view} />
      <p class=${`toast ${toast ? toast.kind : "none"}`} role="status" aria-live="polite">${toast ? toast.words : ""}</p>
    </div>`;
}

render(html`<${Page} />`, document.getElementById("app"));

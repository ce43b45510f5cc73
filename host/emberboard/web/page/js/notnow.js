// What my Characters cannot do at this question, and why: asked anew whenever another question is open.

import { useAsked } from "./asked.js";

const NONE = [];

export function useNotNow(store, fight, mine) {
  const id = fight.question?.id ?? "";
  const ask = (seat) => store.ask("not now", { seat }, { quiet: true }).catch(() => NONE);
  // `true` is the store's word for a reply without data.
  const all = async () => (await Promise.all(mine.map(ask))).flat().filter((one) => one !== true);
  return useAsked(store, id && mine.length ? [id, ...mine].join("\n") : "", all) ?? NONE;
}

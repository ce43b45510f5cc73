// What my Characters cannot do at this question, and why: asked anew whenever another question is open.

import { useEffect, useState } from "./ui.js";

const NONE = [];

/** The refusals for all of `mine`, empty until they have come. */
export function useNotNow(store, fight, mine) {
  const id = fight.question?.id ?? "";
  const seats = mine.join("\n");
  const [found, setFound] = useState({ id: "", refusals: NONE });
  useEffect(() => {
    if (!id || !seats || !store.reached) return undefined;
    let late = false;
    const ask = (seat) => store.ask("not now", { seat }, { quiet: true }).catch(() => NONE);
    Promise.all(mine.map(ask)).then((answers) => {
      // `true` is the store's word for a reply without data.
      if (!late) setFound({ id, refusals: answers.flat().filter((one) => one !== true) });
    });
    return () => {
      late = true;
    };
  }, [id, seats, store.reached]);
  return found.id === id ? found.refusals : NONE;
}

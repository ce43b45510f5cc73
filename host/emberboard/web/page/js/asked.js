// What a view asks the host for, beside what it is told anyhow.

import { useEffect, useState } from "./ui.js";

/** What `ask` brought, asked anew for another `key` and after a lost connection; null until it is here, and without a key. */
export function useAsked(store, key, ask) {
  const [found, setFound] = useState({ key, data: null });
  useEffect(() => {
    if (!key || !store.reached) return undefined;
    let late = false;
    ask().then((data) => late || setFound({ key, data }));
    return () => {
      late = true;
    };
  }, [key, store.reached]);
  return found.key === key ? found.data : null;
}

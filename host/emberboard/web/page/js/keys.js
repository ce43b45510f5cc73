// The keyboard of the page. Keys are never taken from a field that somebody types in, nor Enter and Space from a
// button that has the focus. A key that is held counts once: the next question is another one.

import { useEffect, useRef } from "./ui.js";

const FIELDS = "input, select, textarea, [contenteditable]";
const OWN_ENTER = "button, a, summary, [role=button]";

/** Calls `act(key, event)` for keys that are free; it gives true for what it used. */
export function useKeys(act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const pressed = (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
      if (target.closest?.(FIELDS)) return;
      if ((key === "Enter" || key === " ") && target.closest?.(OWN_ENTER)) return;
      if (latest.current(key, event)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

// Who wants to know of a change, and how they are told.

import { useLayoutEffect, useState } from "./ui.js";

export class Bell {
  constructor() {
    this.listeners = new Set();
  }

  listen(back) {
    this.listeners.add(back);
    return () => this.listeners.delete(back);
  }

  tell() {
    for (const back of this.listeners) back();
  }
}

/** Draw again whenever the bell tells. */
export function useBell(bell) {
  const [, draw] = useState(0);
  // Before the page is painted: what is told meanwhile would be missed.
  useLayoutEffect(() => bell.listen(() => draw((n) => n + 1)), [bell]);
}

// What this page knows: the last view, the log as far as it was told, the lamps of the virtual hardware, words to say.

import { Bell } from "./bell.js";
import { Talk } from "./talk.js";

const KEPT_LAMPS = { buttons: [], rail: [], magnets: [], tokens: [], inside: [], off: [], stands: {}, held: [], noise: false };

/** Tells after every change but that of the lamps, which change ten times a second and have `lampBell`. */
export class Store extends Bell {
  constructor() {
    super();
    this.view = null;
    this.log = [];
    this.fresh = 0;
    this.reached = false;
    this.lamps = { ...KEPT_LAMPS, tiles: new Map() };
    this.toast = null;
    this.lampBell = new Bell();
    this.talk = new Talk((told) => this.hear(told), (reached) => {
      this.reached = reached;
      this.tell();
    });
  }

  hear(told) {
    if (told.is === "lamps") {
      for (const [x, y, ...colour] of told.tiles) this.lamps.tiles.set(`${x},${y}`, colour);
      this.lamps = { ...told, tiles: this.lamps.tiles };
      this.lampBell.tell();
      return;
    }
    const { keep, lines } = told.log;
    if (lines.length || keep < this.log.length) {
      this.fresh = keep;
      this.log = [...this.log.slice(0, keep), ...lines];
    }
    this.view = told;
    this.tell();
  }

  /** Ask the host; a refusal is shown to the player and null comes back, unless `quiet`. */
  async ask(what, fields = {}, { quiet = false } = {}) {
    try {
      const data = await this.talk.ask(what, fields);
      return data ?? true;
    } catch (refused) {
      if (quiet) throw refused;
      this.say(refused.message, "refused");
      return null;
    }
  }

  say(words, kind = "told") {
    this.toast = { words, kind };
    this.tell();
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => {
      this.toast = null;
      this.tell();
    }, 6000);
  }
}

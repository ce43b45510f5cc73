// This page's hand at the virtual table: the figure in it, and what it does to tiles. What the table makes of it comes
// back through the sensors, like anything that hands do.

import { Bell } from "./bell.js";
import { cellsUnder, same } from "./cells.js";
import { initials } from "./figures.js";

export class Hand extends Bell {
  /** `who` is in hand, taken from the cell `from` (null: from the box). `known` are all figures ever seen, by id. */
  constructor(store) {
    super();
    this.store = store;
    this.who = "";
    this.from = null;
    this.known = new Map();
  }

  know(scene) {
    for (const { id, name, side, size, letter, colour } of scene.figures ?? []) this.known.set(id, { id, name, side, size: size ?? 1, letter, colour });
  }

  of(id) {
    return this.known.get(id) ?? { id, name: id.replace(":", " "), side: "", size: 1 };
  }

  label(id) {
    return initials(this.of(id));
  }

  at(cell) {
    return Object.entries(this.store.lamps.stands ?? {}).find(([id, at]) => cellsUnder(at, this.of(id).size).some((one) => same(one, cell)));
  }

  boxed(scene) {
    const { stands = {}, held = [] } = this.store.lamps;
    return (scene.figures ?? []).filter(({ id }) => !(id in stands) && !held.includes(id) && id !== this.who).map(({ id }) => id);
  }

  finger(what, fields = {}) {
    return this.store.ask("finger", { what, ...fields });
  }

  hold(who, from) {
    this.who = who;
    this.from = from;
    this.tell();
  }

  lift(cell) {
    const found = this.at(cell);
    if (!found || this.who) return false;
    this.hold(found[0], found[1]);
    this.finger("lift", { cell: found[1] }).then((done) => done || this.hold("", null));
    return true;
  }

  /** Put what is in hand down; it stays in hand when it cannot stand there. */
  async put(cell, what = "touch") {
    const { who, from } = this;
    this.hold("", null);
    if (await this.finger(what, { cell, name: who })) return;
    this.hold(who, from);
  }

  back() {
    if (!this.who) return;
    if (this.from) this.put(this.from);
    else this.toBox();
  }

  toBox() {
    const { from } = this;
    this.hold("", null);
    if (from) this.finger("box");
  }

  /** A hand that only has the one figure is full: what a tool does to a cell. */
  use(tool, cell) {
    if (this.who) return this.put(cell, tool === "wobble" ? "bounce" : "touch");
    const found = this.at(cell);
    if (tool === "wand" || tool === "tap") return this.finger("tap", { cell });
    if (tool === "wobble") return this.finger("bounce", { cell });
    if (tool === "knock") return found ? this.knock(found) : this.store.say("There is nothing to knock over.");
    return this.lift(cell) || this.store.say("No figure stands there. The wand points at empty spaces.");
  }

  async knock([id, at]) {
    const { columns, rows } = this.store.view.hall;
    const { size } = this.of(id);
    const free = (cell) => cellsUnder(cell, size).every(([x, y]) => x >= 0 && y >= 0 && x < columns * 6 && y < rows * 6 && [undefined, id].includes(this.at([x, y])?.[0]));
    const to = [[1, 0], [0, 1], [-1, 0], [0, -1]].map(([dx, dy]) => [at[0] + dx, at[1] + dy]).find(free);
    if (!to) return this.store.say("It stands too close to the others to be knocked aside.");
    if (await this.finger("lift", { cell: at })) await this.finger("touch", { cell: to });
    return true;
  }
}

// Carrying something over the page with mouse, pen or finger. What is carried follows the pointer; where it is dropped
// the carrier decides.

import { Bell, useBell } from "./bell.js";
import { html } from "./ui.js";

const STIRRED_PX = 6;

/** What is under way: `carried` is null or {label, look}, at `x`, `y` of the window. */
export class Carrier extends Bell {
  constructor() {
    super();
    this.carried = null;
    this.x = this.y = 0;
  }

  /**
   * Follow the pointer of a pointerdown. `begin` is called once it truly moves, and gives false to leave it alone;
   * `drop(x, y)` ends a carry, `click` is called when it never moved, `left` when the carry was broken off.
   */
  follow(event, carried, { begin = () => true, drop, click = () => {}, left = () => {} }) {
    if (event.button) return;
    const { pointerId, clientX, clientY } = event;
    let state = "down";
    const end = () => {
      removeEventListener("pointermove", moved);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", broken);
      this.carried = null;
      this.tell();
    };
    const moved = (move) => {
      if (move.pointerId !== pointerId) return;
      if (state === "down" && Math.hypot(move.clientX - clientX, move.clientY - clientY) > STIRRED_PX) {
        state = begin() ? "carried" : "left";
        if (state === "carried") this.carried = carried;
      }
      [this.x, this.y] = [move.clientX, move.clientY];
      if (state === "carried") this.tell();
    };
    const up = (last) => {
      if (last.pointerId !== pointerId) return;
      end();
      if (state === "carried") drop(last.clientX, last.clientY);
      else if (state === "down") click();
    };
    const broken = (last) => {
      if (last.pointerId !== pointerId) return;
      end();
      if (state === "carried") left();
    };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", broken);
  }
}

export function Ghost({ carrier }) {
  useBell(carrier);
  const { carried, x, y } = carrier;
  if (!carried) return null;
  return html`<div class=${`ghost ${carried.look}`} aria-hidden="true" style=${{ transform: `translate(${x}px, ${y}px)` }}>${carried.label}</div>`;
}

/** Whether a point of the window lies on an element. */
export function over(element, x, y) {
  if (!element) return false;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return x >= left && x <= right && y >= top && y <= bottom;
}

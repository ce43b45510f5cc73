// The page's end of the WebSocket. One Talk a page: it says hello, asks, hears views and lamps, and comes back by itself
// after a lost connection, a sleep or a restarted host. Messages: web/PROTOCOL.md.

const AGAIN_MS = [250, 500, 1000, 2000, 4000];
const SILENT_MS = 20000;

/** This page's own name: it keeps its seats over a reload, and no other tab has it. */
function pageName() {
  let name = sessionStorage.getItem("emberboard page");
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem("emberboard page", name);
  }
  return name;
}

/** Refused: what the host said to a `do` that it did not do; `data` is what it should be asked again with. */
class Refused extends Error {
  constructor(reply) {
    super(reply.words);
    this.data = reply.data;
  }
}

export class Talk {
  /** `heard` gets every view and lamps; `reached` gets true or false when the connection comes or goes. */
  constructor(heard, reached) {
    this.heard = heard;
    this.reached = reached;
    this.waiting = new Map();
    this.ref = 0;
    this.tries = 0;
    addEventListener("online", () => this.connect());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && !this.open()) this.connect();
    });
    this.connect();
  }

  open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/talk`);
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      socket.send(JSON.stringify({ do: "hello", page: pageName() }));
      this.reached(true);
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = () => this.lost(socket);
  }

  lost(socket) {
    if (socket !== this.socket) return;
    for (const { reject } of this.waiting.values()) {
      reject(new Refused({ words: "The table cannot be reached just now; what was answered is kept." }));
    }
    this.waiting.clear();
    this.reached(false);
    const wait = AGAIN_MS[Math.min(this.tries++, AGAIN_MS.length - 1)];
    this.timer = setTimeout(() => this.connect(), wait);
  }

  take(told) {
    if (told.is !== "reply") {
      this.heard(told);
      return;
    }
    const asked = this.waiting.get(told.ref);
    this.waiting.delete(told.ref);
    if (!asked) return;
    clearTimeout(asked.timer);
    if (told.ok) asked.resolve(told.data);
    else asked.reject(new Refused(told));
  }

  /** Ask the host to do something: what it gives back. Rejects with Refused. */
  ask(what, fields = {}) {
    return new Promise((resolve, reject) => {
      if (!this.open()) {
        reject(new Refused({ words: "The table cannot be reached just now. The page tries again by itself." }));
        return;
      }
      const ref = ++this.ref;
      const timer = setTimeout(() => this.socket.close(), SILENT_MS);
      this.waiting.set(ref, { resolve, reject, timer });
      this.socket.send(JSON.stringify({ do: what, ref, ...fields }));
    });
  }
}

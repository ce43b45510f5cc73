// Why something is so: the rules behind it, each with its text, fetched when somebody asks.

import { html, useState } from "./ui.js";

const known = new Map();

/** A rule's id as a button that opens its text. */
export function RuleLink({ store, id }) {
  const [rule, setRule] = useState(null);
  const show = async () => {
    if (rule) return setRule(null);
    if (!known.has(id)) {
      const found = await store.ask("rule", { id });
      if (!found) return undefined;
      known.set(id, found);
    }
    return setRule(known.get(id));
  };
  return html`<span class="rule">
    <button class="link" data-rule=${id} aria-expanded=${Boolean(rule)} onClick=${show}>${id}</button>
    ${rule && html`<span class="rule-text">${rule.rule}${rule.ruling && html`<br /><em>As this table plays it:</em> ${rule.ruling}`}</span>`}
  </span>`;
}

export function Rules({ store, ids }) {
  const each = [...new Set(ids ?? [])];
  if (!each.length) return null;
  return html`<span class="row rules"><span class="quiet">Rules: </span>${each.map((id) => html`<${RuleLink} store=${store} id=${id} key=${id} />`)}</span>`;
}

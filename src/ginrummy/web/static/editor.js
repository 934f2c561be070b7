// The position editor: choose cards and ask the coach.

import { call, element, loadSprite, nameOf, picture, RANKS, shortOf, SUITS } from "./cards.js";
import { adviceParts } from "./coach.js";

const KINDS = [["hand", "my hand"], ["pile", "discard pile, the upcard last"], ["known", "opponent's cards that I know"]];

class Editor {
  constructor(root) {
    this.root = root;
    this.cards = { hand: [], pile: [], known: [] };
    this.kind = "hand";
    this.estimator = "joint";
  }

  async start() {
    await loadSprite();
    this.root.replaceChildren(
      element("p", { class: "muted" }, "Put ten cards in your hand to be asked about the draw, or eleven to be asked about the discard (the last one is the card just drawn). The pile needs at least one card."),
      (this.kinds = element("div", { class: "row", role: "radiogroup", "aria-label": "Where a chosen card goes" })),
      (this.deck = element("div", { class: "deck" })),
      (this.shown = element("div", {})),
      element("div", { class: "row" },
        element("label", {}, "my score ", (this.mine = element("input", { type: "number", min: 0, max: 999, value: 0 }))),
        element("label", {}, "opponent's ", (this.theirs = element("input", { type: "number", min: 0, max: 999, value: 0 }))),
        element("button", { class: "act main", id: "ask-position", onclick: () => this.ask() }, "Ask the coach"),
        element("button", { class: "act", onclick: () => { this.cards = { hand: [], pile: [], known: [] }; this.render(); } }, "Clear"),
      ),
      element("label", { class: "setting" }, "or a line of text ", (this.line = element("input", { type: "text", class: "line", id: "position-line", maxlength: 4000, placeholder: "eaai 1 0-0 0-0 0 …" }))),
      (this.answer = element("section", { class: "panel", role: "status" })),
    );
    this.render();
  }

  placeOf(card) {
    return KINDS.map(([kind]) => kind).find((kind) => this.cards[kind].includes(card));
  }

  toggle(card) {
    const place = this.placeOf(card);
    if (place) this.cards[place] = this.cards[place].filter((other) => other !== card);
    if (place !== this.kind) this.cards[this.kind] = [...this.cards[this.kind], card];
    this.render();
  }

  render() {
    this.kinds.replaceChildren(...KINDS.map(([kind, label]) => element("button", { class: `act ${kind === this.kind ? "main" : ""}`, role: "radio", "aria-checked": String(kind === this.kind), "data-kind": kind, onclick: () => { this.kind = kind; this.render(); } }, `${label} (${this.cards[kind].length})`)));
    const rows = [...SUITS].map((suit) => element("div", { class: "deck-row" }, ...[...RANKS].map((rank) => {
      const card = rank + suit;
      const place = this.placeOf(card);
      return element("button", { class: `chip suit-${suit} ${place ? `in-${place}` : ""}`, "data-card": card, "aria-label": `${nameOf(card)}${place ? `, in ${KINDS.find(([kind]) => kind === place)[1]}` : ""}`, onclick: () => this.toggle(card) }, shortOf(card));
    })));
    this.deck.replaceChildren(...rows);
    this.shown.replaceChildren(...KINDS.filter(([kind]) => this.cards[kind].length).map(([kind, label]) => element("div", {}, element("b", {}, label), element("div", { class: "open-row left-row" }, ...this.cards[kind].map((card) => picture(card, "small"))))));
  }

  async ask() {
    this.answer.replaceChildren(element("p", { class: "muted" }, "The coach is thinking …"));
    const line = this.line.value.trim();
    const body = line
      ? { position: line, estimator: this.estimator }
      : { hand: this.cards.hand, pile: this.cards.pile, known: this.cards.known, scores: [Number(this.mine.value), Number(this.theirs.value)], estimator: this.estimator };
    try {
      const advice = await call(line ? "/advice" : "/advice/table", body);
      this.answer.replaceChildren(...adviceParts(advice, { estimator: this.estimator, change: (name) => { this.estimator = name; this.ask(); } }));
    } catch (error) {
      this.answer.replaceChildren(element("p", { role: "alert" }, error.message));
    }
  }
}

export function startEditor() {
  const root = document.getElementById("editor");
  if (!root || root.dataset.started) return;
  root.dataset.started = "yes";
  new Editor(root).start();
}

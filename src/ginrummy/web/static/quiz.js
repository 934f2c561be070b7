// The quiz: decisions that went wrong, to be found again.

import { call, element, loadSprite, nameOf, picture } from "./cards.js";
import { words } from "./coach.js";

class Quiz {
  constructor(root) {
    this.root = root;
    this.at = 0;
    this.right = 0;
    this.asked = 0;
  }

  async start() {
    await loadSprite();
    this.items = await call("/quiz").catch((error) => ({ error: error.message }));
    if (this.items.error) return void this.root.replaceChildren(element("p", { role: "alert" }, this.items.error));
    return this.show();
  }

  show() {
    if (!this.items.length) {
      return void this.root.replaceChildren(element("p", {}, "There are no questions yet: they are made of your own mistakes. Finish a game and review it first."));
    }
    const item = this.items[this.at % this.items.length];
    this.answer = element("div", { class: "panel", role: "status", "aria-live": "polite" });
    const choices = item.options.map((option) => element("button", { class: "act", onclick: () => this.judge(item, option) }, words(option)));
    this.choices = choices;
    const ask = { draw: "Take the upcard or not?", discard: "Which card do you discard?", knock: "Knock or play on?" }[item.question] ?? item.question;
    const known = item.opponent_known.length ? `; the opponent took the ${item.opponent_known.map(nameOf).join(", the ")}` : "";
    this.root.replaceChildren(
      element("p", { class: "muted" }, `Question ${(this.at % this.items.length) + 1} of ${this.items.length} · against ${item.opponent} · score ${item.scores[0]} to ${item.scores[1]} · ${item.stock} cards in the stock${known}` + (this.asked ? ` · ${this.right} of ${this.asked} right` : "")),
      element("div", { class: "felt quiz-felt" }, item.upcard ? element("div", { class: "middle" }, element("figure", {}, picture(item.upcard), element("figcaption", {}, "upcard"))) : element("p", {}, item.drawn ? `You have drawn the ${nameOf(item.drawn)}.` : ""), element("div", { class: "open-row" }, ...item.hand.map((card) => picture(card, card === item.drawn ? "drawn" : "")))),
      element("h2", {}, ask),
      element("div", { class: "row choices" }, ...choices),
      this.answer,
    );
    return undefined;
  }

  judge(item, option) {
    const right = option === item.answer;
    this.asked += 1;
    this.right += right ? 1 : 0;
    for (const button of this.choices) button.disabled = true;
    this.answer.replaceChildren(
      element("h2", { class: right ? "won" : "lost" }, right ? "Right." : "Not the best."),
      element("p", {}, "Best: ", words(item.answer), ". You played ", words(item.played), `, which cost ${(100 * item.loss[0]).toFixed(1)} % of winning chance.`),
      element("p", { class: "reason" }, item.reason),
      element("div", { class: "row" }, element("button", { class: "act main", id: "next-question", onclick: () => { this.at += 1; this.show(); } }, "Next question"), element("a", { class: "act", href: `/review/${item.game}` }, "The game")),
    );
  }
}

export function startQuiz() {
  const root = document.getElementById("quiz");
  if (!root || root.dataset.started) return;
  root.dataset.started = "yes";
  new Quiz(root).start();
}

// The coach's panel: asked when the person wants it, in the background of the table.

import { call, element, inline, nameOf, RANKS, set, settings, shortOf, SUITS } from "./cards.js";

export const ESTIMATORS = ["joint", "belief-net", "ensemble-by-turn", "shankar-cnn", "simple-nn", "lstm", "ann", "bayes", "tracker", "null"];
const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;

export class Coach {
  constructor(root, game) {
    this.root = root;
    this.game = game;
    this.state = null;
    this.advice = null;
    this.number = 0;
    this.estimator = "joint";
    this.last = null; // the latest belief of this round, to be compared with the truth at its end
    this.render("");
  }

  follow(state) {
    if (this.state?.round !== state.round && !state.showdown) this.last = null;
    this.state = state;
    this.advice = null;
    this.number += 1;
    if (settings().coach && !state.showdown) this.ask();
    else this.render("");
  }

  async ask() {
    const able = ["draw", "discard", "knock"].includes(this.state?.phase);
    if (!able) return this.render("There is nothing to decide now.");
    const number = (this.number += 1);
    this.render("The coach is thinking …");
    try {
      const advice = await call(`/games/${this.game}/advice?estimator=${encodeURIComponent(this.estimator)}`);
      if (number !== this.number) return undefined; // the game has moved on
      this.advice = advice;
      this.last = advice;
      this.render("");
    } catch (error) {
      if (number === this.number) this.render(error.message);
    }
    return undefined;
  }

  // The opponent's cards, once they lie on the table.
  truth() {
    const end = this.state?.showdown;
    const shown = end?.knocked === null ? null : end?.knocked ? end.defence : end?.knock;
    return shown ? [...shown.melds.flat(), ...shown.loose, ...shown.layoffs.map(([card]) => card)] : [];
  }

  render(note) {
    const always = element("label", { class: "setting" }, element("input", { type: "checkbox", checked: settings().coach, onchange: (event) => { set("coach", event.target.checked); if (event.target.checked) this.ask(); } }), " always");
    const head = element("div", { class: "row" }, element("h2", {}, "Coach"), element("button", { class: "act", id: "ask-coach", onclick: () => this.ask() }, "Ask", element("kbd", {}, "C")), always);
    const parts = [head];
    if (note) parts.push(element("p", { class: "muted", role: "status" }, note));
    if (this.advice) parts.push(...adviceParts(this.advice, { estimator: this.estimator, change: (name) => { this.estimator = name; this.ask(); } }));
    else if (this.truth().length && this.last) {
      parts.push(heatMap(this.last.chances, null, this.truth()), element("p", { class: "muted", id: "truth" }, `Your last question of this round, by ${this.last.estimator}. Framed: the cards that the opponent showed.`));
    } else if (!note) parts.push(element("p", { class: "muted" }, "Ask which move is best, how likely each card is in the opponent's hand, and why."));
    this.root.replaceChildren(...parts);
  }
}

export function adviceParts(advice, choice) {
  return [
    element("p", { class: "reason", id: "coach-reason" }, advice.reason),
    options(advice),
    advice.knock ? knockOdds(advice.knock) : null,
    advice.outs ? outs(advice.outs) : null,
    heatMap(advice.chances, choice, null),
    element("p", { class: "muted" }, `Opponent's deadwood about ${advice.opponent_deadwood[0].toFixed(0)} ± ${advice.opponent_deadwood[1].toFixed(0)}. ${advice.rollouts.toLocaleString("en")} lines of play.`),
  ].filter(Boolean);
}

function options(advice) {
  const best = advice.options[0].win[0];
  const worst = Math.min(...advice.options.map((option) => option.win[0]));
  const rows = advice.options.map((option, place) => {
    const share = best > worst ? (option.win[0] - worst) / (best - worst) : 1;
    const facts = option.discard;
    const detail = facts ? `danger ${percent(facts.danger, 0)} · outs ${facts.outs.length}` : "";
    return element(
      "tr",
      { class: place === 0 ? "best" : "" },
      element("td", {}, words(option.text), detail ? element("div", { class: "muted" }, detail) : null),
      element("td", { class: "number" }, percent(option.win[0]), element("div", { class: "muted" }, `± ${(196 * option.win[1]).toFixed(1)}`)),
      element("td", { class: "number" }, (option.points[0] >= 0 ? "+" : "−") + Math.abs(option.points[0]).toFixed(1), element("div", { class: "muted" }, `± ${(1.96 * option.points[1]).toFixed(1)}`)),
      element("td", {}, element("div", { class: "meter" }, element("i", { style: `width:${(8 + 92 * share).toFixed(0)}%` }))),
    );
  });
  const heads = ["move", "win", "points", ""].map((text) => element("th", { scope: "col" }, text));
  return element("table", { class: "options" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
}

// A text with card codes, each shown as a coloured card.
export function words(text) {
  const parts = text.split(/\b([A2-9TJQK][CHSD])\b/);
  return element("span", {}, ...parts.map((part, place) => (place % 2 ? inline(part) : part)));
}

function knockOdds(odds) {
  const bars = (title, rows) =>
    element("div", { class: "odds" }, element("b", {}, title), element("div", { class: "stack", role: "img", "aria-label": rows.map(([name, share]) => `${name} ${percent(share, 0)}`).join(", ") }, ...rows.filter(([, share]) => share > 0.004).map(([name, share, kind]) => element("i", { class: kind, style: `flex-grow:${share}`, title: `${name} ${percent(share)}` }, share > 0.09 ? percent(share, 0) : ""))),
      element("p", { class: "muted" }, rows.filter(([, share]) => share > 0.004).map(([name, share]) => `${name} ${percent(share, 0)}`).join(" · ")));
  return element(
    "div",
    { class: "knock-odds" },
    bars(`${odds.text}: ${percent(odds.win[0])}`, [["wins", odds.wins, "good"], ["undercut", odds.undercut, "bad"]]),
    bars(`${odds.on_text}: ${percent(odds.on_win[0])}`, [["gin later", odds.gin_later, "best-end"], ["knock later", odds.knock_later, "good"], ["opponent undercut", odds.opponent_undercut, "good"], ["dead", odds.dead, "even"], ["undercut", odds.undercut_later, "bad"], ["opponent knocks", odds.opponent_knock, "bad"], ["opponent gin", odds.opponent_gin, "worst-end"]]),
  );
}

function outs(found) {
  if (!found.cards.length) return element("p", {}, "No unseen card makes a meld with this hand.");
  const list = (cards) => cards.flatMap((card) => [inline(card), " "]);
  return element("p", {}, `Cards that help (about ${found.live.toFixed(1)} still in the stock): `, ...list(found.cards), ...(found.gin.length ? ["· gin: ", ...list(found.gin)] : []));
}

export function heatMap(chances, choice, truth) {
  const most = Math.max(0.6, ...Object.values(chances).filter((chance) => chance < 1));
  const held = new Set(truth ?? []);
  const rows = [...SUITS].map((suit) =>
    element(
      "tr",
      {},
      ...[...RANKS].map((rank) => {
        const card = rank + suit;
        const chance = chances[card];
        const colour = `color-mix(in srgb, #c2410c ${Math.round(100 * Math.min(1, chance / most))}%, #f6f1e4)`;
        return element("td", { class: `suit-${suit} ${held.has(card) ? "held" : ""} ${chance > 0.6 * most ? "hot" : ""}`, style: `background:${colour}`, title: `${nameOf(card)}: ${percent(chance)}`, "aria-label": `${nameOf(card)} ${percent(chance, 0)}` }, shortOf(card));
      }),
    ),
  );
  const pick = choice
    ? element("label", { class: "muted" }, "by ", element("select", { "aria-label": "Estimator", id: "estimator", onchange: (event) => choice.change(event.target.value) }, ...ESTIMATORS.map((name) => element("option", { value: name, selected: name === choice.estimator }, name))))
    : null;
  return element("div", { class: "heat" }, element("div", { class: "row" }, element("b", {}, "Opponent's hand"), pick), element("table", { class: "heat-map" }, element("tbody", {}, ...rows)));
}

// The card table: shows the state of one game and sends the person's actions. It knows no rules: what is
// legal comes from the server.

import { call, drawing, element, Fault, loadSprite, nameOf, picture, rankOf, set, settings, suitOf, SUITS } from "./cards.js";
import { Coach } from "./coach.js";
import { showSettings } from "./settings.js";
import { showdown, sheetTable } from "./showdown.js";
import { play as sound } from "./sound.js";

const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

class Table {
  constructor(root) {
    this.root = root;
    this.id = root.dataset.game;
    this.state = null;
    this.order = []; // the hand as the person arranged it
    this.chosen = null; // the selected card
    this.pending = null; // { card, timer }: a discard that can still be taken back
    this.busy = false;
    this.dragged = false;
    this.build();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // The parts of the table.

  build() {
    this.parts = {
      status: element("div", { class: "status", role: "status", "aria-live": "polite", id: "status" }),
      foe: element("div", { class: "foe", role: "group", "aria-label": "Opponent" }),
      middle: element("div", { class: "middle", role: "group", "aria-label": "Stock and discard pile" }),
      hand: element("div", { class: "hand", role: "group", "aria-label": "Your hand" }),
      bar: element("div", { class: "bar", role: "toolbar", "aria-label": "Actions" }),
      tools: element("div", { class: "tools" }),
      overlay: element("div", { class: "overlay", hidden: true }),
      scores: element("section", { class: "panel scores", "aria-label": "Score" }),
      moves: element("section", { class: "panel moves", "aria-label": "Last moves" }),
      coach: element("section", { class: "panel coach", "aria-label": "Coach" }),
    };
    const p = this.parts;
    const felt = element("div", { class: "felt", id: "felt" }, p.foe, p.middle, p.status, p.hand, p.bar, p.tools, p.overlay);
    const side = element("aside", { class: "side" }, p.scores, p.coach, p.moves);
    this.root.replaceChildren(element("div", { class: "game" }, felt, side));
    this.coach = new Coach(p.coach, this.id);
  }

  async start() {
    await loadSprite();
    await this.load();
  }

  async load() {
    for (;;) {
      try {
        this.take(await call(`/games/${this.id}`));
        return;
      } catch (error) {
        this.say(error.code === 0 ? "The server does not answer. Trying again …" : error.message, "alert");
        if (error.code !== 0) return;
        await wait(2);
      }
    }
  }

  take(state) {
    const before = this.state;
    this.state = state;
    this.pending = null;
    this.chosen = null;
    this.arrange(before);
    this.render();
    this.coach.follow(state);
  }

  say(text, kind = "") {
    this.parts.status.className = `status ${kind}`;
    this.parts.status.textContent = text;
  }

  // The order of the hand.

  arrange(before) {
    const held = new Set(this.state.hand);
    if (settings().sort === "melds" && this.state.phase !== "discard") {
      this.order = this.byMelds();
      return;
    }
    const kept = this.order.filter((card) => held.has(card));
    const fresh = this.state.hand.filter((card) => !kept.includes(card));
    if (settings().sort === "melds") {
      // The drawn card stays at the right until the turn is over, the others as they were.
      this.order = kept.length ? [...kept, ...fresh] : this.byMelds();
    } else {
      this.order = kept.length || !before ? [...(kept.length ? kept : this.saved()), ...fresh].filter((c, i, all) => all.indexOf(c) === i) : this.state.hand;
    }
    this.save();
  }

  byMelds() {
    const melds = this.state.melds.map((meld) => [...meld]);
    const melded = new Set(melds.flat());
    const loose = this.state.hand.filter((card) => !melded.has(card));
    const colours = "CHSD";
    loose.sort((a, b) => rankOf(a) - rankOf(b) || colours.indexOf(suitOf(a)) - colours.indexOf(suitOf(b)));
    return [...melds.flat(), ...loose];
  }

  saved() {
    try {
      const found = JSON.parse(sessionStorage.getItem(`order-${this.id}`) ?? "[]");
      return found.filter((card) => this.state.hand.includes(card));
    } catch {
      return [];
    }
  }

  save() {
    try {
      sessionStorage.setItem(`order-${this.id}`, JSON.stringify(this.order));
    } catch {
      // without storage the order is lost at a reload
    }
  }

  sortBy(kind) {
    if (kind === "melds") {
      set("sort", "melds");
      this.order = this.byMelds();
    } else {
      set("sort", "own");
      const value = kind === "rank" ? (c) => 4 * rankOf(c) + SUITS.indexOf(suitOf(c)) : (c) => 13 * SUITS.indexOf(suitOf(c)) + rankOf(c);
      this.order = [...this.state.hand].sort((a, b) => value(a) - value(b));
    }
    this.save();
    this.render();
  }

  moveCard(card, place) {
    const rest = this.order.filter((other) => other !== card);
    rest.splice(Math.max(0, Math.min(place, rest.length)), 0, card);
    this.order = rest;
    set("sort", "own");
    this.save();
    this.render();
    this.focus(card);
  }

  // Drawing the table.

  render() {
    const state = this.state;
    document.title = `${state.scores[0]}–${state.scores[1]} against ${state.opponent_title}`;
    this.renderFoe();
    this.renderMiddle();
    this.renderHand();
    this.renderBar();
    this.renderTools();
    this.renderSide();
    this.renderOverlay();
    if (!this.busy) this.say(this.prompt());
  }

  prompt() {
    const s = this.state;
    const last = s.events.filter((event) => event.mine === false).slice(s.phase === "defend" ? -1 : -2).map((event) => event.text).join(" ");
    if (this.pending) {
      const choice = this.choice(this.pending.card);
      const gin = choice.left === 0 ? " Gin!" : "";
      return choice.knocks.length
        ? `Discard the ${nameOf(this.pending.card)}: ${choice.left} left.${gin} ${choice.left === 0 ? "Lay it down, or take the card back." : "Knock, play on, or take it back."}`
        : `You discard the ${nameOf(this.pending.card)}. Undo is open for a moment.`;
    }
    const asks = {
      draw: s.actions.includes("pass") ? `Take the ${nameOf(s.upcard)} or pass.` : `Take the ${s.upcard ? nameOf(s.upcard) : "upcard"} or draw from the stock.`,
      discard: s.drawn ? `You have the ${nameOf(s.drawn)}. Choose a card to discard.` : "Choose a card to discard.",
      knock: "Knock, or play on?",
      defend: "Lay down your melds; the rest is laid off for you.",
      "round over": s.showdown ? s.showdown.text : "The round is over.",
      "game over": s.result?.won === true ? "You win the game!" : s.result?.won === false ? "The opponent wins the game." : "The game is a draw.",
    };
    const heard = ["draw", "defend"].includes(s.phase) ? `${last} ` : "";
    return heard + asks[s.phase];
  }

  renderFoe() {
    const s = this.state;
    const known = s.phase.endsWith("over") ? [] : s.opponent_known;
    const cards = [];
    for (let k = 0; k < s.opponent_cards - known.length; k += 1) cards.push(picture("back", "small"));
    for (const card of known) cards.push(picture(card, "small known"));
    const label = `${s.opponent_title} holds ${s.opponent_cards} cards` + (known.length ? `, among them the ${known.map(nameOf).join(", the ")}` : "");
    this.parts.foe.replaceChildren(
      element("div", { class: "who" }, element("b", {}, s.opponent_title), element("span", { class: "points" }, `${s.scores[1]}`)),
      element("div", { class: "fan", id: "foe-fan", "aria-label": label, role: "img" }, ...cards),
    );
  }

  renderMiddle() {
    const s = this.state;
    const can = (action) => !this.busy && s.actions.includes(action);
    const stock = element(
      "button",
      {
        class: `place stock ${can("draw") ? "ready" : ""}`, id: "stock", "aria-disabled": String(!can("draw")),
        "aria-label": `Stock, ${s.stock} cards${can("draw") ? ": draw" : ""}`, onclick: () => this.clicked(() => can("draw") && this.act("draw")),
      },
      ...(s.stock > 2 ? [element("i", { class: "under two" }), element("i", { class: "under one" })] : []),
      picture("back"),
      element("span", { class: "count" }, String(s.stock)),
    );
    const laid = this.pending ? [...s.pile, this.pending.card] : s.pile;
    const top = laid.at(-1);
    const pile = element(
      "button",
      {
        class: `place pile ${can("take") ? "ready" : ""} ${s.phase === "discard" ? "target" : ""}`, id: "pile", "aria-disabled": String(!can("take") && s.phase !== "discard"),
        "aria-label": top ? `Discard pile, the ${nameOf(top)} on top${can("take") ? ": take it" : ""}` : "Discard pile, empty",
        onclick: () => this.clicked(() => (can("take") ? this.act("take") : this.chosen && !this.pending && this.discard(this.chosen))),
      },
      ...(laid.length > 1 ? [picture(laid.at(-2), "beneath")] : []),
      top ? picture(top, this.pending ? "provisional" : "") : element("span", { class: "empty" }),
    );
    this.parts.middle.replaceChildren(
      element("figure", {}, stock, element("figcaption", {}, `stock, ${s.stock} left`)),
      element("figure", {}, pile, element("figcaption", {}, top ? `upcard ${nameOf(top)}` : "upcard taken")),
    );
    if (can("draw")) this.draggable(stock, null, () => this.act("draw"), this.parts.hand);
    if (can("take")) this.draggable(pile, null, () => this.act("take"), this.parts.hand);
  }

  renderHand() {
    const s = this.state;
    const shown = this.order.filter((card) => !this.pending || card !== this.pending.card);
    const groups = this.meldGroups(shown);
    const over = s.phase.endsWith("over");
    const cards = shown.map((card, place) => {
      const group = groups.get(card);
      const legal = s.discards.some((choice) => choice.card === card);
      const made = element(
        "button",
        {
          class: `card suit-${suitOf(card)} ${card === this.chosen ? "chosen" : ""} ${card === s.drawn ? "drawn" : ""} ${group !== undefined ? `melded meld-${group % 4}` : ""} ${s.phase === "discard" && !legal && !this.pending ? "barred" : ""}`,
          "data-card": card, "data-place": place, tabindex: place === 0 ? 0 : -1,
          "aria-label": `${nameOf(card)}${group !== undefined ? ", in a meld" : ""}${card === s.drawn ? ", just drawn" : ""}`,
          "aria-pressed": String(card === this.chosen),
          onclick: () => this.clicked(() => this.choose(card)),
          ondblclick: () => s.phase === "discard" && this.discard(card),
        },
        drawing(card),
      );
      if (!over) this.draggable(made, card, () => this.discard(card), document.getElementById("pile"));
      return made;
    });
    this.parts.hand.style.setProperty("--cards", Math.max(shown.length, 1));
    this.parts.hand.replaceChildren(...cards);
  }

  // Which cards of the hand, as arranged, belong to melds: card -> number of its meld.
  meldGroups(shown) {
    const groups = new Map();
    let melds = this.state.melds;
    const gone = this.pending?.card;
    if (gone) melds = (this.choice(gone)?.knocks[0] ?? melds.map((m) => m.filter((c) => c !== gone)).filter((m) => m.length > 2));
    melds.forEach((meld, number) => meld.filter((card) => shown.includes(card)).forEach((card) => groups.set(card, number)));
    return groups;
  }

  renderBar() {
    const s = this.state;
    const buttons = [];
    const add = (label, key, action, extra = "") =>
      buttons.push(element("button", { class: `act ${extra}`, "data-key": key, disabled: this.busy, onclick: action }, label, element("kbd", {}, key.toUpperCase())));
    if (this.pending) {
      const choice = this.choice(this.pending.card);
      if (choice.knocks.length) {
        const gin = choice.left === 0;
        choice.knocks.forEach((melds, place) =>
          add(place ? `${gin ? "Gin" : "Knock"} with ${melds.map((meld) => meld.join(" ")).join(" | ")}` : gin ? "Gin!" : `Knock with ${choice.left}`, place ? String(place + 1) : gin ? "g" : "k", () => this.finish("knock", melds), "main"),
        );
        if (choice.play_on) add("Play on", "p", () => this.finish("play on"));
      } else add("Done", "Enter", () => this.finish(null), "main");
      add("Undo", "u", () => this.undo());
    } else if (s.phase === "draw") {
      if (s.actions.includes("take")) add(`Take ${s.upcard ? nameOf(s.upcard) : ""}`, "t", () => this.act("take"), "main");
      if (s.actions.includes("draw")) add("Draw", "d", () => this.act("draw"), "main");
      if (s.actions.includes("pass")) add("Pass", "p", () => this.act("pass"), "main");
    } else if (s.phase === "discard") {
      const choice = this.chosen ? this.choice(this.chosen) : null;
      const best = this.bestKnock();
      if (choice) add(`Discard ${nameOf(choice.card)}`, "d", () => this.discard(choice.card), "main");
      if (choice?.knocks.length) add(choice.left === 0 ? "Gin!" : `Knock with ${choice.left}`, choice.left === 0 ? "g" : "k", () => this.discard(choice.card), "main knock");
      else if (!choice && best) add(best.left === 0 ? "Gin!" : `Knock with ${best.left} …`, best.left === 0 ? "g" : "k", () => this.discard(best.card), "knock");
    } else if (s.phase === "knock") {
      s.choices.forEach((shown, place) => add(`${shown.left === 0 ? "Gin" : `Knock with ${shown.left}`}${place ? ` (${place + 1})` : ""}`, place ? String(place + 1) : "k", () => this.act("knock", { melds: shown.melds }), "main"));
      if (s.actions.includes("play on")) add("Play on", "p", () => this.act("play on"));
    } else if (s.phase === "defend") {
      s.choices.forEach((shown, place) => add(`Lay down${s.choices.length > 1 ? ` ${shown.melds.map((meld) => meld.join(" ")).join(" | ") || "nothing"}` : ""} (${shown.left} left)`, place ? String(place + 1) : "Enter", () => this.act("defend", { melds: shown.melds }), "main"));
    } else if (s.phase === "round over") add("Next round", "n", () => this.act("deal"), "main");
    this.parts.bar.replaceChildren(...buttons);
  }

  bestKnock() {
    return this.state.discards.filter((choice) => choice.knocks.length).sort((a, b) => a.left - b.left)[0];
  }

  renderTools() {
    const s = this.state;
    const tool = (label, title, action) => element("button", { class: "tool", title, onclick: action }, label);
    const left = this.pending ? this.choice(this.pending.card).left : this.chosen && s.phase === "discard" ? this.choice(this.chosen)?.left ?? s.deadwood : s.deadwood;
    const points = this.pending || (this.chosen && s.phase === "discard") ? `deadwood ${left} after this discard` : `deadwood ${left}`;
    this.parts.tools.replaceChildren(
      element("span", { class: "deadwood", hidden: !settings().deadwood, id: "deadwood" }, `${points} · knock at ${s.limit}`),
      element("span", { class: "spring" }),
      tool("by melds", "Sort the hand by melds (M)", () => this.sortBy("melds")),
      tool("by rank", "Sort the hand by rank", () => this.sortBy("rank")),
      tool("by suit", "Sort the hand by suit", () => this.sortBy("suit")),
      tool("settings", "Colours, sound, undo and keys (?)", () => showSettings(() => this.render())),
    );
  }

  renderSide() {
    const s = this.state;
    this.parts.scores.replaceChildren(
      element("h2", {}, `You ${s.scores[0]} : ${s.scores[1]} ${s.opponent_title}`),
      element("p", { class: "muted" }, `Round ${s.round} · first to ${s.target} · rules ${s.rules}`),
      s.sheet.length ? sheetTable(s) : element("p", { class: "muted" }, "No round is finished yet."),
    );
    const moves = s.events.slice(-14).map((event) => element("li", { class: event.mine ? "mine" : "" }, event.text));
    this.parts.moves.replaceChildren(element("h2", {}, "This round"), element("ol", {}, ...moves.reverse()));
  }

  renderOverlay() {
    const s = this.state;
    const overlay = this.parts.overlay;
    overlay.hidden = !(s.showdown || s.phase === "defend");
    this.root.classList.toggle("laid-open", !overlay.hidden);
    if (overlay.hidden) return overlay.replaceChildren();
    overlay.replaceChildren(showdown(s));
  }

  // What the person does.

  clicked(action) {
    if (this.dragged) this.dragged = false;
    else action();
  }

  choice(card) {
    return this.state.discards.find((choice) => choice.card === card);
  }

  choose(card) {
    if (this.busy || this.pending) return;
    this.chosen = this.chosen === card ? null : card;
    if (this.chosen && this.state.phase === "discard" && !this.choice(card)) this.say(`The ${nameOf(card)} was just taken from the pile: discard another card.`);
    this.render();
    this.focus(card);
  }

  focus(card) {
    this.parts.hand.querySelector(`[data-card="${card}"]`)?.focus();
  }

  discard(card) {
    if (this.busy || this.pending || this.state.phase !== "discard") return;
    const choice = this.choice(card);
    if (!choice) return this.say(`The ${nameOf(card)} cannot be discarded now.`, "alert");
    this.pending = { card, timer: null };
    this.chosen = null;
    sound("card");
    const undo = Number(settings().undo);
    if (!choice.knocks.length) {
      if (undo === 0) return this.finish(null);
      this.pending.timer = setTimeout(() => this.finish(null), 1000 * undo);
    }
    this.render();
    this.parts.bar.querySelector("button")?.focus();
  }

  undo() {
    if (!this.pending || this.busy) return;
    clearTimeout(this.pending.timer);
    const { card } = this.pending;
    this.pending = null;
    this.chosen = card;
    this.render();
    this.focus(card);
  }

  finish(then, melds) {
    if (!this.pending) return;
    clearTimeout(this.pending.timer);
    const body = { card: this.pending.card };
    if (then) body.then = then;
    if (melds && then === "knock") body.melds = melds;
    this.act("discard", body);
  }

  async act(action, more = {}) {
    if (this.busy) return;
    this.busy = true;
    const known = this.state.events.length;
    const round = this.state.round;
    this.renderBar();
    const waiting = this.watch();
    try {
      const next = await call(`/games/${this.id}/act`, { moves: this.state.moves, action, ...more });
      waiting.stop = true;
      await this.animate(next, next.round === round && action !== "deal" ? known : 0);
      this.busy = false;
      this.take(next);
      if (!this.parts.hand.contains(document.activeElement)) this.parts.bar.querySelector("button.main")?.focus({ preventScroll: true });
    } catch (error) {
      waiting.stop = true;
      this.busy = false;
      if (!(error instanceof Fault)) throw error;
      if (error.code === 0 || error.code === 409) await this.load();
      else {
        this.pending = null;
        this.render();
      }
      this.say(error.message, "alert");
    }
  }

  // Say why an answer takes long: the opponent thinks, or others are served first.
  watch() {
    const watched = { stop: false };
    (async () => {
      await wait(0.4);
      while (!watched.stop) {
        const found = await call("/waiting").catch(() => null);
        if (watched.stop) return;
        this.say(found?.ahead ? `${found.ahead} before you in the queue …` : `${this.state.opponent_title} is thinking …`);
        await wait(1);
      }
    })();
    return watched;
  }

  // Show the opponent's moves one after the other.
  async animate(next, known) {
    const news = next.events.slice(known).filter((event) => ["draw", "take", "discard", "pass", "knock"].includes(event.kind));
    if (next.phase.endsWith("over")) sound(next.showdown?.mine ? "win" : "knock");
    const still = !settings().motion || matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const event of news.filter((event) => !event.mine)) {
      this.say(event.text);
      sound("card");
      if (!still) await this.fly(event);
    }
    for (const event of news.filter((event) => event.mine && ["draw", "take"].includes(event.kind))) {
      if (!still) await this.fly(event);
    }
  }

  async fly(event) {
    const places = { foe: document.getElementById("foe-fan"), stock: document.getElementById("stock"), pile: document.getElementById("pile"), hand: this.parts.hand };
    const own = event.mine ? "hand" : "foe";
    const path = { draw: ["stock", own], take: ["pile", own], discard: [own, "pile"] }[event.kind];
    if (!path) return wait(0.25);
    const [from, to] = path.map((name) => places[name]?.getBoundingClientRect());
    if (!from || !to) return undefined;
    const card = picture(event.card && (event.kind !== "draw" || event.mine) ? event.card : "back", "flying");
    document.body.append(card);
    const at = (box) => `translate(${box.left + box.width / 2 - 36}px, ${box.top + box.height / 2 - 50}px)`;
    const flight = card.animate([{ transform: at(from) }, { transform: at(to) }], { duration: 260, easing: "ease-in-out" });
    await flight.finished.catch(() => undefined);
    card.remove();
    return undefined;
  }

  // Dragging, by mouse and by finger.

  draggable(made, card, drop, target) {
    made.addEventListener("pointerdown", (down) => {
      if (down.button || this.busy || this.pending) return;
      this.dragged = false;
      let moving = false;
      const move = (event) => {
        const [x, y] = [event.clientX - down.clientX, event.clientY - down.clientY];
        if (!moving && Math.hypot(x, y) < 7) return;
        moving = true;
        this.dragged = true;
        made.classList.add("dragging");
        made.style.transform = `translate(${x}px, ${y}px)`;
      };
      const end = (event) => {
        for (const kind of ["pointermove", "pointerup", "pointercancel"]) window.removeEventListener(kind, kind === "pointermove" ? move : end);
        made.classList.remove("dragging");
        made.style.transform = "";
        if (!moving || event.type === "pointercancel") return;
        setTimeout(() => { this.dragged = false; }, 50);
        const inside = (box) => box && event.clientX >= box.left - 20 && event.clientX <= box.right + 20 && event.clientY >= box.top - 20 && event.clientY <= box.bottom + 20;
        if (inside(target?.getBoundingClientRect())) drop();
        else if (card && inside(this.parts.hand.getBoundingClientRect())) this.moveCard(card, this.placeAt(event.clientX, event.clientY, card));
      };
      for (const kind of ["pointermove", "pointerup", "pointercancel"]) window.addEventListener(kind, kind === "pointermove" ? move : end);
    });
  }

  placeAt(x, y, card) {
    const others = [...this.parts.hand.children].filter((other) => other.dataset.card !== card);
    const rows = others.map((other) => other.getBoundingClientRect());
    const place = rows.findIndex((box) => x < box.left + box.width / 2 && y < box.bottom);
    return place === -1 ? others.length : place;
  }

  // The keyboard.

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.state) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      this.step(key === "ArrowRight" ? 1 : -1, event.shiftKey);
      event.preventDefault();
      return;
    }
    if ((key === "Enter" || key === " ") && event.target.closest?.("button, a, summary")) return; // the browser clicks it
    const button = this.parts.bar.querySelector(`[data-key="${key}"]`) ?? (key === "g" ? this.parts.bar.querySelector('[data-key="k"]') : null);
    if (button && !button.disabled) {
      button.click();
      event.preventDefault();
    } else if (key === "m") this.sortBy("melds");
    else if (key === "c" || key === "h") this.coach.ask();
    else if (key === "?") showSettings(() => this.render());
    else if (key === "Escape" && this.pending) this.undo();
  }

  step(by, carry) {
    const cards = [...this.parts.hand.querySelectorAll("button")];
    if (!cards.length) return;
    const at = cards.indexOf(document.activeElement);
    if (carry && at >= 0) return void this.moveCard(cards[at].dataset.card, at + by);
    const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length;
    cards.forEach((card, place) => card.setAttribute("tabindex", place === next ? 0 : -1));
    cards[next].focus();
  }
}


export function startTable() {
  const root = document.getElementById("table");
  if (!root || root.dataset.started) return;
  root.dataset.started = "yes";
  window.ginrummyTable = new Table(root);
  window.ginrummyTable.start();
}

// The review of a finished game: slider, graph of winning chances, marks, the coach's view, branches.

import { call, element, loadSprite, nameOf, picture } from "./cards.js";
import { adviceParts, heatMap, words } from "./coach.js";

const MARKS = { doubtful: "?!", mistake: "?", blunder: "??" };
const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;
const signed = (value) => `${value >= 0 ? "+" : "−"}${(100 * Math.abs(value)).toFixed(1)} %`;
const minus = (text) => String(text).replace("-", "−");
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

const VERBS = { takes: "take", draws: "draw", discards: "discard", passes: "pass", knocks: "knock", starts: "start", lays: "lay", melds: "meld", scores: "score", plays: "play" };

// What the person did, said to the person: "person draws" becomes "you draw".
function personal(text) {
  const [who] = text.match(/\bperson\b/) ?? [];
  if (!who) return text;
  return text.replace(/\bperson\b/g, "you").replace(/\b[a-z]+\b/g, (word) => VERBS[word] ?? word);
}

class ReviewPage {
  constructor(root) {
    this.root = root;
    this.game = root.dataset.game;
    this.opponents = JSON.parse(root.dataset.opponents);
    this.at = 0;
  }

  async start() {
    await loadSprite();
    for (;;) {
      let found;
      try {
        found = await call(`/games/${this.game}/review`);
      } catch (error) {
        this.root.replaceChildren(element("p", { role: "alert" }, error.message));
        if (error.code !== 0) return;
        await wait(2);
        continue;
      }
      if (found.error) return void this.root.replaceChildren(element("p", { role: "alert" }, found.error));
      if (found.ready) {
        this.body = found.review;
        break;
      }
      const share = found.total ? found.done / found.total : 0;
      this.root.replaceChildren(
        element("h1", {}, "The coach looks at every decision …"),
        element("progress", { value: share, max: 1, "aria-label": "Progress of the review" }),
        element("p", { class: "muted" }, found.total ? `${found.done} of ${found.total} steps` : "waiting for its turn"),
      );
      await wait(0.6);
    }
    this.prepare();
    this.build();
    const first = this.body.decisions.find((one) => one.mark);
    this.go(first ? this.placeOf(first) : 0);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  prepare() {
    const b = this.body;
    this.name = (seat) => (seat === b.seat ? "You" : b.players[seat]);
    this.places = new Map(b.moments.map((moment, place) => [`${moment.round}.${moment.action}`, place]));
    this.decisions = new Map(b.decisions.map((one) => [this.placeOf(one), one]));
    this.points = b.curve.map((point) => ({ ...point, at: this.placeOf(point) }));
    this.texts = new Map(this.points.map((point) => [point.at, personal(point.text)]));
  }

  placeOf(one) {
    return this.places.get(`${one.round}.${one.action}`) ?? 0;
  }

  build() {
    const b = this.body;
    const marked = b.decisions.filter((one) => one.mark);
    const other = b.players[1 - b.seat];
    const won = b.winner === null ? "a draw" : b.winner === b.seat ? "you won" : "you lost";
    this.board = element("section", { class: "felt review-board", "aria-label": "Table at this moment" });
    this.detail = element("section", { class: "panel", id: "detail", "aria-live": "polite" });
    this.slider = element("input", { type: "range", id: "slider", min: 0, max: b.moments.length - 1, value: 0, "aria-label": "Moment of the game", oninput: (event) => this.go(Number(event.target.value)) });
    this.graph = element("div", { class: "graph" });
    const button = (label, title, action) => element("button", { class: "act", title, onclick: action }, label);
    const list = element("ul", { class: "marks" }, ...marked.map((one) => element("li", {}, element("button", { class: `mark ${one.mark}`, onclick: () => this.go(this.placeOf(one)) }, element("b", {}, MARKS[one.mark]), ` round ${b.moments[this.placeOf(one)].round + 1}: `, words(one.played), element("span", { class: "muted" }, ` ${signed(-one.loss[0])}`)))));
    const counts = Object.entries(b.own.counts).map(([mark, count]) => element("span", { class: `badge ${mark}` }, `${count} ${mark}`));
    const luck = b.luck
      ? element("p", { id: "luck" }, `Luck: the cards gave you ${signed(b.luck.cards)} of winning chance and ${b.luck.cards_points.toFixed(0)} points; without their luck the result is ${minus(b.luck.adjusted.toFixed(2))}, the margin ${minus(b.luck.adjusted_points.toFixed(0))} instead of ${minus(b.luck.margin)} points.`)
      : element("p", { class: "muted" }, "The record does not know all cards: luck cannot be separated.");
    this.root.replaceChildren(
      element("h1", {}, `Review: ${won}, ${b.totals[b.seat]} to ${b.totals[1 - b.seat]} against ${other}`),
      element("div", { class: "row" }, ...counts, element("span", {}, `error rate ${percent(b.own.error_rate, 2)} over ${b.own.mattered} decisions that mattered (of ${b.own.decisions})`)),
      luck,
      this.graph,
      element("div", { class: "row controls" }, button("« mark", "Previous mark", () => this.jump(-1)), button("◀", "Back (left arrow)", () => this.go(this.at - 1)), this.slider, button("▶", "Forward (right arrow)", () => this.go(this.at + 1)), button("mark »", "Next mark (M)", () => this.jump(1))),
      element("div", { class: "review" }, element("div", {}, this.board, this.branchForm()), element("div", {}, this.detail, element("section", { class: "panel" }, element("h2", {}, "Marked decisions"), marked.length ? list : element("p", { class: "muted" }, "None: nothing cost 1 % for sure.")), this.links())),
    );
    this.drawGraph();
  }

  links() {
    return element("p", { class: "row" }, element("a", { class: "act", href: `/api/games/${this.game}/record`, download: "" }, "Download the record"), element("a", { class: "act", id: "review-file", href: `/api/games/${this.game}/review.html`, download: "" }, "Review as one file"), element("a", { class: "act", href: "/quiz" }, "Quiz"));
  }

  branchForm() {
    const opponent = element("select", { id: "branch-opponent", "aria-label": "Opponent" }, ...this.opponents.map(([name, title]) => element("option", { value: name, selected: name === this.root.dataset.opponent }, title)));
    const hidden = element("select", { id: "branch-hidden", "aria-label": "Hidden cards" }, element("option", { value: "redrawn" }, "other hidden cards that fit"), element("option", { value: "kept" }, "the cards as they lay"));
    const note = element("span", { role: "status" });
    const go = element("button", { class: "act main", id: "branch", onclick: async () => {
      const moment = this.body.moments[this.at];
      go.disabled = true;
      try {
        const state = await call(`/games/${this.game}/branch`, { round: moment.round, action: moment.action, opponent: opponent.value, seat: this.body.seat, hidden: hidden.value });
        location.href = `/game/${state.id}`;
      } catch (error) {
        note.textContent = error.message;
        go.disabled = false;
      }
    } }, "Play on from here");
    return element("div", { class: "row branch" }, go, element("span", {}, "against"), opponent, element("span", {}, "with"), hidden, note);
  }

  // The graph: winning chance by moment, as a line in a drawing of our own.
  drawGraph() {
    const [width, height] = [1000, 190];
    const last = Math.max(1, this.body.moments.length - 1);
    const x = (at) => (width * at) / last;
    const y = (win) => height - 8 - (height - 16) * win;
    const known = this.points.filter((point) => point.win || point.seen !== null).map((point) => [point.at, point.win ? point.win[0] : point.seen, point.win ? point.win[1] : 0]);
    const line = known.map(([at, win], k) => `${k ? "L" : "M"}${x(at).toFixed(1)} ${y(win).toFixed(1)}`).join("");
    const upper = known.map(([at, win, error]) => `${x(at).toFixed(1)} ${y(Math.min(1, win + 1.96 * error)).toFixed(1)}`);
    const lower = known.map(([at, win, error]) => `${x(at).toFixed(1)} ${y(Math.max(0, win - 1.96 * error)).toFixed(1)}`).reverse();
    const rounds = this.body.moments.map((moment, at) => [moment, at]).filter(([moment, at]) => at && moment.action === 0);
    const verticals = rounds.map(([, at]) => `<line x1="${x(at)}" x2="${x(at)}" y1="0" y2="${height}" stroke="#d8d4c6"/>`).join("");
    const dots = this.body.decisions.filter((one) => one.mark).map((one) => {
      const at = this.placeOf(one);
      const near = known.reduce((best, point) => (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best), known[0] ?? [at, 0.5]);
      return element("i", { class: `dot ${one.mark}`, title: `${one.mark}: ${one.played}`, style: `left:${(100 * at) / last}%;top:${(100 * y(near[1])) / height}%` });
    });
    this.graph.innerHTML = `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Your chance to win the game, from the first deal to the end"><rect width="${width}" height="${height}" fill="#fff"/>${verticals}<line x1="0" x2="${width}" y1="${y(0.5)}" y2="${y(0.5)}" stroke="#9aa39c" stroke-dasharray="6 5"/><path d="M${[...upper, ...lower].join("L")}Z" fill="#2f8f5733"/><path d="${line}" fill="none" stroke="#1d6f42" stroke-width="2.2" vector-effect="non-scaling-stroke"/><line id="cursor" y1="0" y2="${height}" stroke="#c2410c" stroke-width="2" vector-effect="non-scaling-stroke"/></svg><span class="axis top">100 %</span><span class="axis mid">50</span><span class="axis low">0</span>`;
    this.graph.append(...dots);
    this.graph.querySelector("svg").addEventListener("click", (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      this.go(Math.round((last * (event.clientX - box.left)) / box.width));
    });
    this.x = x;
  }

  go(place) {
    const b = this.body;
    this.at = Math.max(0, Math.min(place, b.moments.length - 1));
    this.slider.value = this.at;
    const moment = b.moments[this.at];
    const cursor = this.graph.querySelector("#cursor");
    cursor?.setAttribute("x1", this.x(this.at));
    cursor?.setAttribute("x2", this.x(this.at));
    this.slider.setAttribute("aria-valuetext", `round ${moment.round + 1}, action ${moment.action}: ${this.texts.get(this.at) ?? ""}`);
    this.drawBoard(moment);
    this.drawDetail(moment);
  }

  drawBoard(moment) {
    const b = this.body;
    const row = (seat) => element("div", { class: "open-row", role: "group", "aria-label": `${this.name(seat)}: ${moment.hands[seat].map(nameOf).join(", ")}` }, ...moment.hands[seat].map((card) => picture(card, "small")));
    const arrow = (seat) => (moment.mover === seat ? " ◂ to move" : "");
    this.board.replaceChildren(
      element("div", { class: "who" }, element("b", {}, b.players[1 - b.seat] + arrow(1 - b.seat)), element("span", { class: "points" }, String(moment.scores[1 - b.seat]))),
      row(1 - b.seat),
      element("div", { class: "middle" }, element("div", { class: "place stock" }, picture("back"), element("span", { class: "count" }, String(moment.stock))), element("div", { class: "place pile" }, moment.upcard ? picture(moment.upcard) : element("span", { class: "empty" }))),
      row(b.seat),
      element("div", { class: "who" }, element("b", {}, `You${arrow(b.seat)}`), element("span", { class: "points" }, String(moment.scores[b.seat]))),
    );
  }

  drawDetail(moment) {
    const one = this.decisions.get(this.at);
    const point = this.points.find((found) => found.at === this.at);
    const parts = [element("h2", {}, `Round ${moment.round + 1}, move ${moment.action}`)];
    const text = this.texts.get(this.at);
    if (text) parts.push(element("p", {}, words(text), point?.win ? element("b", {}, ` · chance to win ${percent(point.win[0])}`) : null));
    if (one) {
      const verdict = one.mark ? `${MARKS[one.mark]} ${one.mark}: ` : one.played === one.best ? "Best: " : "Played: ";
      parts.push(element("p", { class: `verdict ${one.mark}` }, element("b", {}, verdict), words(one.played), one.mark ? element("span", {}, ` lost ${percent(one.loss[0])} ± ${(196 * one.loss[1]).toFixed(1)}; better was `, words(one.best)) : null));
      if (one.line.length) parts.push(element("p", { class: "muted" }, "Best line with the cards as they lay: ", words(one.line.map(personal).join("; "))));
      if (one.advice) {
        const advice = { ...one.advice, chances: {} };
        parts.push(...adviceParts({ ...advice, chances: one.advice.chances }, null).filter((part) => !part.classList.contains("heat")));
        parts.push(heatMap(one.advice.chances, null, moment.hands[1 - this.body.seat]), element("p", { class: "muted" }, "Framed: the cards that the opponent really held."));
      } else {
        const rows = one.options.map(([option, win, behind]) => element("tr", { class: option === one.played ? "best" : "" }, element("td", {}, words(option)), element("td", { class: "number" }, percent(win[0])), element("td", { class: "number muted" }, behind[0] ? signed(behind[0]) : "best")));
        parts.push(element("table", { class: "options" }, element("tbody", {}, ...rows)));
      }
    }
    this.detail.replaceChildren(...parts.filter(Boolean));
  }

  jump(by) {
    const marked = this.body.decisions.filter((one) => one.mark).map((one) => this.placeOf(one));
    const next = by > 0 ? marked.find((place) => place > this.at) : marked.filter((place) => place < this.at).at(-1);
    if (next !== undefined) this.go(next);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || ["SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    if (event.target === this.slider && event.key.startsWith("Arrow")) return;
    if (event.key === "ArrowLeft") this.go(this.at - 1);
    else if (event.key === "ArrowRight") this.go(this.at + 1);
    else if (event.key === "m") this.jump(1);
  }
}


export function startReview() {
  const root = document.getElementById("review");
  if (!root || root.dataset.started) return;
  root.dataset.started = "yes";
  window.ginrummyReview = new ReviewPage(root);
  window.ginrummyReview.start();
}

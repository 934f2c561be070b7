"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const slider = at("when"), seat = data.seat, other = 1 - seat;
  const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
  const SUITS = ["♣", "♥", "♠", "♦"];
  const NAMES = ["clubs", "hearts", "spades", "diamonds"];
  let step = 0;

  const make = (tag, kind, text) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const percent = (share, places) => (100 * share).toFixed(places === undefined ? 1 : places) + " %";
  const cardName = (card) => RANKS[card % 13] + " of " + NAMES[Math.floor(card / 13)];

  function drawCard(card) {
    const suit = Math.floor(card / 13);
    const made = make("span", "card" + (suit % 2 ? " red" : ""));
    made.append(RANKS[card % 13], make("i", "", SUITS[suit]));
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", cardName(card));
    return made;
  }
  function backs(number) {
    const group = make("div", "loose");
    for (let k = 0; k < number; k++) group.append(make("span", "card hidden"));
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", number + " hidden cards");
    return group;
  }
  function drawHand(cards, hide) {
    const hand = make("div", "hand");
    if (hide) {
      const melded = cards.melds.reduce((sum, meld) => sum + meld.length, 0);
      hand.append(backs(melded + cards.loose.length + cards.unknown));
      return hand;
    }
    for (const meld of cards.melds) {
      const group = make("div", "meld");
      group.append(...meld.map(drawCard));
      hand.append(group);
    }
    const loose = make("div", "loose");
    loose.append(...cards.loose.map(drawCard));
    hand.append(loose);
    if (cards.unknown) hand.append(backs(cards.unknown));
    return hand;
  }
  function cardLine(text, cards) {
    const parts = [text];
    for (const card of cards) {
      const suit = Math.floor(card / 13);
      parts.push(make("span", suit % 2 ? "red" : "", RANKS[card % 13] + SUITS[suit]), " ");
    }
    if (!cards.length) parts.push("nothing");
    return parts;
  }
  function drawSeat(box, now, who, hide) {
    const cards = now.cards[who];
    const left = cards.deadwood === null || hide ? "" : " · deadwood " + cards.deadwood;
    box.className = "seat" + (now.mover === who ? " acts" : "");
    box.replaceChildren(make("div", "who", data.players[who] + (now.mover === who ? " to act" : "") + left),
      drawHand(cards, hide));
  }
  function drawMiddle(box, now) {
    const pile = make("div"), stock = make("div"), score = make("div", "score");
    pile.append(now.top < 0 ? make("span", "card none") : drawCard(now.top), make("div", "", "upcard"));
    stock.append(make("span", "card hidden"), make("div", "", now.stock + " in the stock"));
    score.append(make("div", "", "round " + now.number),
      make("div", "", data.players[seat] + " " + now.scores[seat]),
      make("div", "", data.players[other] + " " + now.scores[other]));
    box.replaceChildren(pile, stock, score);
  }

  function words(text) {
    const parts = document.createDocumentFragment();
    text.replace(/ %/g, "\u00a0%").split(/\b([A2-9TJQK][CHSD])\b/).forEach((word, k) => {
      if (k % 2) {
        const suit = "CHSD".indexOf(word[1]);
        parts.append(make("span", suit % 2 ? "red" : "", (word[0] === "T" ? "10" : word[0]) + SUITS[suit]));
      } else parts.append(word);
    });
    return parts;
  }
  function saying(text) {
    const made = make("p");
    made.append(words(text));
    return made;
  }
  function optionTable(one) {
    const table = make("table", "options"), head = make("tr");
    for (const name of ["answer", "wins the game", "behind"]) head.append(make("th", "", name));
    table.append(head);
    let shown = one.options.slice(0, 5);
    const played = one.options.find((option) => option[0] === one.played);
    if (!shown.includes(played)) shown = shown.concat([played]);
    for (const [text, win, behind] of shown) {
      const row = make("tr", (text === one.played ? "played " : "") + (text === one.best ? "best" : ""));
      const cell = make("td");
      cell.append(words(text));
      row.append(cell, make("td", "", percent(win[0]) + " ± " + (100 * win[1]).toFixed(1)),
        make("td", "", behind[0] < 0 ? percent(-behind[0]) + " ± " + (100 * behind[1]).toFixed(1) : "–"));
      table.append(row);
    }
    return table;
  }
  function drawJudged(box, now) {
    box.replaceChildren();
    if (now.judged === null || now.judged === undefined) return;
    const one = data.judged[now.judged];
    const line = make("p", one.mark);
    if (one.mark) {
      line.append(make("b", "", data.symbols[one.mark] + " " + one.mark), ": ", words(one.played), " loses ",
        percent(one.loss[0]) + " ± " + (100 * one.loss[1]).toFixed(1), " against ", words(one.best), ".");
    } else {
      line.append(data.players[one.seat] + " plays: ", words(one.played), ".");
    }
    box.append(line, optionTable(one));
    if (one.reason) box.append(saying(one.reason));
    if (one.line.length) {
      const follows = make("p", "note", "With the cards as they lay: ");
      follows.append(words(one.line.join("; ")), ".");
      box.append(follows);
    }
  }

  function show(number) {
    step = Math.max(0, Math.min(data.steps.length - 1, number));
    const now = data.steps[step];
    slider.value = step;
    slider.setAttribute("aria-valuetext", "round " + now.number + ", " + now.text);
    drawSeat(at("other"), now, other, !at("open").checked && now.mover >= 0);
    drawSeat(at("own"), now, seat, false);
    drawMiddle(at("middle"), now);
    const chance = now.win === null ? now.seen : now.win;
    at("said").replaceChildren(words(now.text),
      chance === null || chance === undefined ? "" : " · " + data.players[seat] + " wins in " + percent(chance, 0));
    drawJudged(at("judged"), now);
    const [width, left, right] = data.graph;
    const x = left + (width - left - right) * step / Math.max(1, data.steps.length - 1);
    at("cursor").setAttribute("x1", x);
    at("cursor").setAttribute("x2", x);
  }
  const marked = data.steps.map((now, k) => k).filter((k) => {
    const one = data.judged[data.steps[k].judged];
    return one && one.mark && one.seat === seat;
  });
  const toMark = (next) => {
    const found = next ? marked.find((k) => k > step) : marked.filter((k) => k < step).pop();
    if (found !== undefined) show(found);
  };

  slider.max = data.steps.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  at("back").addEventListener("click", () => show(step - 1));
  at("on").addEventListener("click", () => show(step + 1));
  at("back-mark").addEventListener("click", () => toMark(false));
  at("on-mark").addEventListener("click", () => toMark(true));
  at("open").addEventListener("change", () => show(step));
  at("graph").addEventListener("click", (event) => {
    const mark = event.target.closest("g[data-at]");
    if (mark) return show(Number(mark.dataset.at));
    const box = at("graph").getBoundingClientRect(), [width, left, right] = data.graph;
    const x = (event.clientX - box.left) * width / box.width;
    show(Math.round((x - left) / (width - left - right) * (data.steps.length - 1)));
  });
  for (const button of document.querySelectorAll("button[data-at]")) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.at));
      at("replay").scrollIntoView({ behavior: "smooth" });
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, button")) return;
    if (event.key === "ArrowLeft") show(step - 1);
    if (event.key === "ArrowRight") show(step + 1);
  });

  let asked = 0;
  function ask() {
    const box = at("question");
    if (!box) return;
    const item = data.quiz[asked];
    const now = data.steps.find((one) => one.place[0] === item.place[0] && one.place[1] === item.place[1]);
    const table = make("div", "table"), middle = make("div", "middle"), own = make("div");
    drawMiddle(middle, now);
    drawSeat(own, now, seat, false);
    table.append(middle, own);
    const known = make("p", "note"), held = now.taken[other], pile = now.pile;
    known.append(...cardLine(data.players[other] + " is known to hold ", held), " · ",
      ...cardLine("the pile, from its bottom: ", pile));
    const answers = make("div", "answers"), told = make("div");
    told.setAttribute("role", "status");
    for (const option of item.options) {
      const button = make("button");
      button.type = "button";
      button.append(words(option));
      button.addEventListener("click", () => {
        const right = option === item.answer;
        told.className = "told";
        told.replaceChildren(make("b", "", right ? "Right. " : "Not the best. "));
        told.append("Best is ", words(item.answer), "; you played ", words(item.played), ", which lost " +
          percent(item.loss[0]) + " ± " + (100 * item.loss[1]).toFixed(1) + ". ", words(item.reason));
      });
      answers.append(button);
    }
    const next = make("button", "", "next question");
    next.type = "button";
    next.addEventListener("click", () => { asked = (asked + 1) % data.quiz.length; ask(); });
    box.replaceChildren(make("p", "", "Question " + (asked + 1) + " of " + data.quiz.length + ": what do you do?"),
      table, known, answers, told, next);
  }
  show(marked.length ? marked[0] : 0);
  if (data.quiz.length) ask();
})();

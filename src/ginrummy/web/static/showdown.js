// Hands laid open: the knocker's melds, the other hand, layoffs on the knocker's melds, points.

import { element, nameOf, picture } from "./cards.js";

function meldRow(melds, layoffs) {
  return melds.map((meld, place) => {
    const added = layoffs.filter(([, on]) => on === place).map(([card]) => card);
    const label = `meld ${meld.map(nameOf).join(", ")}${added.length ? `; laid off ${added.map(nameOf).join(", ")}` : ""}`;
    return element("div", { class: "meld", role: "group", "aria-label": label }, ...meld.map((card) => picture(card, "small")), ...added.map((card) => picture(card, "small laid-off")));
  });
}

function handRow(title, shown, layoffsOnMelds) {
  const loose = shown.loose.length
    ? element("div", { class: "meld loose", role: "group", "aria-label": `deadwood ${shown.loose.map(nameOf).join(", ")}` }, ...shown.loose.map((card) => picture(card, "small")))
    : null;
  return element(
    "section",
    { class: "open-hand" },
    element("h3", {}, title, element("span", { class: "left" }, shown.left ? `${shown.left} left` : "no deadwood")),
    element("div", { class: "melds" }, ...meldRow(shown.melds, layoffsOnMelds), loose),
  );
}

export function showdown(state) {
  const end = state.showdown;
  if (!end) {
    return element(
      "div",
      { class: "showdown" },
      element("h2", {}, `${state.opponent_title} knocks`),
      element("div", { class: "melds" }, ...meldRow(state.opponent_melds, [])),
      element("p", {}, "Lay your hand down: cards that fit are laid off on these melds."),
    );
  }
  const mine = end.knocked === true;
  const layoffs = end.defence?.layoffs ?? [];
  const titles = mine ? ["You knock", state.opponent_title] : [`${state.opponent_title} knocks`, "You"];
  const laid = layoffs.length ? element("p", { class: "muted" }, `Laid off: ${layoffs.map(([card]) => nameOf(card)).join(", ")} (framed in gold).`) : null;
  const buttons = element("div", { class: "row" });
  if (state.phase === "game over") {
    buttons.append(element("a", { class: "act main", href: `/review/${state.id}`, id: "to-review" }, "Review the game"), element("a", { class: "act", href: "/" }, "New game"));
  }
  return element(
    "div",
    { class: "showdown" },
    element("h2", { class: end.mine ? "won" : end.mine === false ? "lost" : "" }, end.text),
    state.result ? element("p", { class: "final" }, state.result.won ? `You win the game, ${state.result.totals[0]} to ${state.result.totals[1]}.` : state.result.won === false ? `${state.opponent_title} wins the game, ${state.result.totals[1]} to ${state.result.totals[0]}.` : "The game is a draw.") : null,
    end.knock ? handRow(titles[0], end.knock, layoffs) : null,
    end.defence ? handRow(titles[1], end.defence, []) : null,
    laid,
    element("p", {}, `Score: you ${state.scores[0]}, ${state.opponent_title} ${state.scores[1]}.`),
    buttons,
  );
}

export function sheetTable(state) {
  const rows = state.sheet.map((row) =>
    element("tr", {}, element("td", {}, String(row.round)), element("td", {}, row.outcome), element("td", {}, row.mine ? `+${row.points}` : ""), element("td", {}, row.mine === false ? `+${row.points}` : ""), element("td", {}, `${row.scores[0]}–${row.scores[1]}`)),
  );
  const heads = ["round", "how", "you", "they", "score"].map((text) => element("th", { scope: "col" }, text));
  return element("table", { class: "sheet" }, element("caption", {}, "Score sheet"), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
}

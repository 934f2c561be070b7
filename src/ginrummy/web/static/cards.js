// Cards on the page: names for people, elements with our own drawings, and calls of the API.

export const RANKS = "A23456789TJQK";
export const SUITS = "CHSD";
const RANK_NAMES = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"];
const SUIT_NAMES = { C: "clubs", H: "hearts", S: "spades", D: "diamonds" };
const SYMBOLS = { C: "♣", H: "♥", S: "♠", D: "♦" };

export const rankOf = (card) => RANKS.indexOf(card[0]);
export const suitOf = (card) => card[1];
export const pointsOf = (card) => Math.min(rankOf(card) + 1, 10);
export const nameOf = (card) => `${RANK_NAMES[rankOf(card)]} of ${SUIT_NAMES[suitOf(card)]}`;
export const shortOf = (card) => `${card[0] === "T" ? "10" : card[0]}${SYMBOLS[suitOf(card)]}`;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function drawing(card) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 200 280");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#card-${card}`);
  svg.append(use);
  return svg;
}

// A card that is only looked at.
export function picture(card, extra = "") {
  const suit = card === "back" ? "" : ` suit-${suitOf(card)}`;
  return element(
    "span",
    { class: `card${suit} ${extra}`, role: "img", "aria-label": card === "back" ? "a hidden card" : nameOf(card) },
    drawing(card),
  );
}

// A word about cards inside a text: coloured by suit.
export function inline(card) {
  return element("span", { class: `inline suit-${suitOf(card)}`, title: nameOf(card) }, shortOf(card));
}

let loading = null;
export function loadSprite() {
  loading ??= fetch("/static/cards.svg")
    .then((answer) => answer.text())
    .then((text) => {
      const holder = element("div", { id: "card-sprite", "aria-hidden": "true" });
      holder.style.cssText = "position:absolute;width:0;height:0;overflow:hidden";
      holder.innerHTML = text;
      document.body.prepend(holder);
    });
  return loading;
}

export class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export async function call(path, body, method) {
  const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(`/api${path}`, options);
  } catch {
    throw new Fault(0, "The server does not answer.");
  }
  if (answer.status === 204) return null;
  let value;
  try {
    value = await answer.json();
  } catch {
    throw new Fault(answer.status, "The server's answer cannot be read.");
  }
  if (!answer.ok) throw new Fault(answer.status, value.error ?? "Something went wrong.");
  return value;
}

// Settings of this browser.
const DEFAULTS = { fourColours: false, deadwood: true, sound: false, undo: 1.5, motion: true, sort: "melds", coach: false };
export function settings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem("ginrummy") ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}
export function set(name, value) {
  const all = { ...settings(), [name]: value };
  try {
    localStorage.setItem("ginrummy", JSON.stringify(all));
  } catch {
    // a browser without storage forgets the setting
  }
  document.documentElement.classList.toggle("four-colours", Boolean(all.fourColours));
  return all;
}
document.documentElement.classList.toggle("four-colours", Boolean(settings().fourColours));

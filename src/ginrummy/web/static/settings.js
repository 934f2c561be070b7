// The dialog of settings and keys.

import { element, set, settings } from "./cards.js";

const KEYS = [
  ["←  →", "go through your cards"],
  ["Shift + ←  →", "move the card"],
  ["Enter or space", "choose the card"],
  ["T", "take the upcard"],
  ["D", "draw, or discard the chosen card"],
  ["P", "pass, or play on"],
  ["K, G", "knock, gin"],
  ["U or Esc", "take the discard back"],
  ["N", "next round"],
  ["M", "sort by melds"],
  ["C", "ask the coach"],
];

export function showSettings(changed) {
  const values = settings();
  const toggle = (name, label) =>
    element("label", { class: "setting" }, element("input", { type: "checkbox", checked: Boolean(values[name]), onchange: (event) => { set(name, event.target.checked); changed(); } }), ` ${label}`);
  const undo = element(
    "select",
    { "aria-label": "Time to take a discard back", onchange: (event) => set("undo", Number(event.target.value)) },
    ...[[0, "at once"], [1.5, "after 1.5 seconds"], [4, "after 4 seconds"]].map(([value, label]) => element("option", { value, selected: Number(values.undo) === value }, label)),
  );
  const dialog = element(
    "dialog",
    { class: "settings", "aria-label": "Settings" },
    element("h2", {}, "Settings"),
    toggle("fourColours", "four-colour deck"),
    toggle("deadwood", "show my deadwood"),
    toggle("sound", "sound"),
    toggle("motion", "move the cards"),
    element("label", { class: "setting" }, "a discard is final ", undo),
    element("h2", {}, "Keys"),
    element("dl", { class: "keys" }, ...KEYS.flatMap(([key, meaning]) => [element("dt", {}, key), element("dd", {}, meaning)])),
    element("button", { class: "act main", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("close", () => { dialog.remove(); changed(); });
  document.body.append(dialog);
  dialog.showModal();
}

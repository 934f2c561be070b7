// Short sounds, made here and off by default.

import { settings } from "./cards.js";

let context = null;
const TONES = { card: [[320, 0.05]], knock: [[140, 0.09], [120, 0.09]], win: [[523, 0.1], [659, 0.1], [784, 0.16]] };

export function play(name) {
  if (!settings().sound) return;
  context ??= new AudioContext();
  let start = context.currentTime;
  for (const [pitch, length] of TONES[name]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = name === "win" ? "sine" : "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
    start += length;
  }
}

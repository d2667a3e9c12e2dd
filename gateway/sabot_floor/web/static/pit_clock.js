// Clock: ages and time limits that tick, by the server's clock.
import {html, useEffect, useState} from "./vendor/preact.js";
import {clockTime} from "./site_time.js";
import {t} from "./words.js";

let offset_ms = 0; // the server's clock minus this machine's
const ticking = new Set();
setInterval(() => ticking.forEach((tick) => tick()), 1000);

// Take the server's time from the head of an answer; it has whole seconds.
export function setClock(response) {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(date)) offset_ms = date + 500 - Date.now();
}

export const now = () => Date.now() + offset_ms;

// Draw again every second.
function useTick() {
  const [, set] = useState(0);
  useEffect(() => {
    const tick = () => set((count) => count + 1);
    ticking.add(tick);
    return () => ticking.delete(tick);
  }, []);
}

// A number of seconds in words: 12 s, 3 min, 2 h 5 min, 3 d.
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return t("pit.seconds", {n: whole});
  if (whole < 3600) return t("pit.minutes", {n: Math.floor(whole / 60)});
  if (whole < 86400) return t("pit.hours", {n: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60)});
  return t("pit.days", {n: Math.floor(whole / 86400)});
}

// How long ago something was.
export function Age({time}) {
  useTick();
  return html`<time class="age" datetime=${time} title=${clockTime(time)}>${duration((now() - Date.parse(time)) / 1000)}</time>`;
}

// How long until a time limit, or how late it is.
export function Limit({until, late}) {
  useTick();
  const left_s = (Date.parse(until) - now()) / 1000;
  if (Number.isNaN(left_s)) return html`<span class="limit">${until}</span>`;
  const over = late || left_s < 0;
  const text = left_s < 0 ? t("pit.late_by", {time: duration(-left_s)}) : t("pit.left", {time: countdown(left_s)});
  return html`<time class=${over ? "limit late" : "limit"} datetime=${until} title=${clockTime(until)}>${text}</time>`;
}

function countdown(seconds) {
  if (seconds >= 3600) return duration(seconds);
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

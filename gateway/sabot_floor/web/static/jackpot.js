// The Jackpot Display: the amount, winning messages, and where the jackpot is not offered. `?table=` is the table it stands at.
import {html, render, useEffect, useRef, useState} from "./vendor/preact.js";
import {NotLive, useLive} from "./live.js";
import {printed} from "./printed.js";
import {Unknown} from "./unknown.js";
import {t, title, wordOr} from "./words.js";

const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const table = new URLSearchParams(location.search).get("table") ?? "";
const COUNT_MS = 800; // display and console have the same value within a second

// An amount of minor units as text: 123450 with 2 digits is 1,234.50.
export function money(minor, digits) {
  const text = String(minor).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return digits ? `${whole}.${text.slice(-digits)}` : whole;
}

// The amount to show: counts up to the meter, is never above it, and follows it down at once.
function useCount(meter) {
  const [shown, set] = useState(meter);
  const now = useRef(meter);
  useEffect(() => {
    const from = now.current;
    const put = (value) => {
      now.current = value;
      set(value);
    };
    if (meter <= from || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      put(meter);
      return undefined;
    }
    const began = performance.now();
    let frame = 0;
    const step = (time) => {
      const part = Math.min(1, Math.max(0, (time - began) / COUNT_MS));
      put(from + Math.floor((meter - from) * part));
      if (part < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [meter]);
  return Math.min(shown, meter);
}

function Amount({state}) {
  const shown = useCount(state.display);
  return html`<p class="amount" data-meter=${state.display} data-shown=${shown}><small>${state.currency}</small> ${money(shown, state.digits)}</p>`;
}

function Won({won}) {
  return html`<div class="won" role="alert"><h2>${t("jackpot.won")}</h2><p>${t("jackpot.won_at", won)}</p><p class="outcome">${printed(won.outcome)}</p></div>`;
}

// Why a jackpot is not offered: the words of the page, else those that a person gave.
const whyText = (why) => wordOr(`jackpot.why_${why}`, why);

// Why the amount is not live: coups of a table do not come while its gateway does not answer.
function amountWhy(state, why) {
  if (why || !state?.away?.length) return why;
  return (table ? state.away.includes(table) : state.away.length === state.tables.length) ? "no_gateway" : "";
}

function NotOffered({state}) {
  const here = table && state.not_offered[table];
  if (here) return html`<div class="not-offered" role="alert"><h2>${t("jackpot.not_offered")}</h2><p>${t("jackpot.why", {why: whyText(here)})}</p></div>`;
  if (table) return null;
  return html`<ul class="elsewhere">${Object.entries(state.not_offered).map(
    ([name, why]) => html`<li>${t("jackpot.not_offered_at", {table: name})}: ${whyText(why)}</li>`,
  )}</ul>`;
}

function Page() {
  const {state, why: ownWhy} = useLive(`jackpot/${key || "-"}`);
  const why = amountWhy(state, ownWhy);
  const live = why === "";
  if (!state) return html`<${NotLive} live=${live} why=${why} />`;
  if (!state.known) return html`<${NotLive} live=${live} why=${why} /><${Unknown} say=${key ? t("unknown.jackpot", {jackpot: key}) : t("unknown.choose_jackpot")} links=${state.others.map((one) => [`/jackpot/${encodeURIComponent(one.id)}`, one.title])} />`;
  const off = Boolean(table && state.not_offered[table]);
  return html`
    <${NotLive} live=${live} why=${why} />
    <div class="display ${off || state.fault ? "off" : ""}">
      <h1>${state.title}</h1>
      ${state.fault ? html`<p class="fault" role="alert">${t("jackpot.fault")}</p>` : html`<${Amount} state=${state} />`}
      ${state.won ? html`<${Won} won=${state.won} />` : null}
      ${state.confirming.map((name) => html`<p class="confirming">${t("jackpot.confirming", {table: name})}</p>`)}
      <${NotOffered} state=${state} />
      ${live && !table ? state.away.map((name) => html`<p class="elsewhere" key=${name}>${t("jackpot.away", {table: name})}</p>`) : null}
      ${state.last.length && !state.won ? html`<p class="last">${t("jackpot.last", state.last[0])}</p>` : null}
    </div>`;
}

title("jackpot.title");
render(html`<${Page} />`, document.getElementById("page"));

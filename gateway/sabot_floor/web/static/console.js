// The Jackpot Management Console: values, pending wins, tables, faults; acts of people who have logged in.
import {html, render, useState} from "./vendor/preact.js";
import {ActForm} from "./console_act.js";
import {NotLive, useLive} from "./live.js";
import {Badge, Gate, act} from "./session.js";
import {clockTime} from "./site_time.js";
import {t, title} from "./words.js";

const STATES = {recognised: "recognised", pending: "pending_state", paid: "paid", invalid: "invalid_state", cancelled: "cancelled"};

function Wins({wins, start}) {
  return html`<table class="wins">
    <thead><tr>${["place", "outcome", "part", "state", "at", "settlement", "rounded", "prize"].map((name) => html`<th>${t(`console.${name}`)}</th>`)}${start ? html`<th></th>` : null}</tr></thead>
    <tbody>${wins.map((win) => html`<tr key=${win.win}>
      <td data-label=${t("console.place")}>${win.place}</td><td data-label=${t("console.outcome")}>${win.outcome}</td>
      <td data-label=${t("console.part")}>${win.percent} %</td><td data-label=${t("console.state")}>${t(`console.${STATES[win.state]}`)}${win.by ? html`<br /><small>${win.by}${win.notified ? `, ${t("console.notify", {who: win.notified})}` : ""}</small>` : null}${win.reason ? html`<br /><small>${win.reason}</small>` : null}${win.undecided?.length ? html`<br /><strong class="bad">${t("console.undecided", {places: placesOf(win)})}</strong>` : null}</td>
      <td data-label=${t("console.at")}>${win.at}</td><td class="money" data-label=${t("console.settlement")}>${win.value}</td>
      <td class="money" data-label=${t("console.rounded")}>${win.rounded}</td>
      <td class="money" data-label=${t("console.prize")}>${win.prize}${win.shares.length > 1 ? html`<br /><small>${win.shares.join(" + ")}</small>` : null}</td>
      ${start ? html`<td class="acts">${win.undecided.length ? html`<button type="button" onClick=${() => start("order", win)}>${t("console.order")}</button>` : null}
        <button type="button" disabled=${win.state !== "pending" || isHeld(win, wins)} onClick=${() => start("confirm", win)}>${t("console.confirm")}</button>
        <button type="button" class="plain" onClick=${() => start("invalid", win)}>${t("console.invalid")}</button></td>` : null}
    </tr>`)}</tbody>
  </table>`;
}

// Whether it is not decided if a win comes before another, or another before it.
const isHeld = (win, wins) => win.undecided.length > 0 || wins.some((other) => other.undecided.some((one) => one.win === win.win));

const placesOf = (win) => win.undecided.map((other) => other.place ?? other).join(", ");

// Wins that were paid otherwise than they were worth.
function Differences({wins, start}) {
  return html`<table class="wins differences">
    <thead><tr>${["place", "at", "paid", "due", "difference"].map((name) => html`<th>${t(`console.${name}`)}</th>`)}<th></th></tr></thead>
    <tbody>${wins.map((win) => html`<tr key=${win.win}>
      <td data-label=${t("console.place")}>${win.place}</td><td data-label=${t("console.at")}>${win.at}</td>
      <td class="money" data-label=${t("console.paid")}>${win.prize}</td><td class="money" data-label=${t("console.due")}>${win.due}</td>
      <td class="money bad" data-label=${t("console.difference")}>${t(win.over ? "console.overpaid" : "console.underpaid", {amount: win.over || win.under})}</td>
      <td class="acts"><button type="button" onClick=${() => start("settle", win)}>${t("console.settle")}</button></td>
    </tr>`)}</tbody>
  </table>`;
}

function Tables({jackpot, start}) {
  return html`<ul class="tables">${jackpot.tables.map((name) => {
    const why = jackpot.not_offered[name];
    const verb = why ? "restore" : "withdraw";
    return html`<li key=${name}><b>${name}</b> <span class=${why ? "bad" : "good"}>${why || t("console.offered")}</span>${jackpot.away.includes(name) ? html` <strong class="bad">${t("console.away")}</strong>` : null}
      <button type="button" class="plain" onClick=${() => start(verb, {table: name})}>${t(`console.${verb}`)}</button></li>`;
  })}</ul>`;
}

function Details({jackpot, start}) {
  const [found, set] = useState(null);
  const [say, setSay] = useState("");
  const toggle = async () => {
    if (found) return set(null);
    const answer = await act({do: "jackpot", verb: "show", args: {jackpot: jackpot.id}});
    setSay(answer.ok ? "" : answer.say);
    return set(answer.ok ? answer.data : null);
  };
  const known = (found?.closed ?? []).map((win) => closedWin(win, jackpot));
  return html`<div class="details">
    <button type="button" class="plain" aria-expanded=${Boolean(found)} onClick=${toggle}>${t(found ? "console.hide" : "console.details")}</button>
    ${say ? html`<p class="say" role="alert">${say}</p>` : null}
    ${found ? html`<h3>${t("console.missed")}</h3>
      ${found.missed.length ? html`<ul class="missed">${found.missed.map((one) => html`<li key=${one.id}>${one.table} ${one.coup ? `${one.shoe}/${one.coup}` : ""} ${cents(one.amount, jackpot)} <span>${one.reason}</span>
        <button type="button" class="plain" onClick=${() => start("make-good", {missed: one.id})}>${t("console.make_good")}</button></li>`)}</ul>` : html`<p>${t("console.no_missed")}</p>`}
      <h3>${t("console.history")}</h3>
      ${known.length ? html`<${Wins} wins=${known} />` : html`<p>${t("console.no_history")}</p>`}` : null}
  </div>`;
}

// A win of the jackpot's log as the table of wins has it.
function closedWin(win, jackpot) {
  const time = win.closed || win.at;
  return {
    ...win,
    place: [win.table, win.coup ? `${win.shoe}/${win.coup}` : "", win.seat].filter(Boolean).join(" "),
    outcome: win.outcome.replaceAll("_", " "),
    at: time ? clockTime(time).slice(0, 16) : "",
    value: cents(win.value, jackpot),
    rounded: cents(win.rounded, jackpot),
    prize: cents(win.prize, jackpot),
    shares: (win.shares ?? []).map((share) => cents(share, jackpot)),
  };
}

// An amount in minor units as text.
function cents(minor, {currency, digits}) {
  if (minor === undefined) return "";
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${currency} ${minor < 0 ? "-" : ""}${whole}${digits ? `.${text.slice(-digits)}` : ""}`;
}

function Jackpot({jackpot}) {
  const [open, setOpen] = useState(null); // {verb, about}
  const [said, setSaid] = useState(null); // {ok, say}
  const start = (verb, about) => {
    setSaid(null);
    setOpen({verb, about});
  };
  const done = (answer) => {
    setOpen(null);
    if (answer && answer.say) setSaid(answer);
  };
  return html`<section class="jackpot" aria-label=${jackpot.title}>
    <header><h2>${jackpot.title}</h2> <small>${jackpot.id}, ${t("console.version", {version: jackpot.version})}</small></header>
    <dl class="values">
      <div><dt>${t("console.value")}</dt><dd class="value">${jackpot.display}</dd></div>
      <div><dt>${t("console.base")}</dt><dd>${jackpot.rounded}</dd></div>
    </dl>
    ${jackpot.problem ? html`<p class="bad" role="alert">${jackpot.problem}</p>` : null}
    ${said ? html`<p class=${`said ${said.ok ? "good" : "bad"}`} role="alert">${said.say}</p>` : null}
    ${open ? html`<${ActForm} key=${`${open.verb} ${JSON.stringify(open.about)}`} jackpot=${jackpot} verb=${open.verb} about=${open.about} done=${done} />` : null}
    ${jackpot.differences.length ? html`<h3 class="bad">${t("console.differences")}</h3><${Differences} wins=${jackpot.differences} start=${start} />` : null}
    <h3>${t("console.pending")}</h3>
    ${jackpot.pending.length ? html`<${Wins} wins=${jackpot.pending} start=${start} />` : html`<p>${t("console.no_pending")}</p>`}
    ${jackpot.more ? html`<p>${t("console.more", {count: jackpot.more})}</p>` : null}
    ${jackpot.faults.length ? html`<h3>${t("console.faults")}</h3><ul class="faults">${jackpot.faults.map((one) => html`<li><small>${one.time} ${one.table}</small> ${one.say} ${one.clause ? html`<small>(${one.clause})</small>` : null}</li>`)}</ul>` : null}
    <h3>${t("console.tables")}</h3>
    <${Tables} jackpot=${jackpot} start=${start} />
    <div class="acts">
      <button type="button" class="plain" onClick=${() => start("adjust", {})}>${t("console.adjust")}</button>
      ${jackpot.draws ? html`<button type="button" class="plain" onClick=${() => start("draw", {})}>${t("console.draw")}</button>` : null}
    </div>
    <${Details} jackpot=${jackpot} start=${start} />
  </section>`;
}

// A jackpot whose rulebook does not let this person read it.
function Refused({jackpot}) {
  return html`<section class="jackpot" aria-label=${jackpot.title}>
    <header><h2>${jackpot.title}</h2> <small>${jackpot.id}</small></header>
    <p>${jackpot.lowest ? t("console.not_read", jackpot) : t("console.no_rulebook")}</p>
  </section>`;
}

function Console() {
  const {state, live, why} = useLive("jackpots");
  return html`
    <${NotLive} live=${live} why=${why} />
    <header class="top"><h1>${t("console.title")}</h1> <${Badge} /></header>
    ${state && state.jackpots.length + state.refused.length === 0 ? html`<p>${t("console.none")}</p>` : null}
    ${(state?.jackpots ?? []).map((one) => html`<${Jackpot} key=${one.id} jackpot=${one} />`)}
    ${(state?.refused ?? []).map((one) => html`<${Refused} key=${one.id} jackpot=${one} />`)}`;
}

title("console.title");
render(html`<${Gate} kind="pit"><${Console} /></${Gate}>`, document.getElementById("page"));

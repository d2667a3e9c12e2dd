// The table sign: limits always in sight, wagers with their odds and notices in pages; what is announced.
import {html, render} from "./vendor/preact.js";
import {useFit, usePages} from "./fit.js";
import {NotLive, useLive} from "./live.js";
import {printed} from "./printed.js";
import {Unknown} from "./unknown.js";
import {t, title} from "./words.js";

const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const MOST_LINES = 9; // of a wager under one title, also where much is announced above
const LINE = 28; // letters of a line in the smallest type; a Chinese one counts twice

function Range({label, limits, currency}) {
  return html`<div class=${label ? "range two" : "range"}>
    ${label ? html`<h2>${label}</h2>` : null}
    <dl>
      <div><dt>${t("sign.minimum")}</dt><dd class="minimum">${limits.minimum}</dd></div>
      <div><dt>${t("sign.maximum")}</dt><dd class="maximum">${limits.maximum}</dd></div>
    </dl>
    ${currency ? html`<p>${currency}</p>` : null}
  </div>`;
}

function Announced({sign}) {
  const {coming, closure} = sign;
  return html`<div class="announced" role="status">
    ${coming ? html`<p><b>${t("sign.coming", {at: coming.at})}</b> ${t("sign.minimum")} ${coming.minimum}, ${t("sign.maximum")} ${coming.maximum}</p>` : null}
    ${sign.next_game ? html`<p><b>${t("sign.next_game", {at: sign.next_game_at, game: printed(sign.next_game)})}</b></p>` : null}
    ${closure && !closure.closed ? html`<p><b>${closure.at ? t("sign.closes_at", {at: closure.at}) : t("sign.closes_after", {coups: closure.coups})}</b></p>` : null}
  </div>`;
}

function Limits({sign}) {
  const {limits, old} = sign;
  const ref = useFit();
  return html`<section class="limits" ref=${ref}>
    ${limits ? html`<${Range} label=${old ? t("sign.new") : ""} limits=${limits} currency=${`${sign.currency}, ${t(`sign.per_${sign.per}`)}`} />` : html`<p class="no-limits">${t("sign.no_limits")}</p>`}
    ${old ? html`<${Range} label=${t("sign.old")} limits=${old} />` : null}
  </section>`;
}

function More({sign}) {
  const rows = [
    ...Object.entries(sign.more).map(([name, amount]) => [t(`sign.${name}`), amount]),
    ...sign.personal.map((one) => [t("sign.place", {place: one.place}), `${one.minimum} – ${one.maximum}`]),
  ];
  if (!rows.length) return null;
  return html`<ul class="more">${rows.map(([name, amount]) => html`<li key=${name}><span>${name}</span> <b>${amount}</b></li>`)}</ul>`;
}

const lines = (text, of = LINE) => Math.ceil([...text].reduce((sum, one) => sum + (one > "\u2e7f" ? 2 : 1), 0) / of);
const isLong = (odds) => odds.length > 12;

function rowLines({when, odds}) {
  const [said, pays] = [printed(when), printed(odds)];
  return isLong(odds) ? Math.max(lines(said, 9), lines(pays, 17)) : lines(said, LINE - 8);
}

function limitsOf(wager, table) {
  const own = !wager.main || wager.minimum !== table?.minimum || wager.maximum !== table?.maximum;
  return own && wager.minimum ? `${wager.minimum} – ${wager.maximum}` : "";
}

function notesOf(wager) {
  return [wager.payout ? t("sign.payout", {amount: wager.payout}) : "", wager.restricted ? t("sign.restricted") : "", printed(wager.note)].filter(Boolean);
}

// The rows of a wager, in parts that each have room under its title; the notes follow the last one.
function partsOf(wager, limits, notes) {
  const head = limits ? Math.min(lines(`${printed(wager.title)} ${limits}`), lines(printed(wager.title)) + 1) : 1;
  const parts = [[]];
  let used = head;
  for (const one of wager.pays) {
    if (used + rowLines(one) > MOST_LINES && parts.at(-1).length) {
      parts.push([]);
      used = head;
    }
    parts.at(-1).push(one);
    used += rowLines(one);
  }
  const rest = notes.reduce((sum, one) => sum + lines(one), 0);
  if (used + rest > MOST_LINES && parts.at(-1).length > 1) parts.push([parts.at(-1).pop()]);
  return parts;
}

// A wager with its outcomes; where they are many, in parts that each have its title.
function Wager({wager, table}) {
  const [limits, notes] = [limitsOf(wager, table), notesOf(wager)];
  const parts = partsOf(wager, limits, notes);
  return parts.map((pays, part) => html`<li key=${part} class=${wager.main ? "main" : ""}>
    <h3 class=${wager.id}>${printed(wager.title)}${limits ? html` <small>${limits}</small>` : null}</h3>
    <table><tbody>
      ${pays.map((one) => html`<tr><td>${printed(one.when)}</td><td class=${isLong(one.odds) ? "odds long" : "odds"}>${printed(one.odds)}</td></tr>`)}
    </tbody></table>
    ${part === parts.length - 1 ? notes.map((one) => html`<p class="note">${one}</p>`) : null}
  </li>`);
}

function Notices({sign}) {
  if (!sign.notices.length) return null;
  return html`<ul class="notices">${sign.notices.map((one) => html`<li>${printed(one.say, one.names)}</li>`)}</ul>`;
}

// The title alone if it has the word already.
function jackpotTitle(text) {
  return text.toLowerCase().includes(t("jackpot.title").toLowerCase()) ? text : t("sign.jackpot", {title: text});
}

function Jackpots({sign}) {
  return sign.jackpots.map((one) => html`<div class="jackpot" key=${one.id}><h3>${jackpotTitle(one.title)}</h3>
    <ul>${one.lines.map(([say, names]) => html`<li>${printed(say.replace(/^- /, ""), names)}</li>`)}</ul></div>`);
}

function Sheet({sign, pages}) {
  return html`<div class="sheet" ref=${pages}>
    ${sign.wagers.length ? html`<ul class="wagers">${sign.wagers.map((one) => html`<${Wager} key=${one.id} wager=${one} table=${sign.limits} />`)}</ul>` : html`<p class="none">${t("sign.no_game")}</p>`}
    <${More} sign=${sign} />
    <${Notices} sign=${sign} />
    <${Jackpots} sign=${sign} />
  </div>`;
}

function Page() {
  const {state, live, why} = useLive(key && `sign/${key}`);
  const [ref, page, pages] = usePages();
  if (!key) return html`<${Unknown} say=${t("unknown.choose_table")} />`;
  if (!state) return html`<${NotLive} live=${live} why=${why} />`;
  if (!state.known) return html`<${Unknown} say=${t("unknown.table", {table: key})} />`;
  const {sign} = state;
  const closed = sign.closure?.closed;
  return html`
    <${NotLive} live=${live} why=${why} />
    <div class=${closed ? "sign over" : "sign"}>
      <header><h1>${sign.game ? printed(sign.game) : t("sign.title")}</h1> <p>${sign.table}${sign.area ? ` · ${sign.area}` : ""}${pages > 1 && !closed ? html`<b class="page">${t("sign.page", {page: page + 1, pages})}</b>` : null}</p></header>
      ${closed
        ? html`<p class="closed" role="alert">${t("sign.closed")}</p>`
        : html`<${Announced} sign=${sign} /><${Limits} sign=${sign} /><${Sheet} sign=${sign} pages=${ref} />`}
    </div>`;
}

title("sign.title");
render(html`<${Page} />`, document.getElementById("page"));

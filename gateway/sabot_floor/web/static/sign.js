// The table sign: limits always in sight, wagers with their odds and notices in pages; what is announced.
import {html, render} from "./vendor/preact.js";
import {useFit, usePages} from "./fit.js";
import {NotLive, useLive} from "./live.js";
import {printed} from "./printed.js";
import {Unknown} from "./unknown.js";
import {t, title} from "./words.js";

const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const MOST_ROWS = 4; // of a wager under one title: more would not fit on a page

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

function Wager({wager, pays, last, table}) {
  const own = !wager.main || wager.minimum !== table?.minimum || wager.maximum !== table?.maximum;
  return html`<li class=${wager.main ? "main" : ""}>
    <h3 class=${wager.id}>${printed(wager.title)}${own && wager.minimum ? html` <small>${wager.minimum} – ${wager.maximum}</small>` : null}</h3>
    <table><tbody>
      ${pays.map((one) => html`<tr><td>${printed(one.when)}</td><td class=${one.odds.length > 12 ? "odds long" : "odds"}>${printed(one.odds)}</td></tr>`)}
    </tbody></table>
    ${last && wager.payout ? html`<p class="note">${t("sign.payout", {amount: wager.payout})}</p>` : null}
    ${last && wager.restricted ? html`<p class="note">${t("sign.restricted")}</p>` : null}
    ${last && wager.note ? html`<p class="note">${printed(wager.note)}</p>` : null}
  </li>`;
}

// A wager with many outcomes stands in parts, each under its title.
function Parts({wager, table}) {
  const parts = Math.max(1, Math.ceil(wager.pays.length / MOST_ROWS));
  return [...Array(parts).keys()].map((part) => {
    const pays = wager.pays.slice(part * MOST_ROWS, (part + 1) * MOST_ROWS);
    return html`<${Wager} key=${part} wager=${wager} pays=${pays} last=${part === parts - 1} table=${table} />`;
  });
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
    <ul>${one.lines.map((line) => html`<li>${line.replace(/^- /, "")}</li>`)}</ul></div>`);
}

function Sheet({sign, pages}) {
  return html`<div class="sheet" ref=${pages}>
    ${sign.wagers.length ? html`<ul class="wagers">${sign.wagers.map((one) => html`<${Parts} key=${one.id} wager=${one} table=${sign.limits} />`)}</ul>` : html`<p class="none">${t("sign.no_game")}</p>`}
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

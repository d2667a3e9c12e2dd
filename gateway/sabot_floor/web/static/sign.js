// The table sign: limits in large type, wagers with their odds, notices, what is announced.
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {useFit} from "./fit.js";
import {NotLive, useLive} from "./live.js";
import {Unknown} from "./unknown.js";
import {t, title} from "./words.js";

const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const MAIN = ["player", "banker", "tie"];

function Range({label, limits, currency}) {
  return html`<div class="range">
    ${label ? html`<h2>${label}</h2>` : null}
    <dl>
      <div><dt>${t("sign.minimum")}</dt><dd class="minimum">${limits.minimum}</dd></div>
      <div><dt>${t("sign.maximum")}</dt><dd class="maximum">${limits.maximum}</dd></div>
    </dl>
    <small>${currency}</small>
  </div>`;
}

function Announced({sign}) {
  const {coming, closure} = sign;
  return html`<div class="announced" role="status">
    ${coming ? html`<p><b>${t("sign.coming", {at: coming.at})}</b> ${t("sign.minimum")} ${coming.minimum}, ${t("sign.maximum")} ${coming.maximum}</p>` : null}
    ${sign.next_game ? html`<p><b>${t("sign.next_game", {at: sign.next_game_at, game: sign.next_game})}</b></p>` : null}
    ${closure && !closure.closed ? html`<p><b>${closure.at ? t("sign.closes_at", {at: closure.at}) : t("sign.closes_after", {coups: closure.coups})}</b></p>` : null}
  </div>`;
}

function Limits({sign, jackpots}) {
  const {limits, old} = sign;
  const ref = useFit(0.4, 1.5);
  return html`<section class="limits" ref=${ref}>
    ${limits ? html`<${Range} label=${old ? t("sign.new") : ""} limits=${limits} currency=${`${sign.currency}, ${t(`sign.per_${sign.per}`)}`} />` : html`<p class="no-limits">${t("sign.no_limits")}</p>`}
    ${old ? html`<${Range} label=${t("sign.old")} limits=${old} currency=${sign.currency} />` : null}
    <${Announced} sign=${sign} />
    <ul class="more">
      ${Object.entries(sign.more).map(([name, amount]) => html`<li key=${name}><span>${t(`sign.${name}`)}</span> <b>${amount}</b></li>`)}
      ${sign.personal.map((one) => html`<li key=${one.place}><span>${t("sign.place", {place: one.place})}</span> <b>${one.minimum} – ${one.maximum}</b></li>`)}
    </ul>
    ${jackpots ? html`<${Jackpots} sign=${sign} />` : null}
  </section>`;
}

function Wager({wager, table}) {
  const own = !wager.main || wager.minimum !== table?.minimum || wager.maximum !== table?.maximum;
  const name = MAIN.includes(wager.id) ? t(`sign.${wager.id}`) : wager.title;
  return html`<li class=${wager.main ? "main" : ""}>
    <h3 class=${wager.id}>${name}${own && wager.minimum ? html` <small>${wager.minimum} – ${wager.maximum}</small>` : null}</h3>
    <table><tbody>
      ${wager.pays.map((one) => html`<tr><td>${one.when}</td><td class=${one.odds.length > 12 ? "odds long" : "odds"}>${one.odds}</td></tr>`)}
    </tbody></table>
    ${wager.payout ? html`<p class="note">${t("sign.payout", {amount: wager.payout})}</p>` : null}
    ${wager.restricted ? html`<p class="note">${t("sign.restricted")}</p>` : null}
    ${wager.note ? html`<p class="note">${wager.note}</p>` : null}
  </li>`;
}

function Notices({sign}) {
  if (!sign.notices.length) return null;
  return html`<ul class="notices">${sign.notices.map((one) => html`<li>${one.say}</li>`)}</ul>`;
}

// The title alone if it has the word already.
function jackpotTitle(text) {
  return text.toLowerCase().includes(t("jackpot.title").toLowerCase()) ? text : t("sign.jackpot", {title: text});
}

function Jackpots({sign}) {
  return sign.jackpots.map((one) => html`<div class="jackpot" key=${one.id}><h3>${jackpotTitle(one.title)}</h3>
    <ul>${one.lines.map((line) => html`<li>${line.replace(/^- /, "")}</li>`)}</ul></div>`);
}

function Sheet({sign, jackpots}) {
  const ref = useFit(0.45, 3);
  return html`<div class="sheet" ref=${ref}>
    ${sign.wagers.length ? html`<ul class="wagers">${sign.wagers.map((one) => html`<${Wager} key=${one.id} wager=${one} table=${sign.limits} />`)}</ul>` : html`<p class="none">${t("sign.no_game")}</p>`}
    <${Notices} sign=${sign} />
    ${jackpots ? html`<${Jackpots} sign=${sign} />` : null}
  </div>`;
}

// True while the screen is wider than high: then the jackpots stand below the limits.
function useWide() {
  const query = matchMedia("(orientation: landscape)");
  const [wide, set] = useState(query.matches);
  useEffect(() => {
    const change = () => set(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return wide;
}

function Page() {
  const {state, live, why} = useLive(key && `sign/${key}`);
  const wide = useWide();
  if (!key) return html`<${Unknown} say=${t("unknown.choose_table")} />`;
  if (!state) return html`<${NotLive} live=${live} why=${why} />`;
  if (!state.known) return html`<${Unknown} say=${t("unknown.table", {table: key})} />`;
  const {sign} = state;
  const closed = sign.closure?.closed;
  return html`
    <${NotLive} live=${live} why=${why} />
    <div class=${closed ? "sign over" : "sign"}>
      <header><h1>${sign.game || t("sign.title")}</h1> <p>${sign.table}${sign.area ? ` · ${sign.area}` : ""}</p></header>
      ${closed
        ? html`<p class="closed" role="alert">${t("sign.closed")}</p>`
        : html`<${Limits} sign=${sign} jackpots=${wide} /><${Sheet} sign=${sign} jackpots=${!wide} />`}
    </div>`;
}

title("sign.title");
render(html`<${Page} />`, document.getElementById("page"));

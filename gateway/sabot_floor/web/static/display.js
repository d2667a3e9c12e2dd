// The Winning Result Display of a table: roads, counts, last hand, notices, Dragon Tail Indicator, jackpots.
import {html, render} from "./vendor/preact.js";
import {Hand} from "./cards.js";
import {NotLive, useLive} from "./live.js";
import {Ask, Road} from "./roads.js";
import {Unknown} from "./unknown.js";
import {t, title, wordOr} from "./words.js";

const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const WITHOUT_WAGERS = ["no_bet", "void_hand", "dummy"];
const isSpecial = (kind) => kind !== "live" && kind !== "void";

function Head({state}) {
  return html`<header>
    <h1>${state.table}</h1>
    <div class="place">
      ${state.area ? html`<span>${state.area}</span>` : null}
      ${state.shoe ? html`<span>${t("display.shoe", {shoe: state.shoe})} · ${t("display.coup", {coup: state.coup})}</span>` : null}
    </div>
    ${state.limits ? html`<${Limits} limits=${state.limits} />` : null}
    <${Jackpots} jackpots=${state.jackpots} />
  </header>`;
}

function Limits({limits}) {
  const minimum = limits.old_minimum ? `${limits.old_minimum} / ${limits.minimum}` : limits.minimum;
  const coming = limits.next_minimum ? [t("display.next_minimum", {minimum: limits.next_minimum, time: limits.next_at})] : [];
  if (limits.closes_at) coming.push(t("display.closes_at", {time: limits.closes_at}));
  if (limits.closes_after) coming.push(t("display.closes_after", {coups: limits.closes_after}));
  return html`<div class="limits">
    <span>${t("display.minimum")} ${limits.currency}</span><b>${minimum}</b><span>${t("display.maximum")} ${limits.currency}</span><b>${limits.maximum}</b>
    ${coming.map((one) => html`<em key=${one}>${one}</em>`)}</div>`;
}

function Jackpots({jackpots}) {
  return html`<div class=${jackpots.length > 1 ? "jackpots several" : "jackpots"}>${jackpots.slice(0, 3).map((one) => html`
    <div key=${one.id} class=${one.why ? "jackpot fault" : "jackpot"}>
      <span class="name">${one.title}</span>
      ${one.why
        ? html`<strong>${t("display.jackpot_not_offered")}</strong><span class="why">${wordOr(`jackpot.why_${one.why}`, one.why)}</span>`
        : html`<strong class="amount">${one.amount}</strong>`}
    </div>`)}</div>`;
}

// The state of the coup: what a player must know before anything else.
function mainNotice(state) {
  if (state.closed) return ["closed", t("sign.closed"), ""];
  if (state.state === "closed") return ["closed", t("display.closed"), ""];
  if (state.state === "unknown") return ["closed", t("display.unknown"), ""];
  if (isSpecial(state.kind)) {
    const more = WITHOUT_WAGERS.includes(state.kind) ? t("display.without_wagers") : "";
    return ["special", t(`display.kind_${state.kind}`), more];
  }
  if (state.phase === "none") return ["closed", t("display.not_ready"), ""];
  return [state.phase, t(`display.${state.phase}`), ""];
}

function Banner({state}) {
  const [look, text, more] = mainNotice(state);
  const open = state.state === "open" && !state.closed;
  const doubts = state.undecided.length ? [t("display.undecided", {coups: state.undecided.join(", ")})] : [];
  if (state.gap) doubts.push(t("display.gap"));
  return html`<section class="banner" aria-live="polite">
    <div class=${`notice ${look}`} data-notice=${look}><strong>${text}</strong>${more ? html` <span>${more}</span>` : null}</div>
    ${open && state.last_coup ? html`<div class="notice last-coup"><strong>${t("display.last_coup")}</strong></div>` : null}
    ${open && isSpecial(state.next_kind)
      ? html`<div class="notice special next"><strong>${t("display.next_coup", {kind: t(`display.kind_${state.next_kind}`)})}</strong></div>`
      : null}
    ${doubts.length ? html`<div class="notice review">${doubts.map((one) => html`<div>${one}</div>`)}</div>` : null}
  </section>`;
}

function Side({side, mark, last}) {
  const won = last.winner === side;
  return html`<div class=${`side ${side}${won ? " won" : ""}`}>
    <div class="who">${t(`roads.${mark}_name`)}</div>
    <div class="points" data-points=${side}>${last[`${side}_points`]}</div>
    <div class="flags">${last[`${side}_pair`] ? html`<span>${t("display.pair")}</span>` : null}</div>
    <${Hand} cards=${last[side]} side=${mark} />
  </div>`;
}

function LastHand({last}) {
  if (!last) return html`<section class="hand panel"><h2>${t("display.last_hand")}</h2><p class="none">${t("display.no_hand")}</p></section>`;
  const special = isSpecial(last.kind) ? t(`display.kind_${last.kind}`) : "";
  return html`<section class="hand panel" data-hand=${last.coup}>
    <h2>${t("display.last_hand")} · ${t("display.coup", {coup: last.coup})}</h2>
    <div class=${`winner ${last.winner}`}>${t(`display.wins_${last.winner}`)}
      ${last.natural ? html`<span class="chip">${t("display.natural")}</span>` : null}
      ${special ? html`<span class="chip special">${special}</span>` : null}
    </div>
    <div class="sides"><${Side} side="player" mark="P" last=${last} /><${Side} side="banker" mark="B" last=${last} /></div>
  </section>`;
}

function Tail({tail}) {
  return html`<section class="tail panel" data-tail=${`${tail.player}-${tail.banker}`}>
    <h2>${t("display.dragon_tail")}</h2>
    <div class="numbers">
      <span class="player"><i>${t("roads.P_name")}</i><b>${tail.player}</b></span>
      <span class="banker"><i>${t("roads.B_name")}</i><b>${tail.banker}</b></span>
    </div>
    ${tail.late_waits ? html`<p>${t("display.late_waits")}</p>` : null}
  </section>`;
}

function Next({roads}) {
  return html`<section class="next panel"><h2>${t("roads.ask")}</h2>
    <div class="numbers">
      <span class="player"><i>${t("roads.P_name")}</i><${Ask} marks=${roads.ask_player} label=${t("roads.ask_player")} /></span>
      <span class="banker"><i>${t("roads.B_name")}</i><${Ask} marks=${roads.ask_banker} label=${t("roads.ask_banker")} /></span>
    </div>
  </section>`;
}

const COUNTED = [["banker", "B"], ["player", "P"], ["tie", "T"], ["banker_pair", ""], ["player_pair", ""], ["natural", ""]];

function Counts({counts}) {
  const rows = counts.no_bet ? [...COUNTED, ["no_bet", ""]] : COUNTED;
  return html`<section class="counts panel"><dl>${rows.map(([name, mark]) => html`
    <div class=${name} key=${name}><dt>${mark ? html`<b class="glyph">${t(`roads.${mark}_glyph`)}</b>` : null}${t(`roads.count_${name}`)}</dt><dd data-count=${name}>${counts[name]}</dd></div>`)}
  </dl></section>`;
}

function Figure({kind, roads}) {
  return html`<figure class=${kind}><figcaption>${t(`roads.${kind}`)}</figcaption><${Road} kind=${kind} cells=${roads[kind]} label=${t(`roads.${kind}`)} /></figure>`;
}

function Table({state}) {
  if (!state.known) {
    return html`<div class="message"><${Unknown} say=${t("unknown.table", {table: state.table})} /></div>`;
  }
  const side = html`<div class="side-column">
    <${LastHand} last=${state.last} />
    ${state.tail ? html`<${Tail} tail=${state.tail} />` : null}
    ${state.has_roads ? html`<${Next} roads=${state.roads} />` : null}
  </div>`;
  const roads = html`<section class="roads">
    <${Figure} kind="bead" roads=${state.roads} /><${Counts} counts=${state.counts} />
    ${["big", "big_eye", "small", "cockroach"].map((kind) => html`<${Figure} key=${kind} kind=${kind} roads=${state.roads} />`)}
  </section>`;
  return html`<${Head} state=${state} /><${Banner} state=${state} />${side}${state.has_roads ? roads : null}`;
}

// The bar over the page: a table that does not exist has no link that could be lost.
function Lost({state, live, why}) {
  if (state && !state.known && (why === "no_gateway" || why === "no_shoe")) return null;
  return html`<${NotLive} live=${live} why=${why} />`;
}

function Page() {
  const {state, live, why} = useLive(key && `display/${key}`);
  if (!key) return html`<${Unknown} say=${t("unknown.choose_table")} />`;
  const look = `display ${live ? "live" : "stopped"} ${state && !state.has_roads ? "no-roads" : ""}`;
  return html`<${Lost} state=${state} live=${live} why=${why} />
    <div class=${look}>${state ? html`<${Table} state=${state} />` : html`<p class="message">${t("display.loading")}</p>`}</div>`;
}

title("display.title", {table: key});
render(html`<${Page} />`, document.getElementById("page"));

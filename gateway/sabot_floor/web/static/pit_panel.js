// The panel of one table: hand and state now, what can be done, the last coups, requests of people, trends.
import {html, useEffect, useState} from "./vendor/preact.js";
import {useLive} from "./live.js";
import {Age} from "./pit_clock.js";
import {useBook} from "./pit_dialog.js";
import {Clause, Moves, NotNow, fault, verb} from "./pit_lists.js";
import {PanelSign} from "./pit_sign.js";
import {parse} from "./said.js";
import {clockTime} from "./site_time.js";
import {Trends} from "./trends.js";
import {t} from "./words.js";

const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const GROUPS = ["coup", "wagers", "shoe", "records"];

// A card as people write it: 10♥; a card that is not turned has no text.
export function Card({card}) {
  if (!card) return html`<span class="card back" aria-label=${t("pit.not_turned")}>?</span>`;
  const red = card[1] === "H" || card[1] === "D";
  return html`<span class=${red ? "card red" : "card"}>${card[0] === "T" ? "10" : card[0]}${SUITS[card[1]] ?? card[1]}</span>`;
}

const cardsOf = (text) => (text ?? "").match(/.{2}/g) ?? [];

function Side({hand, side}) {
  const cards = (hand.cards ?? []).filter((one) => one.slot.startsWith(side));
  return html`<div class=${`side ${side}`}><h4>${t(`pit.winner_${side}`)}</h4>
    <p>${cards.map((one) => html`<${Card} key=${one.slot} card=${one.card} />`)} <b>${cards.length && cards.every((one) => one.card) ? hand[`${side}_points`] ?? 0 : ""}</b></p></div>`;
}

function Hand({panel}) {
  const {hand} = panel;
  if (!hand) return html`<p class="soft">${t("pit.no_hand")}</p>`;
  const facts = [
    hand.coup ? t("pit.coup", {coup: `${hand.shoe}/${hand.coup}`}) : "",
    hand.kind && hand.kind !== "live" ? t(`pit.kind_${hand.kind}`) : "",
    t(`pit.phase_${hand.result?.status === "disputed" ? "disputed" : hand.phase}`),
    hand.due ? t("pit.due_card", {slot: t(`pit.slot_${hand.due}`)}) : "",
    hand.cards?.some((one) => !one.card) ? t("pit.turn_at_table") : "",
    hand.last_coup ? t("pit.last_coup") : "",
    hand.locked ? t("pit.locked") : "",
    hand.surplus ? t("pit.surplus", {n: hand.surplus}) : "",
    hand.authorisation_needed ? t("pit.authorisation_needed") : "",
  ].filter(Boolean);
  const result = hand.result;
  return html`<div class="hand">
    <p>${facts.join(" · ")}</p>
    <div class="sides"><${Side} hand=${hand} side="player" /><${Side} hand=${hand} side="banker" /></div>
    ${result ? html`<p><b class=${result.winner ?? ""}>${result.winner ? t(`pit.winner_${result.winner}`) : t(result.status === "disputed" ? "pit.no_winner" : "pit.void")}</b> · ${t(`pit.status_${result.status}`)}
      · <a href=${`/coup/${result.id}`}>${t("pit.evidence")}</a></p>` : null}
    ${hand.fault ? html`<p class="refusal">${fault(hand.fault)} ${hand.next_step}</p>` : null}
  </div>`;
}

// The coups and requests of the shoe from the store; read again when something has happened.
function useShoe(panel, moment) {
  const [shoe, set] = useState(null);
  const unit = panel?.hand?.unit || panel?.unit || "";
  const number = panel?.hand?.shoe ?? 0;
  useEffect(() => {
    if (!unit || !number) return undefined;
    let wanted = true;
    const asked = setTimeout(async () => {
      const answer = await fetch(`/data/shoe/${encodeURIComponent(panel.table)}?unit=${encodeURIComponent(unit)}&shoe=${number}`);
      if (wanted && answer.ok) set(parse(await answer.text()));
    }, 300);
    return () => {
      wanted = false;
      clearTimeout(asked);
    };
  }, [panel?.table, unit, number, moment]);
  return shoe;
}

function Coup({coup}) {
  if (coup.covered) return html`<tr><td>${coup.coup}</td><td class="soft" colspan="4">${t("pit.not_out")}</td></tr>`;
  return html`<tr class=${coup.status}>
    <td><a href=${`/coup/${coup.id}`}>${coup.coup}</a></td>
    <td class=${coup.winner ?? ""}>${coup.winner ? t(`pit.winner_${coup.winner}`) : t("pit.void")}${coup.kind !== "live" && coup.winner ? ` · ${t(`pit.kind_${coup.kind}`)}` : ""}</td>
    <td>${cardsOf(coup.player).map((card, at) => html`<${Card} key=${at} card=${card} />`)} <b>${coup.player_points ?? 0}</b></td>
    <td>${cardsOf(coup.banker).map((card, at) => html`<${Card} key=${at} card=${card} />`)} <b>${coup.banker_points ?? 0}</b></td>
    <td>${t(`pit.status_${coup.status}`)} ${coup.by ? html`<span class="soft">${coup.by}</span>` : null} <${Clause} clause=${coup.clause} /></td>
  </tr>`;
}

function Coups({shoe}) {
  if (!shoe?.coups.length) return html`<p class="soft none">${t("pit.no_coups")}</p>`;
  return html`<div class="scroll"><table><thead><tr>${["coup_short", "result", "winner_player", "winner_banker", "status"].map((key) => html`<th key=${key} scope="col">${t(`pit.${key}`)}</th>`)}</tr></thead>
    <tbody>${shoe.coups.map((coup) => html`<${Coup} key=${coup.id} coup=${coup} />`)}</tbody></table></div>`;
}

function Decisions({shoe, rulebook}) {
  const roles = useBook(rulebook)?.roles ?? {};
  if (!shoe?.decisions.length) return html`<p class="soft none">${t("pit.no_acts")}</p>`;
  return html`<ul class="decisions">${shoe.decisions.map((one, at) => html`<li key=${one.time + at} class=${one.ok === false ? "refused" : ""}>
    <span><b>${verb(one.verb)}</b> <${Clause} clause=${one.clause} /> <span class="soft">${one.by}${one.role ? ` (${roles[one.role] ?? one.role})` : ""}${one.asks ? ` · ${t("pit.asked_by", {by: one.asks})}` : ""} · <time title=${clockTime(one.time)}><${Age} time=${one.time} /></time></span></span>
    <span>${one.ok == null ? t("pit.waiting") : one.say}</span></li>`)}</ul>`;
}

export function Panel({table, choose, roles, close, moment}) {
  const {state, why} = useLive(`pit_table/${table}`);
  const [tab, setTab] = useState("coups");
  const panel = state?.table === table ? state : null;
  const shoe = useShoe(panel, `${moment} ${panel?.results} ${panel?.undecided}`);
  return html`<section class="panel" aria-label=${table}>
    <header><h2>${table}</h2>
      <a href=${`/dealer/${table}`}>${t("pit.dealer")}</a>
      <button type="button" class="plain" onClick=${close}>${t("pit.close")}</button></header>
    <p class="soft">${[panel?.title, panel?.decks ? t("pit.decks", {n: panel.decks}) : ""].filter(Boolean).join(" · ")}</p>
    ${panel && why ? html`<p class="refusal">${t(`link.${why}`)} ${panel.link.say}</p>` : panel?.problem ? html`<p class="refusal">${panel.problem}</p>` : null}
    ${panel ? html`<${Hand} panel=${panel} />
      ${panel.unknown.length ? html`<p class="soft">${t("pit.not_known", {names: panel.unknown.map((one) => t(`pit.unknown_${one}`)).join(", ")})}</p>` : null}
      ${GROUPS.map((group) => html`<div class="group" key=${group}><h3>${t(`pit.group_${group}`)}</h3>
        <${Moves} table=${table} moves=${panel.moves[group]} choose=${choose} roles=${roles(table)} /></div>`)}
      <${PanelSign} table=${table} sign=${panel.sign} choose=${choose} roles=${roles(table)} />
      <${NotNow} moves=${GROUPS.flatMap((group) => panel.moves[group] ?? [])} />
      <nav class="tabs">${["coups", "decisions", "trends"].map((name) => html`<button key=${name} type="button" class="plain" aria-pressed=${tab === name ? "true" : "false"} onClick=${() => setTab(name)}>${t(`pit.tab_${name}`)}</button>`)}</nav>
      ${tab === "coups" ? html`<${Coups} shoe=${shoe} />` : tab === "decisions" ? html`<${Decisions} shoe=${shoe} rulebook=${panel.rulebook} />` : html`<${Trends} table=${table} />`}` : null}
  </section>`;
}

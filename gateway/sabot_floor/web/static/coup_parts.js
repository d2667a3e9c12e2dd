// Parts of the evidence about a coup: hands, cells of the printed tables, events; also for the pit console.
import {html} from "./vendor/preact.js";
import {eventText, noteName} from "./coup_words.js";
import {t} from "./words.js";

const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const clocks = new Map(); // a formatter for each time zone

function clock(zone) {
  if (!clocks.has(zone)) {
    const options = {timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23"};
    clocks.set(zone, new Intl.DateTimeFormat("sv-SE", options));
  }
  return clocks.get(zone);
}

// A time of the store (ISO 8601, UTC) in the time zone of the site; the original is the element's title.
export function Time({at, zone}) {
  if (!at) return html`<span class="soft">–</span>`;
  const text = clock(zone || "UTC").format(new Date(at)).replace(",", ".");
  return html`<time datetime=${at} title=${at}>${text}</time>`;
}

// A card such as 8H; one that cannot be read as a card is shown as it is.
export function Card({card}) {
  if (!card) return html`<span class="card" aria-label=${t("pit.not_turned")}>?</span>`;
  const suit = SUITS[card[1]];
  const rank = card[0] === "T" ? "10" : card[0];
  const red = card[1] === "H" || card[1] === "D" ? " red" : "";
  return html`<span class=${`card${red}`}>${suit ? html`<b>${rank}</b><i>${suit}</i>` : card}</span>`;
}

function Hand({side, cards, points, wins, zone}) {
  return html`<section class=${`hand ${side}${wins ? " wins" : ""}`}>
    <h3>${t(`coup.${side}`)}${wins ? html` <span class="chip">${t("coup.wins")}</span>` : null}</h3>
    <ol>${cards.map((one) => html`<li key=${one.slot}>
      <${Card} card=${one.card} />
      <span class="slot">${t(`coup.slot_${one.slot}`)}</span>
      <span class="at"><${Time} at=${one.time} zone=${zone} /></span>
      ${one.notes.length ? html`<span class="notes">${one.notes.map(noteName).join(", ")}</span>` : null}
    </li>`)}</ol>
    <p class="points">${t("coup.points", {points})}</p>
  </section>`;
}

// Both hands with their cards, slots, times and points.
export function Hands({evidence}) {
  const [final] = evidence.report.final;
  const out = final.winner || final.status !== "verified";
  const zone = evidence.report.head.time_zone;
  const of = (side) => evidence.cards.filter((one) => one.side === side);
  return html`<div class="hands">
    <${Hand} side="player" cards=${of("player")} points=${out ? final.player_points : "–"} wins=${final.winner === "player"} zone=${zone} />
    <${Hand} side="banker" cards=${of("banker")} points=${out ? final.banker_points : "–"} wins=${final.winner === "banker"} zone=${zone} />
  </div>`;
}

function why(cell) {
  const values = {side: t(`coup.${cell.side}`), points: cell.row, third: cell.column ?? "", on: cell.draws_on.replace(" to ", "–")};
  const act = t(cell.draws ? "coup.draws" : "coup.stands", values);
  return `${t(`coup.cell_${cell.basis}`, values)} ${act}`;
}

// The cell of Table 1 or Table 2 that decided about each third card, with its clause.
export function Cells({cells}) {
  return html`<ul class="cells">${cells.map((cell) => html`<li key=${cell.side} class=${cell.side}>
    <b>${cell.table ? t("coup.table", {table: cell.table}) : t("coup.natural")}</b>
    <span>${why(cell)}</span>
    ${cell.clause ? html`<span class="clause">${t("coup.clause", {clause: cell.clause})}</span>` : null}
  </li>`)}</ul>`;
}

// Everything that happened, oldest first.
export function Events({evidence}) {
  const zone = evidence.report.head.time_zone;
  const rows = new Map(evidence.report.messages.map((row) => [row.coup_id, row]));
  const cell = (name, content) => html`<td class=${`c-${name}`} data-head=${t(`coup.${name}`)}>${content}</td>`;
  return html`<table class="events">
    <thead><tr><th>${t("coup.time")}</th><th>${t("coup.what")}</th><th>${t("coup.who")}</th><th>${t("coup.rule")}</th><th>${t("coup.entry")}</th></tr></thead>
    <tbody>${evidence.events.map((one, number) => html`<tr key=${number}>
      ${cell("time", html`<${Time} at=${one.time} zone=${zone} />`)}
      ${cell("what", html`<b>${t(`coup.kind_${one.kind}`)}</b> ${eventText(one, rows)}`)}
      ${cell("who", html`${one.by}${one.role ? html` <span class="soft">${one.role.replaceAll("_", " ")}</span>` : null}`)}
      ${cell("rule", one.clause)}
      ${cell("entry", one.place.entry || "")}
    </tr>`)}</tbody>
  </table>`;
}

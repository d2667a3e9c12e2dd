// Words of the evidence page: names and codes of the store as a person reads them.
import {said} from "./said.js";
import {t, wordOr} from "./words.js";

const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};

// A name of the store, such as foreign_card or record-win, where the page has no word for it.
export function plain(name) {
  const text = name.replaceAll(/[_-]/g, " ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

// 8H as 8♥, TD as 10♦; what is no card as it is.
export function cardText(card) {
  const suit = SUITS[card[1]];
  return suit && card.length === 2 ? `${card[0] === "T" ? "10" : card[0]}${suit}` : card;
}

export const verbName = (name) => wordOr(`pit.verb_${name.replaceAll("-", "_")}`, plain(name));
export const alarmName = (name) => wordOr(`pit.${name}`, plain(name)).replace(/[.。]$/, "");
export const noteName = (name) => wordOr(`coup.note_${name}`, plain(name));

// Where a card lay: Player, first card.
export function slotName(slot) {
  const side = slot.split("_")[0];
  const place = wordOr(`coup.slot_${slot}`, plain(slot));
  return side === "player" || side === "banker" ? `${t(`coup.${side}`)}, ${place}` : place;
}

function argument([name, value]) {
  const words = {winner: "coup.winner_", verdict: "coup.status_", fault: "pit.fault_", reason: "pit.void_"};
  const shown = words[name] ? wordOr(words[name] + value, plain(value)) : cardText(value);
  return `${wordOr(`coup.arg_${name}`, plain(name))} ${shown.replace(/[.。]$/, "")}`;
}

function result(row) {
  const hands = [["player", row.player, row.player_points], ["banker", row.banker, row.banker_points]];
  const dealt = hands.filter(([, cards]) => cards.length).map(([side, cards, points]) => `${t(`coup.${side}`)} ${cards.map(cardText).join(" ")} (${points})`);
  const winner = row.winner ? t(`coup.winner_${row.winner}`) : t("coup.winner_none");
  return [t(`coup.kind_of_${row.kind}`), t(`coup.status_${row.status}`), winner, ...dealt].join(", ");
}

// An alarm, incident or step: its name in words, then what the message has.
function named(event, name) {
  const rest = event.text.slice(event.name.length).replace(/^: /, "");
  const more = rest === "acknowledged" || rest === "cleared" ? t(`coup.${rest}`) : said(rest);
  return more ? `${name}: ${more}` : name;
}

function request(event) {
  const asks = event.asks ? `${t("coup.asked")} ${event.asks}` : "";
  return [verbName(event.name), Object.entries(event.args).map(argument).join(", "), asks].filter(Boolean).join("; ");
}

function answer(text) {
  return text.startsWith("refused: ") ? `${t("coup.refused")}: ${said(text.slice(9))}` : said(text);
}

// What happened, in the reader's language; sentences of gateways and books stay in theirs. `rows`: the results by id.
export function eventText(event, rows) {
  switch (event.kind) {
    case "card":
      return [`${slotName(event.name)}: ${event.card ? cardText(event.card) : t("pit.not_turned")}`, ...event.notes.map(noteName)].join(", ");
    case "coup":
      return [rows.has(event.id) ? result(rows.get(event.id)) : event.text, ...event.notes.map(noteName)].join(", ");
    case "confirmed":
      return t(`coup.status_${event.text}`);
    case "request":
      return request(event);
    case "answer":
      return answer(event.text);
    default:
      return named(event, event.kind === "alarm" ? alarmName(event.name) : plain(event.name));
  }
}

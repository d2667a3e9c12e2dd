// Parts of the Dealer Terminal: cards, hands, offers, alarms.
import {html} from "./vendor/preact.js";
import {t} from "./words.js";

const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const SUIT_WORDS = {S: "spades", H: "hearts", D: "diamonds", C: "clubs"};

// A card as read; one that is not turned yet shows its back.
export function Card({one}) {
  if (!one.card) return html`<li class="card back" aria-label=${t("dealer.face_down")}></li>`;
  const [rank, suit] = [one.card[0] === "T" ? "10" : one.card[0], one.card[1]];
  const label = `${rank} ${t(`dealer.suit_${SUIT_WORDS[suit] ?? "spades"}`)}`;
  const keyed = one.notes?.includes("keyed");
  return html`
    <li class=${`card ${"HD".includes(suit) ? "red" : "black"}`} aria-label=${label}>
      <b>${rank}</b><span>${SUITS[suit] ?? "?"}</span>${keyed ? html`<i>${t("dealer.keyed")}</i>` : null}
    </li>`;
}

// One hand; a tap says that it has been turned, if cards are dealt face down.
export function Hand({side, hand, due, turn, winner}) {
  const cards = hand.cards.map((one) => html`<${Card} key=${one.slot} one=${one} />`);
  const waits = due.startsWith(side);
  return html`
    <section class=${`hand ${side}${winner === side || winner === "tie" ? " wins" : ""}`} aria-label=${t(`dealer.${side}`)}>
      <h2>${t(`dealer.${side}`)}<output class="points">${hand.covered || !hand.cards.length ? "–" : hand.points}</output></h2>
      <ul class="cards">${cards}${waits ? html`<li class="card due" aria-label=${t("dealer.due")}>?</li>` : null}</ul>
      ${hand.may_turn ? html`<button class="turn" onClick=${turn}>${t(`dealer.turned_${side}`)}</button>` : null}
    </section>`;
}

// Cards that belong to no hand.
export function Extra({cards}) {
  if (!cards.length) return null;
  return html`
    <section class="extra">
      <h2>${t("dealer.extra")}</h2>
      <ul class="cards">${cards.map((one, index) => html`<${Card} key=${index} one=${one} />`)}</ul>
    </section>`;
}

export function Offers({offers}) {
  if (!offers.length) return null;
  return html`
    <section class="offers" role="status" aria-label=${t("dealer.offer")}>
      ${offers.map(
        (one) => html`
          <p key=${one.wager}>
            <strong>${t("dealer.offer")}: ${one.title}, ${one.odds}</strong>
            <span>${one.say}</span> <small>${t("dealer.rule", {clause: one.clause})}</small>
          </p>`,
      )}
    </section>`;
}

// The cells of Table 1 and Table 2 that decide about third cards.
export function Reasons({reasons}) {
  return html`
    <ul class="reasons">
      ${reasons.map(
        (one) => html`
          <li key=${one.key + one.values.side} class=${one.values.side}>
            ${t(`dealer.${one.key}`, {...one.values, side: t(`dealer.${one.values.side}`)})} ${" "}
            <small>${t("dealer.rule", {clause: one.clause})}</small>
          </li>`,
      )}
    </ul>`;
}

export function Alarms({alarms, more, acknowledge}) {
  if (!alarms.length) return null;
  return html`
    <section class="alarms" aria-label=${t("dealer.alarms")}>
      <h2>${t("dealer.alarms")}</h2>
      <ul>
        ${alarms.map(
          (one) => html`
            <li key=${one.alarm} class=${`${one.severity}${one.acknowledged ? " seen" : ""}`}>
              <p>${one.say} ${one.clause ? html`<small>${t("dealer.rule", {clause: one.clause})}</small>` : null}</p>
              ${one.acknowledged ? html`<small>${t("dealer.seen")}</small>` : acknowledge ? html`<button class="plain" onClick=${() => acknowledge(one)}>${t("dealer.acknowledge")}</button>` : null}
            </li>`,
        )}
      </ul>
      ${more ? html`<p>${t("dealer.more_alarms", {count: more})}</p>` : null}
    </section>`;
}

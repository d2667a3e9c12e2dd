// Playing cards as SVG, from texts such as "8H" and "TD"; the third card of a hand lies across.
import {html} from "./vendor/preact.js";
import {t} from "./words.js";

const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};

// One card, face up.
export function Card({card, across = false}) {
  const rank = card[0] === "T" ? "10" : card[0];
  const suit = SUITS[card[1]] ?? "?";
  const ink = "HD".includes(card[1]) ? "#c8102e" : "#10151c";
  return html`<svg class=${across ? "card across" : "card"} role="img" aria-label=${`${rank}${suit}`} viewBox=${across ? "0 0 70 50" : "0 0 50 70"} data-card=${card}>
    <g transform=${across ? "translate(70 0) rotate(90)" : null}>
      <rect x="1" y="1" width="48" height="68" rx="6" fill="white" stroke="#57606a" />
      <text x="25" y="33" font-size=${rank === "10" ? 27 : 31} font-weight="700" text-anchor="middle" fill=${ink}>${rank}</text>
      <text x="25" y="62" font-size="31" text-anchor="middle" fill=${ink}>${suit}\uFE0E</text>
    </g>
  </svg>`;
}

// The cards of one hand.
export function Hand({cards, side}) {
  return html`<div class="cards" role="group" aria-label=${t(`roads.${side}_name`)}>
    ${cards.map((card, at) => html`<${Card} key=${at} card=${card} across=${at === 2} />`)}
  </div>`;
}

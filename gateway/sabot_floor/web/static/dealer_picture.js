// Picture of the shoe from the side, with the part to look at highlighted.
import {html} from "./vendor/preact.js";
import {t} from "./words.js";

// Where the eye goes, by the name of the picture: the parts that are highlighted.
const PARTS = {
  unread: ["exit-card", "sensor"],
  unread_call: ["exit-card", "sensor"],
  returned: ["exit", "stack"],
  pushed: ["exit", "sensor"],
  double: ["exit-card", "exit"],
  foreign: ["exit-card", "stack"],
  stopped: ["exit-card", "exit"],
  lid: ["lid"],
  cards: ["stack"],
  sensor: ["sensor"],
  exit: ["exit"],
  controller: ["controller"],
  power: ["plug", "cable"],
  link: ["cable"],
};

export function Picture({name}) {
  const hot = new Set(PARTS[name] ?? []);
  const part = (id) => `part ${id}${hot.has(id) ? " hot" : ""}`;
  const open = name === "lid" ? "rotate(-24 60 52)" : "";
  return html`
    <svg class="shoe-picture" viewBox="0 -34 360 240" role="img" aria-label=${t(`dealer.picture_${name}`)}>
      <path class=${part("body")} d="M40 60 H220 L320 150 V180 H40 Z" />
      <g class=${part("stack")}>
        ${[0, 1, 2, 3, 4, 5, 6].map((n) => html`<rect x=${58 + n * 22} y=${74 + n * 5} width="14" height=${92 - n * 5} rx="2" />`)}
      </g>
      <g class=${part("lid")} transform=${open}><path d="M36 46 H226 L236 58 H36 Z" /></g>
      <g class=${part("exit")}><path d="M300 132 L336 164 V184 H300 Z" /></g>
      <g class=${part("exit-card")}><rect x="296" y="176" width="58" height="7" rx="2" transform="rotate(8 296 176)" /></g>
      <g class=${part("sensor")}>
        <circle cx="282" cy="160" r="7" /><circle cx="262" cy="160" r="7" />
      </g>
      <g class=${part("controller")}><rect x="52" y="184" width="92" height="16" rx="3" /><path d="M64 192 H132" /></g>
      <g class=${part("cable")}><path d="M40 192 H10 V120" /></g>
      <g class=${part("plug")}><path d="M2 120 H18 V104 H2 Z M6 104 V94 M14 104 V94" /></g>
    </svg>`;
}

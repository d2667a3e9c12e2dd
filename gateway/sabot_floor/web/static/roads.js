// Roads as SVG: bead plate, big road and the derived roads, from the cells of a view (views/shoe_roads.py).
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {t} from "./words.js";

const RED = "#c8102e", BLUE = "#0b4fb3", GREEN = "#1a7f37", GREY = "#57606a";
const INK = {B: RED, P: BLUE, T: GREEN, X: GREY, R: RED, L: BLUE};
const SIZE = 20; // units of a cell
const ROWS = 6;
const CELL = /^([BPTRL])(\d+)\.(\d+)([bpn]*)(?:=(\d+))?$/;

// Cells of a text such as "B0.0bp=2 P0.1": [{mark, row, column, flags, ties, name}].
export function parseCells(text) {
  return (text ? text.split(" ") : []).map((name) => {
    const [, mark, row, column, flags, ties] = CELL.exec(name);
    return {name, mark, row: Number(row), column: Number(column), flags, ties: Number(ties ?? 0)};
  });
}

// Cells of the bead plate: every result, down six, then the next column.
export function beadCells(text) {
  return (text ? text.split(" ") : []).map((name, at) => ({
    name, mark: name[0], row: at % ROWS, column: Math.floor(at / ROWS), flags: name.slice(1), ties: 0,
  }));
}

// The newest columns that fit, moved to the left; the newest cell is always among them.
export function newestColumns(cells, columns) {
  if (cells.length === 0) return cells;
  const last = Math.max(...cells.map((cell) => cell.column));
  const first = Math.min(Math.max(0, last - columns + 1), cells.at(-1).column);
  return cells
    .filter((cell) => cell.column >= first && cell.column < first + columns)
    .map((cell) => ({...cell, column: cell.column - first}));
}

function Dot({x, y, ink}) {
  return html`<circle cx=${x} cy=${y} r="3.4" fill=${ink} stroke="white" stroke-width="1.2" />`;
}

function Pairs({flags, x, y}) {
  return html`
    ${flags.includes("b") ? html`<${Dot} x=${x - 6} y=${y - 6} ink=${RED} />` : null}
    ${flags.includes("p") ? html`<${Dot} x=${x + 6} y=${y + 6} ink=${BLUE} />` : null}`;
}

function Text({x, y, size, ink, text}) {
  return html`<text x=${x} y=${y} font-size=${size} font-weight="700" text-anchor="middle" fill=${ink}>${text}</text>`;
}

function Bead({cell, x, y}) {
  const ink = INK[cell.mark];
  const empty = cell.mark === "X";
  const letter = t(`roads.${cell.mark}`);
  return html`
    <circle cx=${x} cy=${y} r="8.6" fill=${empty ? "white" : ink} stroke=${ink} stroke-width="1.2" stroke-dasharray=${empty ? "3 2" : null} />
    <${Text} x=${x} y=${y + 4.2} size="12" ink=${empty ? ink : "white"} text=${letter} />
    ${cell.flags.includes("n") ? html`<path d=${`M${x - 3.5} ${y + 6.4}h7`} stroke="white" stroke-width="1.4" />` : null}
    <${Pairs} flags=${cell.flags} x=${x} y=${y} />`;
}

function Circle({cell, x, y}) {
  const ring = cell.mark === "T" ? null
    : html`<circle cx=${x} cy=${y} r="7.6" fill="none" stroke=${INK[cell.mark]} stroke-width="2.6" />`;
  const stroke = cell.ties ? html`<path d=${`M${x - 8} ${y + 8}l16 -16`} stroke=${GREEN} stroke-width="2.4" />` : null;
  const count = cell.ties > 1
    ? html`<circle cx=${x} cy=${y} r="5.2" fill="white" /><${Text} x=${x} y=${y + 3.6} size="10" ink=${GREEN} text=${cell.ties} />`
    : null;
  return html`${ring}${stroke}${count}<${Pairs} flags=${cell.flags} x=${x} y=${y} />`;
}

const ring = (x, y, ink) => html`<circle cx=${x} cy=${y} r="6.8" fill="none" stroke=${ink} stroke-width="3" />`;
const dot = (x, y, ink) => html`<circle cx=${x} cy=${y} r="7.4" fill=${ink} />`;
const slash = (x, y, ink) => html`<path d=${`M${x - 7} ${y + 7}l14 -14`} stroke=${ink} stroke-width="3.4" stroke-linecap="round" />`;
const GLYPHS = {big_eye: ring, small: dot, cockroach: slash};

function Mark({kind, cell}) {
  const x = cell.column * SIZE + SIZE / 2;
  const y = cell.row * SIZE + SIZE / 2;
  if (kind === "bead") return html`<${Bead} cell=${cell} x=${x} y=${y} />`;
  if (kind === "big") return html`<${Circle} cell=${cell} x=${x} y=${y} />`;
  return GLYPHS[kind](x, y, INK[cell.mark]);
}

function gridPath(columns) {
  const down = Array.from({length: columns + 1}, (_, at) => `M${at * SIZE} 0V${ROWS * SIZE}`);
  const across = Array.from({length: ROWS + 1}, (_, at) => `M0 ${at * SIZE}H${columns * SIZE}`);
  return down.join("") + across.join("");
}

const SMALLEST = 0.012; // width of a cell, in heights of the window; a phone keeps its large cells
const PHONE = 700;

// How many columns of a road fit into an element, and how many if its cells are made smaller: [ref, fit, most].
function useColumns(least = 6) {
  const box = useRef(null);
  const [[fit, most], set] = useState([least, least]);
  useEffect(() => {
    const measure = () => {
      const {width, height} = box.current.getBoundingClientRect();
      if (height <= 0) return;
      const fits = Math.max(least, Math.floor((width * ROWS) / height + 0.01));
      set([fits, innerWidth < PHONE ? fits : Math.max(fits, Math.floor(width / (innerHeight * SMALLEST)))]);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [box, fit, most];
}

// One road: `kind` is bead, big, big_eye, small or cockroach. Its cells become smaller for a long shoe, then only the
// newest columns are shown.
export function Road({kind, cells, label, grid = true}) {
  const [box, fit, most] = useColumns();
  const all = kind === "bead" ? beadCells(cells) : parseCells(cells);
  const columns = Math.max(fit, Math.min(most, 1 + Math.max(0, ...all.map((cell) => cell.column))));
  const shown = newestColumns(all, columns);
  const newest = shown.at(-1);
  return html`<div class="road" data-road=${kind} ref=${box}>
    <svg role="img" aria-label=${label} viewBox=${`-0.5 -0.5 ${columns * SIZE + 1} ${ROWS * SIZE + 1}`} preserveAspectRatio="xMinYMin meet">
      <rect width=${columns * SIZE} height=${ROWS * SIZE} fill="white" />
      ${newest && (kind === "bead" || kind === "big")
        ? html`<rect class="newest" x=${newest.column * SIZE} y=${newest.row * SIZE} width=${SIZE} height=${SIZE} fill="#ffe08a" />`
        : null}
      ${grid ? html`<path d=${gridPath(columns)} stroke="#c4ccd6" stroke-width="0.7" fill="none" />` : null}
      ${shown.map((cell, at) => html`<g key=${at} data-cell=${cell.name}><${Mark} kind=${kind} cell=${cell} /></g>`)}
    </svg>
  </div>`;
}

// What the derived roads get if one side wins next: ring, dot and slash, red or blue, a dash for none.
export function Ask({marks, label}) {
  const kinds = ["big_eye", "small", "cockroach"];
  return html`<svg class="ask-marks" role="img" aria-label=${label} viewBox="0 0 66 22" data-ask=${marks}>
    <rect width="66" height="22" rx="4" fill="white" />
    ${[...marks].map((mark, at) => {
      const x = 11 + at * 22;
      return mark === "-" ? html`<path d=${`M${x - 5} 11h10`} stroke=${GREY} stroke-width="2" />` : GLYPHS[kinds[at]](x, 11, INK[mark]);
    })}
  </svg>`;
}

// The wall: all tables of the floor, each with a small big road; filter by area, pages, keyboard.
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {NotLive, linkWhy, useLive} from "./live.js";
import {Road} from "./roads.js";
import {t, title} from "./words.js";

const MOST_ON_PAGE = 64;
const TILE_SHAPE = 1.8; // width to height of a tile that looks good
const LEAST_TILE_PX = 150; // narrower tiles are not readable: the page scrolls instead
const NO_BETS = ["no_bet", "void_hand", "dummy", "free_hand"];

// How many tiles go side by side so that `count` of them fit the screen with a good shape and few empty places.
export function tileColumns(count, width, height) {
  const most = Math.max(1, Math.min(count, Math.floor(width / LEAST_TILE_PX)));
  const badness = (columns) => {
    const rows = Math.ceil(count / columns);
    return Math.abs(Math.log(((width / columns) / (height / rows)) / TILE_SHAPE)) + (columns * rows - count) / count;
  };
  const all = Array.from({length: most}, (_, at) => at + 1);
  return all.reduce((best, columns) => (badness(columns) < badness(best) ? columns : best), 1);
}

function useSize() {
  const [size, set] = useState([innerWidth, innerHeight]);
  useEffect(() => {
    const changed = () => set([innerWidth, innerHeight]);
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return size;
}

function State({table}) {
  if (table.state !== "open") return html`<span class="state">${t(`wall.${table.state}`)}</span>`;
  if (NO_BETS.includes(table.kind)) return html`<span class="state special">${t(`display.kind_${table.kind}`)}</span>`;
  if (table.last_coup) return html`<span class="state last">${t("display.last_coup")}</span>`;
  return html`<span class="state">${t("display.coup", {coup: table.coup})}</span>`;
}

function Streak({table}) {
  if (!table.streak) return null;
  const text = t("wall.streak", {side: t(`roads.${table.streak_side}`), length: table.streak});
  const hot = table.hot ? html`<b class="hot" data-hot=${table.hot}>${t(`wall.hot_${table.hot}`)}</b>` : null;
  return html`<span class=${`streak ${table.streak_side}${hot ? " is-hot" : ""}`}><span class="run">${text}</span>${hot}</span>`;
}

function Alarms({alarms}) {
  if (!alarms.count) return null;
  const text = t(`wall.alarms_${alarms.worst}`, {count: alarms.count});
  return html`<span class=${`alarms ${alarms.worst}`} role="img" aria-label=${text} title=${text}>${alarms.worst === "info" ? "i" : "!"} ${alarms.count}</span>`;
}

function Tile({table}) {
  const why = linkWhy(table.link);
  const look = `tile${why ? " lost" : ""}${table.hot ? ` hot-${table.hot}` : ""}`;
  const name = encodeURIComponent(table.name);
  return html`<li class=${look} data-table=${table.name}>
    <a class="open" href=${`/display/${name}`} aria-label=${t("wall.display", {table: table.name})}></a>
    <div class="top"><b class="name">${table.name}</b><${State} table=${table} /><${Alarms} alarms=${table.alarms} />
      <a class="sign" href=${`/sign/${name}`} tabindex="-1">${t("wall.sign")}</a></div>
    <div class="big"><${Road} kind="big" cells=${table.big} label=${t("roads.big")} /></div>
    <div class="bottom">
      ${why ? html`<span class="why">${t(`link.${why}`)}</span>` : html`<${Streak} table=${table} />`}
      <span class="totals"><b class="B">${t("roads.B")} ${table.banker}</b> <b class="P">${t("roads.P")} ${table.player}</b> <b class="T">${t("roads.T")} ${table.tie}</b></span>
    </div>
  </li>`;
}

// Arrow keys move between tables; s opens the sign of the table in focus. Enter follows the link by itself.
function onTileKey(event, columns) {
  const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns};
  const links = [...document.querySelectorAll(".tile a.open")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "s" && at >= 0) location.href = links[at].href.replace("/display/", "/sign/");
  if (!(event.key in steps)) return;
  const next = at < 0 ? 0 : at + steps[event.key];
  if (links[next]) {
    links[next].focus();
    event.preventDefault();
  }
}

function Areas({areas, area, choose}) {
  if (areas.length === 0) return null;
  return html`<nav class="areas" aria-label=${t("wall.area")}>${["", ...areas].map((one) => html`
    <button type="button" class="plain" key=${one} aria-pressed=${String(one === area)} onClick=${() => choose(one)}>${one || t("wall.all_areas")}</button>`)}</nav>`;
}

function Pages({page, pages, turn}) {
  if (pages < 2) return null;
  return html`<nav class="pages">
    <button type="button" class="plain" aria-label=${t("wall.page_before")} disabled=${page === 0} onClick=${() => turn(page - 1)}>‹</button>
    <span>${t("wall.page", {page: page + 1, pages})}</span>
    <button type="button" class="plain" aria-label=${t("wall.page_after")} disabled=${page === pages - 1} onClick=${() => turn(page + 1)}>›</button>
  </nav>`;
}

// The area in the address, so that a screen can be set to one part of the floor.
function useArea() {
  const [area, set] = useState(new URLSearchParams(location.search).get("area") ?? "");
  const choose = (next) => {
    const query = new URLSearchParams(location.search);
    if (next) query.set("area", next);
    else query.delete("area");
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    set(next);
  };
  return [area, choose];
}

function Tables({tables, size}) {
  const [width, height] = size;
  const columns = tileColumns(tables.length, width, height * 0.92);
  useEffect(() => {
    const pressed = (event) => {
      if (!(event.ctrlKey || event.altKey || event.metaKey)) onTileKey(event, columns);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [columns]);
  const rows = Math.ceil(tables.length / columns);
  const style = {gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, "--rows": String(rows)};
  return html`<ul class="tables" style=${style}>${tables.map((one) => html`<${Tile} key=${one.name} table=${one} />`)}</ul>`;
}

function Wall() {
  const {state, live, why} = useLive("wall");
  const [area, choose] = useArea();
  const [page, turn] = useState(0);
  const size = useSize();
  const chosen = (state?.tables ?? []).filter((one) => !area || one.area === area);
  const pages = Math.max(1, Math.ceil(chosen.length / MOST_ON_PAGE));
  const shown = Math.min(page, pages - 1);
  useEffect(() => {
    const pressed = (event) => {
      const step = {PageUp: -1, PageDown: 1}[event.key];
      if (step && pages > 1) turn(Math.min(Math.max(shown + step, 0), pages - 1));
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [shown, pages]);
  const areas = state && area && !state.areas.includes(area) ? [...state.areas, area] : state?.areas ?? [];
  return html`
    <${NotLive} live=${live} why=${why} />
    <header><h1>${t("wall.title")}</h1><${Areas} areas=${areas} area=${area} choose=${choose} /><${Pages} page=${shown} pages=${pages} turn=${turn} /></header>
    ${state && chosen.length === 0 ? html`<p class="none">${t("wall.none")}</p>` : null}
    ${chosen.length ? html`<${Tables} tables=${chosen.slice(shown * MOST_ON_PAGE, (shown + 1) * MOST_ON_PAGE)} size=${size} />` : null}`;
}

title("wall.title");
render(html`<${Wall} />`, document.getElementById("page"));

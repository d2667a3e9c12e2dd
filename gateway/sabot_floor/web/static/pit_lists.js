// Lists of the pit console: alarms, open incidents, newest acts of people, links.
import {html} from "./vendor/preact.js";
import {linkWhy} from "./live.js";
import {Age, Limit} from "./pit_clock.js";
import {clockTime} from "./site_time.js";
import {t, wordOr} from "./words.js";

// Which of these rows the filter shows.
export function shown(rows, filter) {
  return rows.filter(
    (row) =>
      (!filter.table || row.table === filter.table) &&
      (!filter.area || row.area === filter.area) &&
      (!filter.severity || !row.severity || row.severity === "critical" || row.severity === filter.severity),
  );
}

const DUE = new Set("before ahead at_once within soon reasonable_time daily month_end before_next_coup before_collection end_of_shoe approval kept".split(" "));
const QUIET = new Set(["acknowledge", "step", "withdraw", "clear_fault"]); // beside what settles the matter

// One button for each move; `choose(table, move)` opens its dialog.
export function Moves({table, moves, choose, roles}) {
  return html`<div class="moves">
    ${(moves ?? []).filter((move) => !move.not_now).map((move) => html`<button type="button" class=${QUIET.has(move.do) || move.plain ? "plain" : ""}
      key=${move.do} title=${who(move)} onClick=${() => choose(table, move)}>
      ${t(`pit.do_${move.do}`)}${roles && move.may && !roles.some((role) => move.may.includes(role)) ? html` <i class="not-mine">${t("pit.needs", {role: move.role})}</i>` : null}
    </button>`)}
  </div>`;
}

// What is not possible now, each with its reason; shut until a person wants to know.
export function NotNow({moves}) {
  const rows = moves.filter((move) => move.not_now);
  if (!rows.length) return null;
  return html`<details class="not-now"><summary>${t("pit.not_now", {n: rows.length})}</summary>
    <ul>${rows.map((move) => html`<li key=${move.do}><b>${t(`pit.do_${move.do}`)}</b> · ${t(`pit.not_now_${move.not_now}`)}</li>`)}</ul></details>`;
}

// The name of a command, and of a fault, in words.
export const verb = (name) => wordOr(`pit.verb_${name.replaceAll("-", "_")}`, name);
export const fault = (name) => wordOr(`pit.fault_${name}`, name);

// Who may do it, in words.
export function who(move) {
  const first = move.role ? t("pit.lowest", {role: move.role}) : t("pit.any_role");
  return move.second ? `${first} ${t("pit.two_people", {role: move.second})}` : first;
}

function Where({row, select}) {
  return html`<span class="where">
    <button type="button" class="link" onClick=${() => select(row.table)}>${row.table}</button>
    ${row.area ? html`<span class="area">${row.area}</span>` : null}
    ${row.coup ? html`<span>${t("pit.coup", {coup: `${row.shoe}/${row.coup}`})}</span>` : null}
  </span>`;
}

// The clause, unless the text before it has it already.
export const Clause = ({clause, after = ""}) => (clause && !after.includes(`rule ${clause}`) ? html`<span class="clause">${t("pit.rule", {clause})}</span>` : null);

function Alarm({alarm, choose, select, roles}) {
  const differ = alarm.shoe_says !== alarm.cards_say; // shoe and gateway: the same code needs no line
  return html`<li class=${`alarm ${alarm.severity} ${alarm.state}`} data-alarm=${alarm.id}>
    <header><b class="severity">${t(`pit.severity_${alarm.severity}`)}</b><${Where} row=${alarm} select=${select} /><${Age} time=${alarm.time} /></header>
    <p>${alarm.say} <${Clause} clause=${alarm.clause} after=${alarm.say} /></p>
    ${differ && alarm.shoe_says && alarm.name !== `fault_${alarm.shoe_says}` ? html`<p class="soft">${t("pit.shoe_says", {text: alarm.shoe_says})}</p>` : null}
    ${differ && alarm.cards_say ? html`<p class="soft">${t("pit.cards_say", {text: alarm.cards_say})}</p>` : null}
    ${alarm.state === "acknowledged" ? html`<p class="soft">${t("pit.seen_by", {by: alarm.by})}</p>` : null}
    <${Moves} table=${alarm.table} moves=${alarm.moves} choose=${choose} roles=${roles(alarm.table)} />
  </li>`;
}

export function Alarms({state, filter, choose, select, roles}) {
  const rows = shown(state.alarms, filter);
  return html`<section class="alarms" aria-label=${t("pit.alarms")}>
    <h2>${t("pit.alarms")} <span class="count">${rows.length}</span></h2>
    ${rows.length === 0 ? html`<p class="soft none">${t("pit.no_alarms")}</p>` : null}
    <ul>${rows.map((one) => html`<${Alarm} key=${one.table + one.id} alarm=${one} choose=${choose} select=${select} roles=${roles} />`)}</ul>
    ${state.more_alarms ? html`<p class="soft">${t("pit.more", {n: state.more_alarms})}</p>` : null}
  </section>`;
}

function Step({step, table, choose, roles}) {
  if (step.done) {
    return html`<li class="step done facts"><span>✓ ${step.say}</span>
      <span>${t("pit.done_by", {by: step.by, time: clockTime(step.done)})}${step.note ? ` · ${step.note}` : ""}</span></li>`;
  }
  return html`<li class=${step.late ? "step late" : "step"} data-step=${step.name}>
    <div class="facts"><span>${step.say}</span><${Clause} clause=${step.clause} />
      ${step.role ? html`<span class="soft">${t("pit.lowest", {role: step.role})}</span>` : null}
      ${step.until ? html`<${Limit} until=${step.until} late=${step.late} />` : step.due ? html`<span class=${step.late ? "limit late" : "limit"}>${step.late ? `${t("pit.late")} · ` : ""}${DUE.has(step.due) ? t(`pit.due_${step.due}`) : step.due}</span>` : null}
    </div>
    <${Moves} table=${table} moves=${step.moves} choose=${choose} roles=${roles} />
  </li>`;
}

function Incident({one, choose, select, roles}) {
  return html`<li class=${one.late ? "incident late" : "incident"} data-incident=${one.id}>
    <header><b>${one.title}</b><${Where} row=${one} select=${select} /><${Age} time=${one.opened} /></header>
    <p>${one.say} <${Clause} clause=${one.clause} after=${one.say} />
      ${one.coup_id ? html` <a href=${`/coup/${one.coup_id}`}>${t("pit.evidence")}</a>` : null}
      ${one.kind.startsWith("jackpot_") ? html` <a href="/console/jackpots">${t("console.title")}</a>` : null}</p>
    <ol>${one.steps.map((step) => html`<${Step} key=${step.name} step=${step} table=${one.table} choose=${choose} roles=${roles(one.table)} />`)}</ol>
    <${Moves} table=${one.table} moves=${one.moves} choose=${choose} roles=${roles(one.table)} />
  </li>`;
}

export function Incidents({state, filter, choose, select, roles}) {
  const rows = shown(state.incidents, filter);
  return html`<section class="incidents" aria-label=${t("pit.incidents")}>
    <h2>${t("pit.incidents")} <span class="count">${rows.length}</span></h2>
    ${rows.length === 0 ? html`<p class="soft none">${t("pit.no_incidents")}</p>` : null}
    <ul>${rows.map((one) => html`<${Incident} key=${one.table + one.id} one=${one} choose=${choose} select=${select} roles=${roles} />`)}</ul>
    ${state.more_incidents ? html`<p class="soft">${t("pit.more", {n: state.more_incidents})}</p>` : null}
  </section>`;
}

// What people asked for, the newest first, as it happens.
export function Acts({acts, filter, select}) {
  const rows = filter ? acts.filter((act) => !filter.table || act.table === filter.table) : acts;
  return html`<section class="acts" aria-label=${t("pit.acts")}>
    <h2>${t("pit.acts")}</h2>
    ${rows.length === 0 ? html`<p class="soft none">${t("pit.no_acts")}</p>` : null}
    <ul>${rows.map((act) => html`<li key=${act.id} class=${act.ok === false ? "refused" : ""}>
      <span><button type="button" class="link" onClick=${() => select(act.table)}>${act.table}</button> <b>${verb(act.verb)}</b> <${Clause} clause=${act.clause} /></span>
      <span class="soft">${act.by}${act.role ? ` (${act.role})` : ""}${act.asks ? ` · ${t("pit.asked_by", {by: act.asks})}` : ""} · <${Age} time=${act.time} /></span>
      <span>${act.ok == null ? t("pit.waiting") : act.say}</span>
    </li>`)}</ul>
  </section>`;
}

// All tables with their state and link; gateways and the broker.
export function Tables({state, filter, select, chosen}) {
  const rows = shown(state.tables, {...filter, severity: ""});
  return html`<section class="tables" aria-label=${t("pit.tables")}>
    <h2>${t("pit.tables")}</h2>
    <ul>${rows.map((one) => {
      const why = linkWhy(one.link);
      return html`<li key=${one.table}><button type="button" class=${`table ${why ? "lost" : ""}`} aria-current=${chosen === one.table ? "true" : "false"} onClick=${() => select(one.table)}>
        <b>${one.table}</b>
        <span class="now">${one.area ? html`<span class="soft">${one.area} · </span>` : null}${why ? t(`link.${why}`) : one.fault ? fault(one.fault) : t(`pit.phase_${one.phase}`)}${one.coup && !why ? ` · ${one.shoe}/${one.coup}` : ""}</span>
        <span class="badges">${one.critical ? html`<i class="critical">${one.critical}</i>` : null}${one.alarms - (one.critical ?? 0) ? html`<i class="warning">${one.alarms - (one.critical ?? 0)}</i>` : null}${one.open ? html`<i class="open">${t("pit.open_count", {n: one.open})}</i>` : null}</span>
      </button></li>`;
    })}</ul>
    <${Links} state=${state} />
  </section>`;
}

function Links({state}) {
  return html`<ul class="links">
    <li class=${state.link.broker ? "" : "lost"}>${t("pit.broker")}: ${t(state.link.broker ? "link.live" : "link.not_live")}</li>
    ${state.gateways.map((one) => html`<li key=${one.name} class=${one.online ? "" : "lost"}>${one.name ? t("pit.gateway_named", {name: one.name}) : t("pit.gateway")}: ${t(one.online ? "link.live" : "link.not_live")}${one.online ? null : html` · <${Age} time=${one.time} />`}</li>`)}
  </ul>`;
}

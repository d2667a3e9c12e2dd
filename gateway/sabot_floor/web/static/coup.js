// The evidence page: everything that is stored about one coup, to read, print and save.
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {Card, Cells, Events, Hands, Time} from "./coup_parts.js";
import {alarmName, noteName, plain, slotName, verbName} from "./coup_words.js";
import {said} from "./said.js";
import {Badge, Gate} from "./session.js";
import {clockTime} from "./site_time.js";
import {Unknown} from "./unknown.js";
import {t, title} from "./words.js";

const id = decodeURIComponent(location.pathname.replace(/^\/coup\/?/, ""));
const address = `/data/coup/${id.split("/").map(encodeURIComponent).join("/")}`;

async function load() {
  try {
    const answer = await fetch(address);
    if (answer.status === 401) dispatchEvent(new Event("sabot-locked"));
    const found = await answer.json();
    return answer.ok ? {evidence: found} : {missing: found};
  } catch {
    return {missing: {say: t("session.no_answer")}};
  }
}

function Section({name, children}) {
  return html`<section class=${`part part-${name}`}><h2>${t(`coup.part_${name}`)}</h2>${children}</section>`;
}

function Rows({heads, rows}) {
  if (!rows.length) return html`<p class="soft">${t("coup.none")}</p>`;
  return html`<table><thead><tr>${heads.map((head) => html`<th>${t(`coup.${head}`)}</th>`)}</tr></thead>
    <tbody>${rows.map((row, number) => html`<tr key=${number}>${row.map((cell, at) => html`<td class=${`c-${heads[at]}`} data-head=${t(`coup.${heads[at]}`)}>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

const person = (name, role) => html`${name}${role ? html` <span class="soft">${role.replaceAll("_", " ")}</span>` : null}`;

// A verified coup without a winner is void, or it is not out: its cards may not be turned yet.
function winnerOf(message) {
  if (message.winner) return t(`coup.winner_${message.winner}`);
  return t(message.status === "verified" && message.kind !== "void" ? "coup.not_out" : "coup.winner_none");
}

function Facts({evidence}) {
  const {report, rulebook} = evidence;
  const [final] = report.final;
  const marks = ["player_pair", "banker_pair", "natural", "last_coup"].filter((name) => final[name]);
  const others = evidence.cards.filter((one) => !one.side);
  const flags = evidence.events.filter((one) => one.kind === "coup").at(-1)?.notes ?? []; // of the newest message
  return html`<dl class="facts">
    <dt>${t("coup.result")}</dt><dd><b>${winnerOf(final)}</b> ${marks.map((name) => html`<span class="chip">${t(`coup.${name}`)}</span> `)}</dd>
    <dt>${t("coup.state")}</dt><dd><span class=${`chip ${evidence.state}`} data-state=${evidence.state}>${t(evidence.state === "verified" ? "coup.not_confirmed" : `coup.status_${evidence.state}`)}</span> <span class="chip">${t(`coup.kind_of_${final.kind}`)}</span>${flags.map((one) => html` <span class="chip">${noteName(one)}</span>`)}</dd>
    ${others.length ? html`<dt>${t("coup.other_cards")}</dt><dd>${others.map((one) => html`<${Card} card=${one.card} /> ${[slotName(one.slot), ...one.notes.map(noteName)].join(", ")} `)}</dd>` : null}
    ${final.began ? html`<dt>${t("coup.began")}</dt><dd>${final.began}</dd>` : null}
    <dt>${t("coup.rulebook")}</dt><dd>${rulebook.title || t("coup.unknown_book")} <code>${rulebook.hash}</code></dd>
    <dt>${t("coup.unit")}</dt><dd><code>${evidence.unit}</code>${evidence.unit.startsWith("ae-") ? html` <span class="soft">${t("coup.angel_eye")}</span>` : null}</dd>
    <dt>${t("coup.message")}</dt><dd><code>${evidence.id}</code></dd>
  </dl>`;
}

function People({evidence, zone}) {
  const {report} = evidence;
  const time = (at) => html`<${Time} at=${at} zone=${zone} />`;
  return html`
    <${Section} name="confirmed"><${Rows} heads=${["time", "state", "who", "rule", "message", "entry"]} rows=${evidence.confirmed.map((one) => [time(one.time), t(`coup.status_${one.status}`), person(one.by, one.role), one.clause, html`<code>${one.coup_id}</code>`, one.place.entry])} /></${Section}>
    <${Section} name="corrections"><${Rows} heads=${["time", "message", "state", "result", "who", "rule", "corrects"]} rows=${report.messages.map((one) => [time(one.time), html`<code>${one.coup_id}</code>`, t(`coup.status_${one.status}`), winnerOf(one), person(one.by, one.role), one.clause, one.corrects ? html`<code>${one.corrects}</code>` : ""])} /></${Section}>
    <${Section} name="decisions"><${Rows} heads=${["time", "what", "approved", "asked", "rule", "answered", "answer"]} rows=${report.decisions.map((one) => [time(one.time), verbName(one.verb), person(one.by, one.role), person(one.asks, one.asks_role), one.clause, time(one.answered), `${one.ok === false ? `${t("coup.refused")}: ` : ""}${said(one.say)}`])} /></${Section}>
    <${Section} name="alarms"><${Rows} heads=${["time", "what", "rule", "acknowledged", "cleared"]} rows=${report.alarms.map((one) => [time(one.raised), html`<b>${alarmName(one.name)}</b> ${said(one.say)}`, one.clause, html`${time(one.acknowledged)} ${one.acknowledged_by}`, html`${time(one.cleared)} ${one.cleared_by}`])} /></${Section}>
    <${Section} name="incidents"><${Rows} heads=${["time", "what", "rule", "state", "who"]} rows=${report.incidents.map((one) => [time(one.opened), html`<b>${plain(one.kind)}</b> ${said(one.say)}`, one.clause, t("coup.steps_done", {done: one.done, steps: one.steps}), one.by])} />
      ${report.steps.length ? html`<${Rows} heads=${["what", "rule", "state", "who", "time"]} rows=${report.steps.map((one) => [one.say || plain(one.name), one.clause, plain(one.state), person(one.by, one.by_role), time(one.done)])} />` : null}</${Section}>`;
}

// An amount in minor units as people write it.
function money({amount, currency}, digits) {
  const after = digits[currency] ?? 2;
  return `${(amount / 10 ** after).toFixed(after)} ${currency}`;
}

function Jackpots({evidence, zone}) {
  const time = (at) => html`<${Time} at=${at} zone=${zone} />`;
  return html`<${Section} name="jackpots">
    <${Rows} heads=${["time", "jackpot", "amount", "counted", "message"]} rows=${evidence.contributions.map((one) => [time(one.time), one.jackpot, money(one, evidence.digits), one.not_counted || time(one.counted), html`<code>${one.coup_id}</code>`])} />
    ${evidence.wins.length ? html`<${Rows} heads=${["time", "jackpot", "what", "state", "amount", "who"]} rows=${evidence.wins.map((one) => [time(one.time), one.jackpot, plain(one.outcome), plain(one.state), money(one, evidence.digits), person(one.by, one.role)])} />` : null}
  </${Section}>`;
}

function Ledgers({evidence, zone}) {
  return html`<${Section} name="ledger">
    ${evidence.ledgers.map((one) => html`<dl class="facts" key=${one.gateway}>
      <dt>${t("coup.gateway")}</dt><dd><code>${one.gateway}</code></dd>
      <dt>${t("coup.entries")}</dt><dd>${one.entries.join(", ")}</dd>
      ${one.hashes.length ? html`<dt>${t("coup.hashes")}</dt><dd class="hashes">${one.hashes.map((own) => html`<p key=${own.entry}>${t("coup.head_entry", own)} <code>${own.hash}</code></p>`)}</dd>` : null}
      <dt>${t("coup.head")}</dt><dd>${one.head
        ? html`${t("coup.head_entry", {entry: one.head.entry})} <${Time} at=${one.head.time} zone=${zone} /><br />
            ${t("coup.hash")} <code>${one.head.hash}</code>${one.head.signature ? html`<br />${t("coup.signature")} <code>${one.head.signature}</code>` : null}`
        : t("coup.no_head")}</dd>
    </dl>`)}
    <h3>${t("coup.how")}</h3>
    <p>${t("coup.how_report")}</p><pre>${evidence.verify[0]}</pre>
    <p>${t("coup.how_ledger")}</p><pre>${evidence.verify[1]}</pre>
    ${evidence.ledgers.some((one) => one.head) ? html`<p>${t("coup.how_heads")}</p><pre>${evidence.ledgers.filter((one) => one.head).map((one) => JSON.stringify(one.head)).join("\n")}</pre>` : null}
    ${evidence.ledgers.some((one) => one.hashes.length) ? html`<p>${t("coup.how_hashes")}</p><pre>${evidence.verify[2]}</pre>` : null}
  </${Section}>`;
}

function Found({evidence, again}) {
  const {head} = evidence.report;
  const zone = head.time_zone;
  useEffect(() => title("coup.title", evidence), [evidence]);
  return html`<article class="evidence">
    <header>
      <div><h1>${t("coup.title", evidence)}</h1><p class="soft">${head.site} · ${t("coup.made")} <${Time} at=${head.made} zone=${zone} /> · ${t("coup.zone", {zone})}</p></div>
      <nav><button type="button" onClick=${() => print()}>${t("coup.print")}</button> <a class="button" href=${`${address}?download`} download>${t("coup.save")}</a> <button type="button" class="plain" onClick=${again}>${t("coup.again")}</button> <${Badge} /></nav>
    </header>
    ${head.complete ? null : html`<div class="warning" role="alert"><b>${t("coup.incomplete")}</b>${head.warnings.map((text) => html`<p>${said(text)}</p>`)}</div>`}
    <${Hands} evidence=${evidence} />
    <${Section} name="cells">${evidence.cells.length ? html`<${Cells} cells=${evidence.cells} />` : html`<p class="soft">${t("coup.no_cells")}</p>`}</${Section}>
    <${Section} name="facts"><${Facts} evidence=${evidence} /></${Section}>
    <${Section} name="events"><${Events} evidence=${evidence} /></${Section}>
    <${People} evidence=${evidence} zone=${zone} />
    <${Jackpots} evidence=${evidence} zone=${zone} />
    <${Ledgers} evidence=${evidence} zone=${zone} />
  </article>`;
}

function Missing({missing, again}) {
  return html`<article class="evidence missing">
    <${Unknown} say=${t("coup.missing")} links=${[["/pit", t("unknown.pit")]]} />
    <p role="alert">${said(missing.say)}</p>
    ${missing.others?.length ? html`<ul>${missing.others.map((one) => html`<li><a href=${`/coup/${one.id}`}>${one.id}</a> <span class="soft">${one.unit}, ${clockTime(one.time)}</span></li>`)}</ul>` : null}
    ${missing.gaps?.length ? html`<h2>${t("coup.gaps")}</h2><ul>${missing.gaps.map((gap) => html`<li>${t("coup.gap", gap)}</li>`)}</ul><p>${t("coup.gap_next")}</p>` : null}
    <nav><button type="button" onClick=${again}>${t("coup.again")}</button> <${Badge} /></nav>
  </article>`;
}

function Page() {
  const [found, set] = useState(null);
  const again = () => load().then(set);
  useEffect(() => {
    again();
  }, []);
  if (found === null) return html`<p class="soft wait">${t("coup.wait")}</p>`;
  return found.evidence ? html`<${Found} evidence=${found.evidence} again=${again} />` : html`<${Missing} missing=${found.missing} again=${again} />`;
}

title("coup.name");
render(html`<${Gate} kind="pit"><${Page} /></${Gate}>`, document.getElementById("page"));

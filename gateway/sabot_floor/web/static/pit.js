// The pit console: alarms, open incidents and acts of all tables; the panel of one table; commands.
import {html, render, useEffect, useMemo, useRef, useState} from "./vendor/preact.js";
import {NotLive, useLive} from "./live.js";
import {setClock} from "./pit_clock.js";
import {MoveDialog} from "./pit_dialog.js";
import {Acts, Alarms, Incidents, Tables} from "./pit_lists.js";
import {Panel} from "./pit_panel.js";
import {act, backTo, Badge, Gate, useSession} from "./session.js";
import {t, title} from "./words.js";

const VIEWS = ["alarms", "incidents", "tables", "acts"]; // one at a time on a narrow screen
const SAID_MS = 8000;

// What the address has after #: the table of the panel, and the filter; so a reload keeps them.
function useAddress() {
  const read = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const [now, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const change = (values) => {
    const next = Object.entries({...read(), ...values}).filter(([, value]) => value);
    location.hash = new URLSearchParams(next).toString();
  };
  return [now, change];
}

let sound = null; // an AudioContext, once a person wants sound

function beep() {
  const [tone, volume] = [sound.createOscillator(), sound.createGain()];
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.08, sound.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, sound.currentTime + 0.5);
  tone.connect(volume).connect(sound.destination);
  tone.start();
  tone.stop(sound.currentTime + 0.5);
}

// A quiet sound for each new critical alarm; off until a person turns it on.
function useSound(alarms) {
  const [on, set] = useState(false);
  const known = useRef(null);
  useEffect(() => {
    if (!alarms) return;
    const critical = alarms.filter((one) => one.severity === "critical" && one.state === "raised").map((one) => one.table + one.id);
    if (on && known.current && critical.some((one) => !known.current.has(one))) beep();
    known.current = new Set(critical);
  }, [alarms]);
  const toggle = () => {
    sound ??= new AudioContext();
    if (!on) sound.resume().then(beep);
    set(!on);
  };
  return [on, toggle];
}

function Choose({label, all, value, options, set}) {
  return html`<select class="filter" aria-label=${label} value=${value ?? ""} onChange=${(event) => set(event.target.value)}>
    <option value="">${all}</option>${options.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}</select>`;
}

function Bar({state, filter, change, sounds}) {
  const names = state.tables.map((one) => one.table);
  const areas = [...new Set(state.tables.map((one) => one.area).filter(Boolean))].sort();
  return html`<header class="bar">
    <h1>${t("pit.title")}</h1>
    <${Choose} label=${t("pit.table")} all=${t("pit.all_tables")} value=${filter.table} options=${names.map((one) => [one, one])} set=${(table) => change({table})} />
    ${areas.length ? html`<${Choose} label=${t("pit.area")} all=${t("pit.all_areas")} value=${filter.area} options=${areas.map((one) => [one, one])} set=${(area) => change({area})} />` : null}
    <${Choose} label=${t("pit.severity")} all=${t("pit.all_severities")} value=${filter.severity} options=${["critical", "warning"].map((one) => [one, t(`pit.from_${one}`)])} set=${(severity) => change({severity})} />
    <button type="button" class="plain sound" aria-pressed=${sounds[0] ? "true" : "false"} onClick=${sounds[1]}>${t(sounds[0] ? "pit.sound_on" : "pit.sound_off")}</button>
    <${Badge} />
  </header>`;
}

function Said({said}) {
  return html`<div class=${said?.ok === false ? "said not" : "said"} role="status">${said?.say ?? ""}</div>`;
}

function Console() {
  const {state, live, why} = useLive("pit");
  const [address, change] = useAddress();
  const [chosen, setChosen] = useState(null); // {table, move} in the dialog
  const [said, setSaid] = useState(null); // the newest answer: {ok, say}
  const sounds = useSound(state?.alarms);
  const session = useSession();
  const books = useMemo(() => Object.fromEntries((state?.tables ?? []).map((one) => [one.table, one.rulebook])), [state?.tables]);
  useEffect(() => {
    const timer = said ? setTimeout(() => setSaid(null), SAID_MS) : 0;
    return () => clearTimeout(timer);
  }, [said]);
  if (!state) return html`<${NotLive} live=${live} why=${why} /><p class="soft wait">${t("pit.loading")}</p>`;

  const choose = async (table, move) => {
    if (move.do !== "acknowledge") setChosen({table, move}); // that alone needs no more of the person
    else {
      const before = document.activeElement;
      setSaid(await act({do: "table", table, command: move.verb, args: move.args}));
      backTo(before);
    }
  };
  const select = (panel) => change({panel, view: "panel"});
  const close = (answer) => {
    setChosen(null);
    if (answer) setSaid(answer);
  };
  const role = (table) => {
    const own = session?.roles[books[table]];
    return own ? [own] : [];
  };
  const view = address.view === "panel" && !address.panel ? "alarms" : address.view ?? "alarms";
  const lists = {state, filter: address, choose, select, roles: role};
  return html`<${NotLive} live=${live} why=${why} />
    <${Bar} state=${state} filter=${address} change=${change} sounds=${sounds} />
    <nav class="views">${VIEWS.map((name) => html`<button key=${name} type="button" class="plain" aria-pressed=${view === name ? "true" : "false"} onClick=${() => change({view: name})}>
      ${t(`pit.show_${name}`)}${name === "alarms" || name === "incidents" ? ` ${state[name].length}` : ""}</button>`)}</nav>
    <div class=${`columns show-${view}${address.panel ? "" : " no-panel"}`}>
      <${Tables} state=${state} filter=${address} select=${select} chosen=${address.panel} />
      <${Alarms} ...${lists} /><${Incidents} ...${lists} />
      <div class="right">${address.panel ? html`<${Panel} key=${address.panel} table=${address.panel} choose=${choose} roles=${role} moment=${newest(state.acts, address.panel)} close=${() => change({panel: "", view: "alarms"})} />` : null}
        <${Acts} acts=${state.acts} filter=${address} select=${select} /></div>
    </div>
    <${Said} said=${said} />
    ${chosen ? html`<${MoveDialog} key=${chosen.table + chosen.move.do} ...${chosen} rulebook=${books[chosen.table]} close=${close} />` : null}`;
}

// What changes when something was asked for or answered at a table.
function newest(acts, table) {
  const own = acts.find((act) => act.table === table);
  return own ? `${own.id} ${own.ok}` : "";
}

fetch("/session").then(setClock, () => undefined);
title("pit.title");
render(html`<${Gate} kind="pit"><${Console} /><//>`, document.getElementById("page"));

// Session: log in by person and PIN or by badge, an idle lock, acts, and a second person where a book wants one.
import {html, render, useEffect, useLayoutEffect, useRef, useState} from "./vendor/preact.js";
import {parse} from "./said.js";
import {t} from "./words.js";

const ACTIVE_MS = 15000; // between two reports that the person does something
const LOOK_MS = 1000;

let session = null; // {person, name, roles, token, idle_s, kind, change_pin}, or null
let left = false; // the person has logged out here
const watchers = new Set();

function become(next) {
  session = next;
  for (const watch of watchers) watch(next);
}

async function post(path, body) {
  const headers = {"Content-Type": "application/json"};
  if (session) headers["X-Sabot-Token"] = session.token;
  try {
    const answer = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
    return {status: answer.status, data: parse(await answer.text())};
  } catch {
    return {status: 0, data: {ok: false, say: t("session.no_answer")}};
  }
}

// The session as it is, or null; the page is drawn again when it changes.
export function useSession() {
  const [now, set] = useState(session);
  useEffect(() => {
    watchers.add(set);
    set(session);
    return () => watchers.delete(set);
  }, []);
  return now;
}

// Do something in the name of the person who has logged in: {do: "table", table, command, args, clause} or
// {do: "jackpot", verb, args}. With `second` (a text: what is to be approved) a second person logs in first.
// Returns {ok, say, data}; {ok: false, say: ""} if the second person has cancelled.
export async function act(body, second = "") {
  return second ? secondPerson(second, (other) => send({...body, second: other})) : send(body);
}

async function send(body) {
  const {status, data} = await post("/act", body);
  if (status === 401 || status === 403) become(await look());
  return data;
}

// Say that the first cards of a hand are turned: {table, coup, side, cards}.
export async function turned(body) {
  const {status, data} = await post("/turned", body);
  if (status === 401 || status === 403) become(await look());
  return data;
}

export async function logIn(person, secret, kind) {
  const {status, data} = await post("/login", {person, secret, kind});
  if (status === 200) become(data);
  return status === 200 ? "" : data.say;
}

// Change the own PIN; the other sessions of the person end.
async function changePin(secret, fresh) {
  const {status, data} = await post("/pin", {secret, new: fresh});
  if (status === 200 && data.person) become(data);
  else if (status === 401 || status === 403) become(await look());
  return status === 200 && data.person ? "" : data.say;
}

export async function logOut() {
  await post("/logout", {});
  left = true;
  become(null);
}

// An id for an act that must count once, however often it is sent.
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The session of this browser; another person's, opened on another page, does not go on here.
async function look() {
  try {
    const found = await (await fetch("/session")).json();
    const other = session !== null && found.person !== session.person;
    return found.person && !other ? found : null;
  } catch {
    return session; // the server is away: the page shows that it is not live
  }
}

// Report activity to the server, at most every 15 s; look whether the session still lasts.
function watchActivity() {
  let last = performance.now();
  let reported = last;
  const active = () => {
    last = performance.now();
  };
  const turn = async () => {
    if (!session) return;
    if (last > reported && performance.now() - reported >= Math.min(ACTIVE_MS, session.idle_s * 250)) {
      reported = performance.now();
      const {status} = await post("/session", {});
      if (status === 401 || status === 403) become(await look());
    } else if (performance.now() - last > session.idle_s * 1000) become(await look());
  };
  for (const kind of ["pointerdown", "pointermove", "keydown", "touchstart", "wheel"]) addEventListener(kind, active, {passive: true});
  addEventListener("sabot-locked", async () => become(await look())); // somebody may have logged in on another page
  setInterval(turn, LOOK_MS);
}
watchActivity();

function useFocus() {
  const field = useRef(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return field;
}

// Escape cancels from the moment the form is shown, wherever the focus still is.
function useEscape(cancel) {
  useLayoutEffect(() => {
    const pressed = (event) => {
      if (event.key === "Escape" && cancel) cancel();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [cancel]);
}

// The form of a log-in: a person and a PIN, or a badge, whose reader types the code and Enter.
function Form({head, text, give, cancel}) {
  const [person, setPerson] = useState("");
  const [secret, setSecret] = useState("");
  const [badge, setBadge] = useState(false);
  const [say, setSay] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useFocus();
  const submit = async (event) => {
    event.preventDefault();
    const empty = event.target.querySelector("input:placeholder-shown");
    if (empty) empty.focus();
    if (busy || empty) return;
    setBusy(true);
    const refused = await give(badge ? "badge" : person.trim(), secret);
    setBusy(false);
    setSay(refused);
    setSecret("");
  };
  const change = (on) => {
    setBadge(on);
    setSecret("");
    setSay("");
    setTimeout(() => field.current?.focus());
  };
  useEscape(cancel);
  return html`<form class="log-in" role="dialog" aria-modal="true" aria-label=${head} onSubmit=${submit}>
    <h2>${head}</h2>
    ${text ? html`<p>${text}</p>` : null}
    <div class="means" role="group" aria-label=${t("session.means")}>
      <button type="button" class=${badge ? "plain" : ""} aria-pressed=${!badge} onClick=${() => change(false)}>${t("session.pin")}</button>
      <button type="button" class=${badge ? "" : "plain"} aria-pressed=${badge} onClick=${() => change(true)}>${t("session.badge")}</button>
    </div>
    ${badge
      ? html`<label>${t("session.hold_badge")}<input ref=${field} type="password" placeholder=" " autocomplete="off" maxlength="128" value=${secret} onInput=${(event) => setSecret(event.target.value)} /></label>`
      : html`<label>${t("session.person")}<input ref=${field} placeholder=" " autocomplete="off" autocapitalize="none" spellcheck=${false} maxlength="32" value=${person} onInput=${(event) => setPerson(event.target.value)} /></label>
        <label>${t("session.secret")}<input type="password" placeholder=" " autocomplete="off" maxlength="128" value=${secret} onInput=${(event) => setSecret(event.target.value)} /></label>`}
    <p class="say" role="alert">${say}</p>
    <div class="buttons">
      ${cancel ? html`<button type="button" class="plain" onClick=${cancel}>${t("session.cancel")}</button>` : null}
      <button type="submit" disabled=${busy}>${t("session.log_in")}</button>
    </div>
  </form>`;
}

// The form that changes the own PIN: that of now, and the new one twice.
function PinForm({text, done, cancel}) {
  const [now, setNow] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const [say, setSay] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useFocus();
  const submit = async (event) => {
    event.preventDefault();
    const empty = event.target.querySelector("input:placeholder-shown");
    if (empty) empty.focus();
    if (busy || empty) return;
    if (fresh !== again) return setSay(t("session.pins_differ"));
    setBusy(true);
    const refused = await changePin(now, fresh);
    setBusy(false);
    if (refused) setSay(refused);
    else done();
  };
  useEscape(cancel);
  const input = (label, value, set, ref) =>
    html`<label>${label}<input ref=${ref} type="password" placeholder=" " autocomplete="off" maxlength="128" value=${value} onInput=${(event) => set(event.target.value)} /></label>`;
  return html`<form class="log-in" role="dialog" aria-modal="true" aria-label=${t("session.change_pin")} onSubmit=${submit}>
    <h2>${t("session.change_pin")}</h2>
    ${text ? html`<p>${text}</p>` : null}
    ${input(t("session.pin_now"), now, setNow, field)}
    ${input(t("session.pin_new"), fresh, setFresh)}
    ${input(t("session.pin_again"), again, setAgain)}
    <p class="say" role="alert">${say}</p>
    <div class="buttons">
      <button type="button" class="plain" onClick=${cancel}>${t(text ? "session.log_out" : "session.cancel")}</button>
      <button type="submit" disabled=${busy}>${t("session.change_pin")}</button>
    </div>
  </form>`;
}

// Have a second person log in for one act: `send({person, secret})` does it. The dialog stays with the sentence of a
// refusal, until it is done or cancelled; then the focus is where it was.
export function secondPerson(text, send) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const place = document.body.appendChild(document.createElement("div"));
    place.className = "overlay";
    const done = (value) => {
      render(null, place);
      place.remove();
      resolve(value);
      backTo(before);
    };
    const give = async (person, secret) => {
      const answer = await send({person, secret});
      if (answer.ok || !session) done(answer);
      return answer.say;
    };
    render(html`<${Form} head=${t("session.second")} text=${text} give=${give} cancel=${() => done({ok: false, say: ""})} />`, place);
  });
}

const BACK_MS = 1500; // so long a page may take to draw itself anew after an act
const LOOK_BACK_MS = 50;

// Give the focus back to the element that had it; where it goes with the act, to the first button of the page.
export function backTo(element) {
  const until = performance.now() + BACK_MS;
  const give = () => {
    if (document.activeElement === document.body) {
      const there = element?.isConnected && element !== document.body && !element.disabled ? element : document.querySelector("#page button");
      there?.focus();
    }
    if (performance.now() < until) setTimeout(give, LOOK_BACK_MS);
  };
  setTimeout(give);
}

// For a dialog: when it ends, the focus is where it was before.
export function useBackTo() {
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => backTo(before);
  }, []);
}

// Shows its children only to a person who has logged in; `kind` is "pit" or "dealer": how long one may be idle.
export function Gate({kind = "pit", children}) {
  const now = useSession();
  const [asked, setAsked] = useState(false);
  const [was, setWas] = useState("");
  useEffect(() => {
    look().then((found) => {
      become(found);
      setAsked(true);
    });
  }, []);
  useEffect(() => {
    if (now) {
      setWas(now.name);
      left = false;
    }
  }, [now]);
  if (!asked) return null;
  if (now && now.change_pin) return html`<div class="overlay"><${PinForm} text=${t("session.pin_of_administrator")} done=${() => {}} cancel=${logOut} /></div>`;
  if (now && (now.kind === kind || now.kind === "pit")) return children;
  const text = now ? t("session.not_here", {name: now.name}) : was && !left ? t("session.locked", {name: was}) : "";
  return html`<div class="overlay"><${Form} head=${t("session.log_in")} text=${text} give=${(person, secret) => logIn(person, secret, kind)} /></div>`;
}

// Who has logged in, and buttons to change the PIN and to log out.
export function Badge() {
  const now = useSession();
  const [changing, setChanging] = useState(false);
  if (!now) return null;
  const end = () => setChanging(false);
  return html`<div class="who"><span>${now.name}</span>
    <button type="button" class="plain" onClick=${() => setChanging(true)}>${t("session.change_pin")}</button>
    <button type="button" class="plain" onClick=${logOut}>${t("session.log_out")}</button>
    ${changing ? html`<div class="overlay"><${PinForm} done=${end} cancel=${end} /></div>` : null}</div>`;
}

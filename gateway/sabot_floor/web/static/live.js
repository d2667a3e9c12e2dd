// Live: a page's connection to its channel; a page that gets nothing for 3.5 s is not live, and connects again by itself.
import {html, useEffect, useState} from "./vendor/preact.js";
import {parse} from "./said.js";
import {t} from "./words.js";

const SILENT_MS = 3500;
const LOOK_MS = 250;
const AGAIN_MS = 1000;

// Listen to a channel; `heard({state, why})` is called at each change of either. Returns a function that ends it.
// `why`: "" while events come, else "no_server", "locked" (no session) or "broken" (the view failed).
export function listen(channel, heard) {
  let source = null;
  let last = performance.now();
  let again = 0;
  let state = null;
  let why = "";
  let broken = false; // the newest state could not be made: beats do not make an old one live

  const report = (next) => {
    if (next !== why) {
      why = next;
      heard({state, why});
    }
  };
  const open = () => {
    last = performance.now();
    again = 0;
    source = new EventSource(`/events/${channel}`);
    source.addEventListener("state", (event) => {
      last = performance.now();
      state = parse(event.data);
      broken = false;
      why = "";
      heard({state, why});
    });
    source.addEventListener("beat", () => {
      last = performance.now();
      if (broken || state !== null) report(broken ? "broken" : "");
    });
    source.addEventListener("broken", () => {
      last = performance.now();
      broken = true;
      report("broken");
    });
    source.addEventListener("locked", () => {
      lost("locked");
      dispatchEvent(new Event("sabot-locked")); // session.js asks for a log-in
    });
    source.addEventListener("error", () => lost("no_server"));
  };
  const lost = (next) => {
    source.close();
    again = performance.now() + AGAIN_MS * (1 + Math.random());
    report(next);
  };
  const look = () => {
    const now = performance.now();
    if (again) {
      if (now >= again) open();
    } else if (now - last > SILENT_MS) lost("no_server");
  };
  const timer = setInterval(look, LOOK_MS);
  open();
  return () => {
    clearInterval(timer);
    source.close();
  };
}

// What a page shows of a channel: {state, live, why}; `state` is null before the first, and stays when data stop.
// `why`: "", "no_server", "no_broker", "no_gateway", "gateway_silent", "no_shoe", "locked" or "broken"; live unless one of these but no_shoe.
export function useLive(channel) {
  const [now, set] = useState({state: null, why: ""});
  useEffect(() => {
    if (!channel) return undefined;
    return listen(channel, set);
  }, [channel]);
  const why = now.why || linkWhy(now.state?.link);
  return {state: now.state, live: why === "" || why === "no_shoe", why};
}

// Why a view's own link is not live; "" if it is.
export function linkWhy(link) {
  if (!link || (link.broker && link.gateway && link.shoe)) return "";
  if (!link.broker) return "no_broker";
  if (!link.gateway) return link.silent ? "gateway_silent" : "no_gateway";
  return "no_shoe";
}

// A bar over the page while it is not live, also where the first state does not come; nothing while it is live.
export function NotLive({live, why}) {
  if (live) return null;
  return html`<div class="not-live" role="alert"><strong>${t("link.not_live")}</strong> <span>${t(`link.${why}`)}</span></div>`;
}

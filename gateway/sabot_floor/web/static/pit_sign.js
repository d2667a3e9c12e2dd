// The sign of a table in the pit's panel: what is on it now, what is announced, and the changes.
import {html} from "./vendor/preact.js";
import {Moves} from "./pit_lists.js";
import {t} from "./words.js";

const range = (one, currency) => `${one.minimum}–${one.maximum} ${currency}`;

// What the sign shows, a line each.
function lines(sign) {
  const {limits, old, coming, closure, currency} = sign;
  return [
    limits ? `${t("pit.sign_limits")}: ${range(limits, currency)}` : t("sign.no_limits"),
    old ? `${t("sign.old")}: ${range(old, currency)}` : "",
    coming ? `${t("sign.coming", {at: coming.at})}: ${range(coming, currency)}` : "",
    closure ? closing(closure) : "",
    sign.next_game ? t("sign.next_game", {at: sign.next_game_at, game: sign.next_game}) : "",
    ...(sign.personal ?? []).map((one) => `${t("sign.place", {place: one.place})}: ${range(one, currency)}`),
    ...(sign.restricted ?? []).map(([, title]) => `${title}: ${t("sign.restricted")}`),
  ].filter(Boolean);
}

function closing(closure) {
  if (closure.closed) return t("sign.closed");
  return closure.coups ? t("sign.closes_after", {coups: closure.coups}) : t("sign.closes_at", {at: closure.at});
}

export function PanelSign({table, sign, choose, roles}) {
  if (!sign) return null;
  return html`<div class="group sign"><h3>${t("pit.group_sign")} · <a href=${`/sign/${table}`}>${t("pit.show_sign")}</a></h3>
    <ul>${lines(sign).map((line) => html`<li key=${line}>${line}</li>`)}</ul>
    <${Moves} table=${table} moves=${sign.moves} choose=${choose} roles=${roles} /></div>`;
}

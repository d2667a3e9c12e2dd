// Site time: times as the clocks of the site have them; people at its tables live by those, whatever a browser is set to.
import {zone} from "./words.js";

const OPTIONS = {timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23"};
const FORMAT = new Intl.DateTimeFormat("sv-SE", OPTIONS);
const parts = (moment) => FORMAT.format(moment);

// Day and time of day at the site: 2026-11-18 21:05:00.
export function clockTime(time) {
  const moment = new Date(time);
  return Number.isNaN(moment.getTime()) ? time : parts(moment);
}

// A day and time as a person gives it at the site, 2026-11-18T21:05, as UTC.
export function siteTime(text) {
  const asUtc = new Date(`${text}Z`);
  const offset = (moment) => new Date(`${parts(moment).replace(" ", "T")}Z`) - moment;
  const first = new Date(asUtc - offset(asUtc));
  return new Date(asUtc - offset(first)).toISOString();
}

// Trends of the sensors of a table: margins, rejects and spikes, speed of each over the last shoes.
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import uPlot from "./vendor/uplot.js";
import {t} from "./words.js";

const COLOURS = {entry: "#ffc14d", a: "#6fb1ff", b: "#ff6b63", exit: "#4fce7f"};
const INK = "#b4c0cd";
const EDGE = "#3a4656";
const CHARTS = ["margin", "trouble", "speed"];

const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

// The columns of a chart: the shoes, then a line for each sensor and value.
export function columns(trends, chart) {
  const longest = Math.max(0, ...trends.sensors.map((one) => one.shoe.length));
  const at = Array.from({length: longest}, (_, index) => index);
  const lines = [];
  for (const one of trends.sensors) {
    const lead = Array(longest - one.shoe.length).fill(null); // a sensor with fewer shoes has the newest ones
    const line = (label, values, dash) => lines.push({label, colour: COLOURS[one.sensor], dash, values: [...lead, ...values]});
    const name = t(`pit.sensor_${one.sensor}`);
    if (chart === "margin") {
      line(name, one.margin_mean_pct);
      line(t("pit.worst", {sensor: name}), one.margin_worst_pct, [4, 4]);
    } else if (chart === "trouble") {
      line(t("pit.rejects", {sensor: name}), one.rejects);
      line(t("pit.spikes", {sensor: name}), one.spikes, [4, 4]);
    } else line(name, one.speed_mean_mm_s);
  }
  if (chart === "margin" && longest) {
    lines.push({label: t("pit.limit"), colour: "#f2f5f8", dash: [10, 6], values: at.map(() => trends.least_margin_pct)});
  }
  return {at, lines};
}

const shoesOf = (trends) => trends.sensors.reduce((most, one) => (one.shoe.length > most.length ? one.shoe : most), []);

function options(trends, chart, lines, width) {
  const shoes = shoesOf(trends);
  const font = `${rem() * 0.75}px system-ui, sans-serif`;
  const axis = {stroke: INK, grid: {stroke: EDGE, width: 1}, ticks: {stroke: EDGE}, font, labelFont: font, labelSize: rem() * 1.4};
  const most = (high) => (chart === "margin" ? 100 : Math.max(5, high) * 1.1);
  const whole = (_, splits) => splits.map((one) => (Number.isInteger(one) && shoes[one] !== undefined ? String(shoes[one]) : ""));
  return {
    width, height: rem() * 15,
    title: t(`pit.chart_${chart}`),
    legend: {live: false},
    cursor: {show: false},
    scales: {x: {time: false, range: (_, low, high) => [low - 0.5, high + 0.5]}, y: {range: (_, low, high) => [chart === "speed" ? low * 0.8 : 0, most(high)]}},
    axes: [{...axis, label: t("pit.shoe_axis"), values: whole, size: rem() * 2.2}, {...axis, size: rem() * 4, incrs: [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000]}],
    series: [{label: t("pit.shoe_axis")}, ...lines.map((one) => ({label: one.label, stroke: one.colour, dash: one.dash, width: 2, points: {show: true, size: 5}}))],
  };
}

function Chart({trends, chart}) {
  const place = useRef(null);
  useEffect(() => {
    const {at, lines} = columns(trends, chart);
    const width = () => Math.max(240, place.current.clientWidth);
    const plot = new uPlot(options(trends, chart, lines, width()), [at, ...lines.map((one) => one.values)], place.current);
    const resized = new ResizeObserver(() => plot.setSize({width: width(), height: rem() * 15}));
    resized.observe(place.current);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [trends, chart]);
  return html`<div class="chart" ref=${place}></div>`;
}

// The newest shoe of each sensor as a table: the same for people who cannot see the charts.
function Newest({trends}) {
  const last = (values) => values[values.length - 1];
  return html`<div class="scroll"><table><caption>${t("pit.newest_shoe")}</caption>
    <thead><tr>${["sensor", "cards_read", "margin", "rejects_short", "spikes_short", "speed"].map((key) => html`<th key=${key} scope="col">${t(`pit.${key}`)}</th>`)}</tr></thead>
    <tbody>${trends.sensors.map((one) => html`<tr key=${one.sensor} class=${one.clean ? "clean" : ""}>
      <th scope="row">${t(`pit.sensor_${one.sensor}`)}${one.clean ? html` <b class="refusal">${t("pit.clean_it")}</b>` : null}</th>
      <td>${last(one.reads)}</td><td>${last(one.margin_mean_pct)} % (${last(one.margin_worst_pct)} %)</td><td>${last(one.rejects)}</td><td>${last(one.spikes)}</td>
      <td>${last(one.speed_mean_mm_s)} (${last(one.speed_least_mm_s)}–${last(one.speed_most_mm_s)}) mm/s</td></tr>`)}</tbody></table>
    <p class="soft">${t("pit.limit_text", {margin: trends.least_margin_pct, reads: trends.least_reads})}</p></div>`;
}

export function Trends({table}) {
  const [trends, set] = useState(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let wanted = true;
    fetch(`/data/trends/${encodeURIComponent(table)}`).then(async (answer) => {
      const found = answer.ok ? await answer.json() : null;
      if (wanted) found ? set(found) : setFailed(true);
    }, () => wanted && setFailed(true));
    return () => {
      wanted = false;
    };
  }, [table]);
  if (failed) return html`<p class="refusal" role="alert">${t("pit.no_data")}</p>`;
  if (!trends) return html`<p class="soft">${t("pit.loading")}</p>`;
  if (!trends.sensors.length) return html`<p class="soft none">${t("pit.no_trends")}</p>`;
  return html`<div class="trends"><${Newest} trends=${trends} />${CHARTS.map((chart) => html`<${Chart} key=${chart} trends=${trends} chart=${chart} />`)}</div>`;
}

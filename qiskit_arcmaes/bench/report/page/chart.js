"use strict";
// A chart of lines in SVG: logarithmic or plain axes, quartile bands, marks, and a tip that follows
// the pointer. Everything is drawn from plain data; nothing is remembered between drawings.

const SPACE = "http://www.w3.org/2000/svg";
const FRAME = { width: 1000, height: 460, left: 74, right: 18, top: 14, bottom: 52 };
let frames = 0; // charts drawn so far, for the names of their clips
const TINY = 1e-16; // where errors of 0 are drawn

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const raise = (power) => [...String(power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");

function short(value, digits = 2) {
  if (value === null || Number.isNaN(value)) return "—";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power >= -2 && power < Math.max(digits, 3)) {
    return Number(value.toPrecision(digits)).toFixed(Math.max(digits - 1 - power, 0));
  }
  return `${mantissa}·10${raise(power)}`;
}

function shots(count) {
  const power = Math.floor(Math.log10(count) + 1e-12), factor = count / 10 ** power;
  if (power < 1 || factor % 1) return short(count, 3);
  return factor === 1 ? `10${raise(power)}` : `${factor}·10${raise(power)}`;
}

// An axis maps data to pixels and knows its ticks.
function logAxis(values, from, to) {
  const logs = values.filter((v) => v !== null).map((v) => Math.log10(Math.max(v, TINY)));
  let low = Math.min(...logs), high = Math.max(...logs);
  const pad = Math.max((high - low) * 0.03, 0.05);
  low -= pad; high += pad;
  const place = (v) => from + ((Math.log10(Math.max(v, TINY)) - low) / (high - low)) * (to - from);
  const back = (pixel) => 10 ** (low + ((pixel - from) / (to - from)) * (high - low));
  const step = Math.ceil((high - low) / 9), ticks = [];
  for (let power = Math.ceil(low / step) * step; power <= high; power += step) {
    ticks.push([10 ** power, `10${raise(power)}`]);
  }
  if (ticks.length < 2) {
    for (const value of [low + 0.15 * (high - low), low + 0.85 * (high - low)]) {
      ticks.push([10 ** value, short(10 ** value)]);
    }
  }
  return { place, back, ticks };
}

function plainAxis(low, high, from, to, write) {
  const place = (v) => from + ((v - low) / (high - low)) * (to - from);
  const back = (pixel) => low + ((pixel - from) / (to - from)) * (high - low);
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) * power, ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) {
    const value = Number((i * step).toPrecision(12));
    ticks.push([value, write(value)]);
  }
  return { place, back, ticks };
}

function drawAxes(chart, x, y, labels) {
  const { width, height, left, right, top, bottom } = FRAME;
  for (const [value, text] of x.ticks) {
    const at = x.place(value);
    chart.append(svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: height - bottom }));
    chart.append(svg("text", { x: at, y: height - bottom + 20, "text-anchor": "middle" }, text));
  }
  for (const [value, text] of y.ticks) {
    const at = y.place(value);
    chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }));
    chart.append(svg("text", { x: left - 9, y: at + 4.5, "text-anchor": "end" }, text));
  }
  const floor = height - bottom;
  chart.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor }));
  const middle = (left + width - right) / 2;
  chart.append(svg("text", { class: "soft", x: middle, y: height - 10, "text-anchor": "middle" }, labels.x));
  const turn = `rotate(-90 16 ${(top + floor) / 2})`;
  chart.append(svg("text", { class: "soft", x: 16, y: (top + floor) / 2, "text-anchor": "middle", transform: turn }, labels.y));
}

function path(points, x, y, step) {
  return points
    .map(([a, b], i) => {
      const at = `${x.place(a).toFixed(1)}`, to = `${y.place(b).toFixed(1)}`;
      if (i === 0) return `M${at},${to}`;
      return step ? `H${at}V${to}` : `L${at},${to}`;
    })
    .join("");
}

function bandPath(band, x, y) {
  const there = band.map(([a, low]) => `${x.place(a).toFixed(1)},${y.place(low).toFixed(1)}`);
  const back = band.map(([a, , high]) => `${x.place(a).toFixed(1)},${y.place(high).toFixed(1)}`).reverse();
  return `M${[...there, ...back].join("L")}Z`;
}

// plot = {x, y: axes, labels, lines: [{name, colour, dashes, width, points, band, dots, step, quiet}],
// at(line, x): value told in the tip, write: how it is written, order: 1 lowest first}
function drawChart(plot, description) {
  const { x, y, lines } = plot;
  const { width, height } = FRAME;
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description });
  drawAxes(chart, x, y, plot.labels);
  const frame = svg("clipPath", { id: `frame-${(frames += 1)}` }, svg("rect", {
    x: FRAME.left, y: FRAME.top - 2, width: width - FRAME.left - FRAME.right, height: height - FRAME.top - FRAME.bottom + 4,
  }));
  chart.append(frame);
  const groups = lines.map((line) => {
    const group = svg("g", { "data-name": line.name, "clip-path": `url(#${frame.id})` });
    if (line.band) group.append(svg("path", { d: bandPath(line.band, x, y), fill: line.colour, "fill-opacity": 0.13 }));
    group.append(svg("path", {
      class: "series", d: path(line.points, x, y, line.step), stroke: line.colour,
      "stroke-width": line.width, "stroke-dasharray": line.dashes.join(" "), "stroke-opacity": line.quiet ? 0.25 : 1,
    }));
    for (const [a, low, mid, high] of line.dots ?? []) {
      const at = x.place(a);
      group.append(svg("line", { x1: at, x2: at, y1: y.place(low), y2: y.place(high), stroke: line.colour, "stroke-width": 1.4 }));
      group.append(svg("circle", { cx: at, cy: y.place(mid), r: 4, fill: line.colour }));
    }
    for (const [a, b] of line.stars ?? []) {
      group.append(svg("text", { x: x.place(a), y: y.place(b) + 8, "text-anchor": "middle", style: `font-size:24px;fill:${line.colour}` }, "★"));
    }
    chart.append(group);
    return group;
  });
  follow(chart, plot, groups);
  return chart;
}

function follow(chart, plot, groups) {
  const ruler = svg("line", { class: "axis", y1: FRAME.top, y2: FRAME.height - FRAME.bottom, "stroke-dasharray": "3 3", visibility: "hidden" });
  chart.append(ruler);
  const tip = document.getElementById("tip");
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect(), scale = FRAME.width / box.width;
    const pixel = (event.clientX - box.left) * scale, level = (event.clientY - box.top) * scale;
    if (pixel < FRAME.left || pixel > FRAME.width - FRAME.right) return hide();
    const at = plot.x.back(pixel);
    const told = plot.lines
      .map((line, i) => ({ line, i, value: line.quiet ? null : plot.at(line, at) }))
      .filter(({ value }) => value !== null && value !== undefined);
    if (!told.length) return hide();
    const gap = ({ value }) => Math.abs(plot.y.place(value) - level);
    const near = told.reduce((best, each) => (gap(each) < gap(best) ? each : best));
    groups.forEach((group, i) => group.classList.toggle("faded", i !== near.i));
    ruler.setAttribute("x1", pixel); ruler.setAttribute("x2", pixel); ruler.setAttribute("visibility", "visible");
    told.sort((a, b) => plot.order * (a.value - b.value));
    tip.replaceChildren(html("p", {}, `${plot.tipHead} ${short(at, 3)}`), ...told.map(({ line, i, value }) => {
      const row = html("div", i === near.i ? { class: "near" } : {}, swatch(line), html("span", {}, line.name), html("span", {}, plot.write(value)));
      return row;
    }));
    tip.hidden = false;
    const side = event.clientX + tip.offsetWidth + 24 > innerWidth ? -tip.offsetWidth - 14 : 16;
    tip.style.left = `${event.clientX + side}px`;
    tip.style.top = `${Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8)}px`;
  });
  const hide = () => {
    tip.hidden = true;
    ruler.setAttribute("visibility", "hidden");
    groups.forEach((group) => group.classList.remove("faded"));
  };
  chart.addEventListener("pointerleave", hide);
}

function swatch(line) {
  const mark = svg("svg", { class: "swatch", width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true" });
  mark.append(svg("line", { x1: 1, x2: 25, y1: 5, y2: 5, stroke: line.colour, "stroke-width": Math.max(line.width, 2), "stroke-dasharray": line.dashes.join(" ") }));
  return mark;
}

// A drawing to take away: the colours of the page are written into it.
function saveChart(chart, name, lines) {
  const copy = chart.cloneNode(true), styles = getComputedStyle(document.documentElement);
  const colour = (token) => styles.getPropertyValue(token).trim();
  copy.setAttribute("xmlns", SPACE);
  copy.prepend(svg("style", {}, `text{font:13px Helvetica,Arial,sans-serif;fill:${colour("--ink")}} .soft{fill:${colour("--soft")}} .grid{stroke:${colour("--grid")}} .axis{stroke:${colour("--soft")}} .series{fill:none}`));
  copy.setAttribute("viewBox", `0 0 ${FRAME.width} ${FRAME.height + 14 + 22 * Math.ceil(lines.length / 5)}`);
  lines.forEach((line, i) => {
    const left = FRAME.left + 180 * (i % 5), top = FRAME.height + 14 + 22 * Math.floor(i / 5);
    copy.append(svg("line", { x1: left, x2: left + 26, y1: top - 4, y2: top - 4, stroke: line.colour, "stroke-width": 2, "stroke-dasharray": line.dashes.join(" ") }));
    copy.append(svg("text", { x: left + 34, y: top }, line.name));
  });
  const link = html("a", { download: `${name}.svg`, href: URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

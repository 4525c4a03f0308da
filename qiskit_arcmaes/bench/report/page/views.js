"use strict";
// The sections of the page. Each is a function that fills one, and is called again when a picker
// or the choice of methods changes.

const data = JSON.parse(document.getElementById("data").textContent);
const every = "all"; // the choice "all of them" of a picker
const most = 10; // methods shown at first

const unique = (values) => [...new Set(values)];
const known = (values) => values.filter((value) => value !== null).map((value) => Math.max(value, TINY));
const logMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(Math.max(v, TINY)), 0) / values.length);

function quantile(values, share) {
  const sorted = values.map((v) => (v === null ? Infinity : v)).sort((a, b) => a - b);
  const at = share * (sorted.length - 1), low = Math.floor(at);
  const next = sorted[Math.min(low + 1, sorted.length - 1)];
  return at === low ? sorted[low] : sorted[low] + (at - low) * (next - sorted[low]);
}
const median = (values) => quantile(values, 0.5);

function firstMethods() {
  const all = data.methods.map((_, i) => i);
  if (all.length <= most) return all;
  const mean = (method) => {
    const medians = data.groups.filter((group) => group.started && group.method === method).map((group) => median(group.errors));
    if (!medians.length) return Infinity;
    return medians.reduce((sum, v) => sum + Math.log(Math.max(v, TINY)), 0) / medians.length;
  };
  const best = all.toSorted((a, b) => mean(a) - mean(b)).slice(0, most);
  const ours = all.filter((method) => data.methods[method].name === "frugal");
  return unique([...ours, ...best]);
}

const shown = new Set(firstMethods());

// Pickers: what can be chosen follows from the groups, and from what is chosen to the left.
const FIELDS = {
  problem: { label: "problem", write: (value) => data.problems[value], all: "all problems" },
  dim: { label: "dimension", write: (value) => `d = ${value}`, all: "all dimensions" },
  noise: { label: "noise", write: (value) => (value === null ? "shot noise" : `τ² = ${value}`), all: "all levels" },
  budget: { label: "budget", write: (value) => `${shots(value)} shots`, all: "all budgets" },
};

const groupsWith = {
  convergence: (group) => group.shots.length > 0,
  budget: (group) => data.slopes.some((law) => ["problem", "dim", "noise"].every((field) => law[field] === group[field])),
  "scaled-error": (group) => group.noise > 0,
};

// The option with the most groups: the first of several, but the largest of several budgets.
function commonest(left, field, options) {
  const count = (option) => left.filter((group) => group[field] === option).length;
  const better = field === "budget" ? (a, b) => a >= b : (a, b) => a > b;
  return options.reduce((best, option) => (better(count(option), count(best)) ? option : best));
}

function choose(state, fields, withAll) {
  const all = ["errors", "ranking"].includes(state.section) ? data.groups : data.groups.filter((group) => group.started);
  let left = all.filter(groupsWith[state.section] ?? (() => true));
  for (const field of fields) {
    const options = unique(left.map((group) => group[field]));
    if (["dim", "noise", "budget"].includes(field)) options.sort((a, b) => a - b);
    if (withAll.includes(field) && options.length > 1) options.unshift(every);
    state.options[field] = options;
    if (!options.includes(state[field])) {
      state[field] = options[0] === every ? every : commonest(left, field, options);
    }
    if (state[field] !== every) left = left.filter((group) => group[field] === state[field]);
  }
  return left.filter((group) => shown.has(group.method));
}

function pickers(state, fields, redraw) {
  return fields
    .filter((field) => state.options[field].length > 1)
    .map((field) => {
      const { label, write, all } = FIELDS[field];
      const select = html("select", { "data-picker": field });
      state.options[field].forEach((value, i) => select.append(new Option(value === every ? all : write(value), i, false, value === state[field])));
      select.addEventListener("change", () => { state[field] = state.options[field][select.value]; redraw(); });
      return html("label", {}, label, select);
    });
}

// A section with pickers: draw(groups, state) returns what stands below them.
function sectionWith(section, fields, withAll, draw) {
  const state = { section: section.id, options: {} }, bar = html("div", { class: "pickers" }), body = html("div");
  section.append(bar, body);
  const redraw = () => {
    const groups = choose(state, fields, withAll);
    bar.replaceChildren(...pickers(state, fields, redraw));
    body.replaceChildren(...(groups.length ? draw(groups, state) : [html("p", { class: "empty" }, "No method is chosen.")]));
    const chart = body.querySelector(".chart");
    if (chart) {
      const save = html("button", { class: "save", type: "button" }, "save as SVG");
      save.addEventListener("click", () => saveChart(chart, section.id, methodsIn(groups).map(lineOf)));
      bar.append(save);
    }
  };
  redraw();
  return redraw;
}

const lineOf = (method) => ({ ...data.methods[method], method });
const methodsIn = (groups) => unique(groups.map((group) => group.method)).sort((a, b) => a - b);
const across = () => [FRAME.left, FRAME.width - FRAME.right];
const upward = () => [FRAME.height - FRAME.bottom, FRAME.top];

function drawEcdf(groups) {
  const lines = methodsIn(groups).map((method) => {
    const errors = groups.filter((group) => group.method === method).flatMap((group) => group.errors);
    const reached = known(errors).sort((a, b) => a - b);
    return { ...lineOf(method), step: true, reached, count: errors.length };
  });
  const x = logAxis(lines.flatMap((line) => line.reached), ...across());
  const y = plainAxis(0, 1, ...upward(), (v) => `${Math.round(100 * v)} %`);
  const share = (line, at) => line.reached.filter((error) => error <= at).length / line.count;
  for (const line of lines) {
    line.points = [[x.back(FRAME.left), 0], ...unique(line.reached).map((error) => [error, share(line, error)])];
    line.points.push([x.back(FRAME.width - FRAME.right), line.reached.length / line.count]);
  }
  const labels = { x: "error of the returned point", y: "runs with at most this error" };
  const plot = { x, y, labels, lines, at: share, write: (v) => `${Math.round(100 * v)} %`, order: -1, tipHead: "error at most" };
  const runs = lines.reduce((sum, line) => sum + line.count, 0);
  return [drawChart(plot, "Empirical distribution of the final error"), html("p", { class: "note" }, `${runs} runs; each method's curve is the share of its runs whose returned point has at most this exact error.`)];
}

function drawConvergence(groups) {
  const lines = groups.map((group) => ({
    ...lineOf(group.method), step: true,
    points: group.shots.map((at, i) => [at, group.quartiles[1][i]]),
    band: group.shots.map((at, i) => [at, group.quartiles[0][i], group.quartiles[2][i]]),
  }));
  const x = logAxis(lines.flatMap((line) => line.points.map((point) => point[0])), ...across());
  const y = logAxis(lines.flatMap((line) => line.band.flatMap((row) => row.slice(1))), ...upward());
  const at = (line, spent) => line.points.findLast((point) => point[0] <= spent)?.[1];
  const labels = { x: "shots spent", y: "error of the current recommendation" };
  return [drawChart({ x, y, labels, lines, at, write: short, order: 1, tipHead: "shots" }, "Error over shots"), html("p", { class: "note" }, "Median over the runs, with the quartiles as a band. The error is exact; no method sees it.")];
}

function drawBudget(groups, state) {
  const same = (law) => law.problem === state.problem && law.dim === state.dim && law.noise === state.noise;
  const lines = methodsIn(groups).map((method) => {
    const own = groups.filter((group) => group.method === method);
    const law = data.slopes.find((each) => same(each) && each.method === method);
    const points = own.map((group) => [group.budget, law ? 10 ** (law.level + law.slope * Math.log10(group.budget)) : median(group.errors)]);
    const dots = own.map((group) => [group.budget, ...[0.25, 0.5, 0.75].map((share) => quantile(group.errors, share))]);
    return { ...lineOf(method), points, dots, law };
  });
  const x = logAxis(lines.flatMap((line) => line.dots.map((dot) => dot[0])), ...across());
  const y = logAxis(lines.flatMap((line) => [...line.dots.flatMap((dot) => dot.slice(1)), ...line.points.map((point) => point[1])]), ...upward());
  const at = (line, budget) => (line.law ? 10 ** (line.law.level + line.law.slope * Math.log10(budget)) : null);
  const labels = { x: "budget in shots", y: "final error" };
  const write = ({ slope, deviation }) => `${slope.toFixed(2)}${deviation === null ? "" : ` ± ${deviation.toFixed(2)}`}`;
  const fitted = lines.filter((line) => line.law).sort((a, b) => a.law.slope - b.law.slope);
  const rows = fitted.map((line) => [line.name, write(line.law)]);
  return [
    drawChart({ x, y, labels, lines, at, write: short, order: 1, tipHead: "budget" }, "Error against budget"),
    html("p", { class: "note" }, "Dots are medians with quartiles; lines are error ∝ budget^slope, fitted run by run. A slope of −1 is the law of averaging for a minimum, −½ that of methods that shrink their steps while they raise the shots."),
    tableOf(["method", "slope"], rows),
  ];
}

function drawEfficiency() {
  const { shots: ladder, bound, mean, simulations, title } = data.efficiency;
  const top = (values) => ladder[values.indexOf(Math.max(...values))];
  const peak = Math.max(...mean, ...bound), power = Math.floor(Math.log10(peak)), unit = 10 ** power;
  const line = (name, colour, width, values) => ({ name, colour, width, dashes: [], points: ladder.map((m, i) => [m, values[i] / unit]) });
  const star = (values) => ({ stars: [[top(values), Math.max(...values) / unit]] });
  const main = [
    { ...line(`mean of simulations, best M = ${top(mean)}`, "#D55E00", 2.2, mean), ...star(mean) },
    { ...line(`lower bound, best M = ${top(bound)}`, "#009E73", 2.2, bound), ...star(bound) },
  ];
  const lines = [...simulations.map((values) => ({ ...line("one simulation", "#56B4E9", 1, values), quiet: true })), ...main];
  const x = logAxis(ladder, ...across());
  const y = plainAxis((-0.6 * peak) / unit, (1.6 * peak) / unit, ...upward(), (v) => String(v));
  const at = (each, m) => each.points.findLast((point) => point[0] <= m)?.[1];
  const labels = { x: "shots per evaluation, M", y: `gain per shot, in 10${raise(power)}` };
  const chart = drawChart({ x, y, labels, lines, at, write: (v) => short(v), order: -1, tipHead: "M =" }, "Gain per shot over M");
  const legend = html("p", { class: "legend" }, ...[...main, lines[0]].flatMap((each) => [html("span", {}, swatch(each), ` ${each.name}`)]));
  return [legend, chart, html("p", { class: "note" }, `${title}. The stars mark the largest gain per shot.`)];
}

// Tables.
function tableOf(head, rows) {
  const cell = (content) => {
    if (content instanceof Node) return content;
    return html("td", {}, content);
  };
  return html("div", { class: "scroll" }, html("table", {},
    html("thead", {}, html("tr", {}, ...head.map((title) => html("th", {}, title)))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell))))));
}

function drawRanking(all) {
  const stuck = unique(all.filter((group) => !group.started).map((group) => group.method));
  const groups = all.filter((group) => !stuck.includes(group.method));
  const methods = methodsIn(groups), condition = (group) => [group.problem, group.dim, group.noise, group.budget].join();
  const medians = new Map(groups.map((group) => [`${condition(group)}|${group.method}`, median(group.errors)]));
  const conditions = unique(groups.map(condition)).filter((each) => methods.every((method) => medians.has(`${each}|${method}`)));
  if (!conditions.length) return [html("p", { class: "empty" }, "These methods have no problem in common.")];
  const of = (each, method) => medians.get(`${each}|${method}`);
  const lowest = new Map(conditions.map((each) => [each, Math.min(...methods.map((method) => of(each, method)))]));
  const rows = methods.map((method) => ({
    method, mean: logMean(conditions.map((each) => of(each, method))),
    wins: conditions.filter((each) => of(each, method) === lowest.get(each)).length,
  })).sort((a, b) => a.mean - b.mean);
  const logs = rows.map((row) => Math.log10(row.mean)), low = Math.min(...logs) - 0.4, span = Math.max(...logs) - low;
  const bar = (row) => {
    const length = 4 + (96 * (Math.log10(row.mean) - low)) / span;
    const mark = html("span", { class: "bar", style: `width:${length}%;background:${data.methods[row.method].colour}` });
    return html("td", { class: "wide" }, mark);
  };
  const table = tableOf(["method", "geometric mean of the errors", "", "best on"], rows.map((row, i) => [
    data.methods[row.method].name,
    html("td", i === 0 ? { class: "best" } : {}, short(row.mean)), bar(row), `${row.wins} of ${conditions.length}`,
  ]));
  return [table, html("p", { class: "note" }, `Medians over the runs, over ${conditions.length} problem${conditions.length > 1 ? "s" : ""} (a function at a noise level counts as one) that every method shown here has run. Shorter bars are better; their scale is logarithmic.${stuck.length ? ` Could not start: ${stuck.map((method) => data.methods[method].name).join(", ")}.` : ""}`)];
}

// A table with a row per problem; a method that could not start has no figure.
function byProblem(groups, content, best) {
  const methods = methodsIn(groups), problems = unique(groups.map((group) => group.problem));
  return tableOf(["", ...methods.map((method) => data.methods[method].name)], problems.map((problem) => {
    const row = methods.map((method) => groups.find((group) => group.problem === problem && group.method === method));
    const figures = row.map((group) => (group?.started ? best(group) : null));
    const entry = (group) => (!group ? ["—"] : group.started ? content(group) : ["could not start"]);
    const least = Math.min(...figures.filter((figure) => figure !== null));
    return [data.problems[problem], ...row.map((group, i) => html("td", figures[i] !== null && figures[i] === least ? { class: "best" } : {}, ...entry(group)))];
  }));
}

function drawErrors(groups) {
  const range = (group) => `${short(quantile(group.errors, 0.25))} … ${short(quantile(group.errors, 0.75))}`;
  const content = (group) => [short(median(group.errors)), ...(group.errors.length > 1 ? [html("small", {}, range(group))] : [])];
  const table = byProblem(groups, content, (group) => median(group.errors));
  const counts = unique(groups.filter((group) => group.started).map((group) => group.errors.length)).sort((a, b) => a - b);
  return [table, html("p", { class: "note" }, `Median and quartiles of the exact error at the returned point, ${counts.join(" to ")} run${counts.at(-1) > 1 ? "s" : ""}; the lowest median is marked.`)];
}

function drawSeconds(groups) {
  return [byProblem(groups, (group) => [short(group.seconds)], (group) => group.seconds), html("p", { class: "note" }, "Mean wall-clock seconds of a run on the machine named below.")];
}

function drawScaledError(groups) {
  const scaled = (group) => (median(group.errors) * group.budget) / group.noise;
  return [byProblem(groups, (group) => [short(scaled(group))], scaled), html("p", { class: "note" }, "Median error · budget / τ². It stays the same from budget to budget where the error falls as 1/budget.")];
}

const withCode = (text) => text.split("`").map((part, i) => (i % 2 ? html("code", {}, part) : part));

function drawPaper() {
  return data.paper.flatMap((table) => {
    const paper = table.head.map((title, i) => i && /(^|\()paper\)?$/.test(title));
    const rows = table.rows.map((row) => row.map((text, i) => html("td", paper[i] ? { class: "paper" } : {}, text)));
    return [html("h3", {}, table.title), html("p", { class: "lead" }, ...withCode(table.reason)), tableOf(table.head, rows)];
  });
}

const VIEWS = {
  ranking: (section) => sectionWith(section, ["dim", "budget", "noise"], ["dim", "noise"], drawRanking),
  ecdf: (section) => sectionWith(section, ["dim", "budget", "problem", "noise"], ["problem", "noise"], drawEcdf),
  convergence: (section) => sectionWith(section, ["problem", "dim", "noise", "budget"], [], drawConvergence),
  budget: (section) => sectionWith(section, ["problem", "dim", "noise"], [], drawBudget),
  efficiency: (section) => section.append(...drawEfficiency()),
  "scaled-error": (section) => sectionWith(section, ["dim", "noise", "budget"], [], drawScaledError),
  errors: (section) => sectionWith(section, ["dim", "noise", "budget"], [], drawErrors),
  seconds: (section) => sectionWith(section, ["dim", "noise", "budget"], [], drawSeconds),
  paper: (section) => section.append(...drawPaper()),
};

function drawMethods(redrawAll) {
  const bar = document.getElementById("methods");
  const buttons = data.methods.map((line, method) => {
    const button = html("button", { type: "button", "data-method": line.name, title: `${line.about}. Click: show or hide; double click: only this one` }, swatch(line), line.name);
    button.addEventListener("click", () => { shown.has(method) ? shown.delete(method) : shown.add(method); update(); });
    button.addEventListener("dblclick", () => { shown.clear(); shown.add(method); update(); });
    return button;
  });
  const all = html("button", { type: "button", class: "all" }, "all");
  all.addEventListener("click", () => { data.methods.forEach((_, method) => shown.add(method)); update(); });
  const update = () => { mark(); redrawAll(); };
  const mark = () => buttons.forEach((button, method) => button.setAttribute("aria-pressed", shown.has(method)));
  mark();
  if (buttons.length > 1) bar.append(...buttons, all);
  else bar.remove();
}

function drawAbout() {
  const { command, notes, versions, machine, root_seed: seed, finished } = data.about;
  const pairs = (record) => Object.entries(record ?? {}).map(([name, value]) => `${name} ${value}`).join(" · ");
  const footer = document.getElementById("about");
  if (!finished) footer.append(html("p", {}, html("b", {}, "The sweep was not finished when this page was written.")));
  const explained = data.methods.map((method) => html("li", {}, html("code", {}, method.name), ` ${method.about}`));
  if (explained.length) footer.append(html("p", {}, "Methods"), html("ul", {}, ...explained));
  for (const note of notes ?? []) footer.append(html("p", {}, note));
  if (command) footer.append(html("p", {}, "Made by"), html("pre", {}, command));
  footer.append(html("p", {}, pairs(versions)), html("p", {}, `${pairs(machine)} · root seed ${seed}`));
}

function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const root = document.documentElement;
  root.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; });
  const redraws = data.sections.map(({ name, heading }) => {
    const section = html("section", { id: name }, html("h2", {}, heading));
    document.getElementById("sections").append(section);
    return VIEWS[name](section);
  });
  drawMethods(() => redraws.forEach((redraw) => redraw?.()));
  drawAbout();
}
start();

/* Pass rate and horizon over the runs of a history: two charts for each suite, a line for each model, the falls marked. */

const TREND = { height: 214, top: 26, bottom: 170, left: 46, ticks: 6, levels: 4, bars: 25, beside: 5 };
const FALL = d3.symbol(invertedTriangle, 60)();
/* Suites that fell are open, up to so many; a single one always. */
const MOST_FALLEN = 4;

const trendKey = [
  { width: 30, drawn: [svg("path", { class: "bars tone-muted", d: "M15,1V13" }), svg("path", { class: "line tone-muted", d: "M1,7h28" })], meaning: "measured in each run, with its 95 % interval" },
  { width: 30, drawn: [svg("line", { class: "threshold", x1: 1, x2: 29, y1: 7, y2: 7 })], meaning: "baseline" },
  { width: 14, drawn: [svg("path", { class: "fall", d: FALL, transform: "translate(7,7)" })], meaning: "a significant fall begins" },
  { width: 14, drawn: [svg("circle", { class: "symbol hollow tone-muted", cx: 7, cy: 7, r: 4 })], meaning: "a horizon outside the sizes drawn, or a run that is not compared" },
];
const isOpen = (point) => Boolean(point.doubt || point.horizon?.bound);

/* Fills an element with the trends of a history. */
function drawTrends(target, { runs, trends, notes }) {
  const looks = seriesOf([...new Set(trends.map(({ model }) => model))]);
  const fallen = (members) => members.flatMap(({ points: some }) => some).filter((point) => point.fell);
  const groups = [...Map.groupBy(trends, ({ suite }) => suite).values()].sort((a, b) => fallen(b).length - fallen(a).length);
  const needed = [true, trends.some((trend) => trend.baseline), fallen(trends).length > 0, trends.some((trend) => trend.points.some(isOpen))];
  target.append(
    element("p", { class: "about" }, `${count(runs.length, "run")}, ${[...new Set([runs[0].date, runs.at(-1).date])].join(" to ")}.`),
    keyOf(trendKey.filter((_, place) => needed[place])),
    ...groups.map((members, place) => folded([
      badge(fallen(members).length ? { sign: "↓", name: "bad" } : { sign: "·", name: "muted" }, fallen(members).length ? "fell" : runs.length > 1 ? "no fall" : "1 run"),
      " ", briefSuite(members[0].suite), " ",
      element("span", { class: "rated" }, members.map(({ model, points: some }) => element("span", {},
        members.length > 1 ? `${looks.get(model).label} ` : "", element("b", {}, rate(some.at(-1).rate))))),
    ], (body) => fillTrend(body, members, runs, looks), { open: groups.length === 1 || (place < MOST_FALLEN && fallen(members).length > 0), class: "line" })),
    element("ul", { class: "plain" }, notes.map((note) => element("li", {}, text(note)))));
}

function fillTrend(body, members, runs, looks) {
  const lines = members.map((trend) => ({ ...trend, look: looks.get(trend.model) }));
  const falls = lines.flatMap(({ look, points: some }) => some.filter((point) => point.fell).map((point) => element("li", {},
    lines.length > 1 ? [text(look.name, { class: "model" }), " "] : null, badge({ sign: "↓", name: "bad" }, "fell on"), " ", text(point.fell))));
  if (falls.length) body.append(element("ul", { class: "plain" }, falls));
  const holder = element("div", { class: "parts" });
  body.append(holder);
  if (lines.length > 1) body.append(element("div", { class: "chart-key" }, lines.map(({ look }) => modelName(look))));
  // The rates from the lowest interval on, in steps of ten percent, and sizes from 0.
  const from = (domain) => d3.scaleLinear(domain, [TREND.bottom, TREND.top]).nice(TREND.levels);
  const rates = (ends) => from([Math.min(0.9, Math.floor(10 * d3.min(ends)) / 10), 1]);
  const sizes = (ends) => from([0, Math.max(1, ...ends)]);
  const charts = [
    { name: "Pass rate", value: passed, scale: rates, label: (value) => percent(value, 0) },
    { name: `Horizon (50 %, ${worded(lines[0].unit)})`, value: reached, scale: sizes, label: (value) => String(value) },
  ];
  const drawings = charts.map((chart) => {
    const drawable = lines.map((line) => ({
      ...line,
      shown: line.points.map((point) => ({ point, ...chart.value(point) })).filter(({ at }) => at !== undefined),
      line: line.baseline ? chart.value(line.baseline).at : undefined,
    })).filter(({ shown }) => shown.length);
    return { chart, drawable, figure: element("figure", { class: "chart-panel" }, element("figcaption", {}, `${chart.name} over the runs`)) };
  }).filter(({ drawable }) => drawable.length);
  holder.append(...drawings.map(({ figure }) => figure));
  for (const { chart, drawable, figure } of drawings) { // a chart measures the room that it has
    figure.append(trendChart(drawable, runs, chart, Math.max(NARROWEST, Math.min(WIDEST, figure.clientWidth))));
  }
  body.append(folded("Numbers of these charts", (inner) => inner.append(trendNumbers(lines, runs)), { class: "chart-numbers" }));
}

/* What is drawn of a point: where it lies, the ends of its interval, and words. */
function passed({ rate: its, doubt }) {
  return its ? { open: doubt !== "", at: its.lower, low: its.low, high: its.high, said: `${rate(its)} (${interval(its)})` } : {};
}

function reached({ horizon: its, doubt }) {
  if (!its || its.bound === NOT_KNOWN) return { said: its?.bound };
  const at = its.value ?? (its.bound === "above" ? its.largest : its.least);
  return { open: doubt !== "" || its.bound !== "", at, low: its.low ?? its.least, high: its.high ?? its.largest, said: horizon(its, [its.least, its.largest]) };
}

function trendChart(lines, runs, { name, scale, label }, width) {
  const right = width - 14;
  const x = d3.scaleLinear([0, Math.max(1, runs.length - 1)], [TREND.left + 10, right - 10]);
  const ends = lines.flatMap(({ shown, line }) => [...shown.flatMap(({ low, high, at }) => [low, high, at]), ...(line === undefined ? [] : [line])]);
  const y = scale(ends);
  const chart = svg("svg", {
    viewBox: `0 0 ${width} ${TREND.height}`, role: "img", class: "trend",
    "aria-label": `${name} over ${count(runs.length, "run")}. ${lines.map((line) => trendSaid(line, runs)).join(". ")}`,
  }, trendAxes(x, y, runs, right, label));
  const asBands = runs.length > TREND.bars;
  // Bars of several models in one run stand side by side.
  const beside = asBands ? 0 : Math.min(TREND.beside, (x(1) - x(0)) / (2 * lines.length));
  const across = new Map(lines.map(({ look }, number) => [look, (point) => x(point.run) + beside * (number - (lines.length - 1) / 2)]));
  for (const { look, shown } of lines) {
    if (asBands) chart.append(svg("path", { class: `band ${look.class}`, d: d3.area(({ point }) => across.get(look)(point), ({ low }) => y(low), ({ high }) => y(high))(shown) }));
    else chart.append(svg("path", { class: `bars ${look.class}`, d: shown.map(({ point, low, high }) => `M${across.get(look)(point)},${y(low)}V${y(high)}`).join("") }));
  }
  for (const { look, shown, line } of lines) {
    if (line !== undefined) chart.append(svg("line", { class: "threshold", x1: TREND.left, x2: right, y1: y(line), y2: y(line) }));
    chart.append(svg("path", { class: `line ${look.class}`, d: d3.line(({ point }) => across.get(look)(point), ({ at }) => y(at))(shown), "stroke-dasharray": look.dash }));
    for (const open of [false, true]) {
      const some = shown.filter((one) => one.open === open).map(({ point, at }) => [across.get(look)(point), y(at)]);
      if (some.length) chart.append(symbolsAt(open ? { ...look, class: `${look.class} hollow` } : look, some, asBands ? SMALL : undefined));
    }
    for (const { point } of shown.filter((one) => one.point.fell)) {
      chart.append(
        svg("line", { class: "fall", x1: across.get(look)(point), x2: across.get(look)(point), y1: TREND.top - 8, y2: TREND.bottom }),
        svg("path", { class: "fall", d: FALL, transform: `translate(${across.get(look)(point)},${TREND.top - 14})` }));
    }
  }
  // What is under the pointer says its numbers.
  for (const { look, shown } of lines) {
    chart.append(...shown.map(({ point, at, said }) => svg("circle", { class: "under", cx: across.get(look)(point), cy: y(at), r: 9 },
      svg("title", {}, [`${runs[point.run].date} ${runs[point.run].name}`, lines.length > 1 && look.name, said, point.doubt, point.fell && `fell on ${point.fell}`]
        .filter(Boolean).map(harmless).join("\n")))));
  }
  return chart;
}

function trendAxes(x, y, runs, right, label) {
  const group = svg("g", { class: "axes" });
  for (const tick of y.ticks(TREND.levels)) {
    group.append(
      svg("line", { class: tick === y.domain()[0] ? "base" : "grid", x1: TREND.left, x2: right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: TREND.left - 5, y: y(tick) + 3.5, "text-anchor": "end" }, label(tick)));
  }
  const room = Math.max(2, Math.min(TREND.ticks, Math.floor((right - TREND.left) / 90)));
  const most = Math.min(room, runs.length);
  for (const run of new Set(d3.range(most).map((place) => Math.round((place * (runs.length - 1)) / Math.max(1, most - 1))))) {
    const anchor = run === 0 ? "start" : run === runs.length - 1 ? "end" : "middle";
    group.append(
      svg("line", { class: "tick", x1: x(run), x2: x(run), y1: TREND.bottom, y2: TREND.bottom + 4 }),
      svg("text", { x: x(run) + (anchor === "start" ? -8 : anchor === "end" ? 8 : 0), y: TREND.bottom + 16, "text-anchor": anchor }, runs[run].date));
  }
  group.append(svg("text", { class: "axis-name", x: (TREND.left + right) / 2, y: TREND.height - 8, "text-anchor": "middle" }, "runs by date"));
  return group;
}

function trendSaid({ look, shown, points: all }, runs) {
  const [first, last] = [shown[0], shown.at(-1)];
  const falls = all.filter((point) => point.fell).map((point) => `fell on ${point.fell}`);
  return harmless([`${look.name}: ${first.said} on ${runs[first.point.run].date}, ${last.said} on ${runs[last.point.run].date}`, ...falls].join("; "));
}

function trendNumbers(lines, runs) {
  const rows = lines.flatMap((line) => [...(line.baseline ? [line.baseline] : []), ...line.points].map((point) => [
    runs[point.run]?.date ?? "–", text(runs[point.run]?.name ?? "baseline"), text(line.look.name, { class: "model" }), point.rate ? rate(point.rate) : "–",
    interval(point.rate), point.rate ? passedOf(point.rate) : "–", number(point.errors), reached(point).said ?? "–",
    point.fell ? `fell on ${point.fell}` : point.doubt ? `not compared: ${point.doubt}` : "",
  ]));
  return table(["date", "run", "model", { name: "rate" }, { name: "95 % interval" }, { name: "passed" }, { name: "errors" }, { name: "horizon 50 %" }, "note"], rows, { caption: "Numbers of the trends" });
}

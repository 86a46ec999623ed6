/*
 * Values over a size or over time: a line for each series, with the interval of every point. Where a curve was fitted,
 * it is drawn with its band. A mark is a height, or a place with its interval, which stands beneath.
 */

const NARROWEST = 280;
const WIDEST = 640;
const HEIGHT = 214;
const TOP = 12;
const BOTTOM = HEIGHT - 36;
const LEFT = 44;
const MARK_ROW = 16;
/* Room of a character in a label. */
const CHARACTER = 5.8;
/* Up to so many lines have bands, of more the intervals are bars beside each other, unless there are many places. */
const MOST_BANDS = 2;
const MOST_BARS = 12;
const MOST_TICKS = 9;
/* Each size has a symbol. Only of very many points, such as those of a long history, not all have one. */
const SYMBOLS_OF_A_LINE = 60;

const FITTED = {
  width: 30, meaning: "fitted curve with its 95 % band; symbols are measured, with their 95 % intervals",
  drawn: [svg("rect", { class: "band tone-muted", x: 1, width: 28, y: 2, height: 10 }), svg("path", { class: "line tone-muted", d: "M1,7h28" })],
};

function drawCurve({ over, unit, series, marks = [], title }, { looks, model }) {
  const lines = series.map((one) => ({
    name: one.name, look: (series.length === 1 && looks.get(model)) || looks.get(one.name), points: measured(one.points), fitted: measured(one.fitted ?? []),
  })).filter(({ points, fitted }) => points.length || fitted.length);
  const places = [...new Set(lines.flatMap(({ points, fitted }) => [...points, ...fitted].map(({ x }) => x)))].sort((a, b) => a - b);
  const figure_ = element("figure", { class: "chart-panel" }, title ? element("figcaption", {}, text(title)) : null);
  if (!places.length) return element("p", { class: "about" }, title ? [text(title), ": "] : null, "no values.");
  const names = new Map(lines.flatMap(({ points }) => points).filter(({ label }) => label).map(({ x, label }) => [x, label]));
  const data = { over: harmless(over.replaceAll("_", " ")), unit, lines, marks, places, placeName: (x) => harmless(names.get(x) ?? String(x)), hasNames: names.size > 0 };
  figure_.append(element("div", { class: "chart-holder" }), keyOf([
    ...(lines.length > 1 ? lines.map(({ name, look }) => ({ width: 14, drawn: [symbolsAt(look, [[7, 7]])], meaning: name })) : []),
    ...(lines.some(({ fitted }) => fitted.length) ? [FITTED] : []),
    ...heightsOf(marks).map(({ name, value }) => ({ width: 30, drawn: [svg("line", { class: "threshold", x1: 1, x2: 29, y1: 7, y2: 7 })], meaning: `${name} ${valueText(value, unit)}` })),
  ]), folded("Numbers of this chart", (body) => body.append(scrolled("numbers", curveNumbers(data))), { class: "chart-numbers" }));
  // A chart measures the room that it has, and so is made once it stands somewhere.
  new ResizeObserver((_, observer) => {
    const holder = figure_.querySelector(".chart-holder");
    if (!holder.clientWidth) return;
    observer.disconnect();
    drawInto(holder, (target) => target.append(readable(plot(data, Math.max(NARROWEST, Math.min(WIDEST, holder.clientWidth))), data, title || over)));
  }).observe(figure_);
  return figure_;
}

const measured = (points) => points.filter((point) => exists(point.value)).toSorted((a, b) => a.x - b.x);
/* An interval is one of the place where there is a place, else of the height. */
const isPlace = (mark) => exists(mark.x) || (!exists(mark.value) && (exists(mark.low) || exists(mark.high)));
const heightsOf = (marks) => marks.filter((mark) => exists(mark.value) && !isPlace(mark));
const placesOf = (marks) => marks.filter(isPlace);

/* Where values lie, between two ends; `from` and `to` are those of the values. */
function scaleOf([from, to], [start, end]) {
  const scale = (value) => start + ((end - start) * (value - from)) / (to - from);
  return Object.assign(scale, { from, to, invert: (at) => from + ((to - from) * (at - start)) / (end - start) });
}

/* The step of about so many round numbers between two ends. */
function roundStep(from, to, steps) {
  const exact = (to - from) / steps;
  const power = 10 ** Math.floor(Math.log10(exact));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= 0.75 * exact);
}

function roundNumbers({ from, to }, steps) {
  const step = roundStep(from, to, steps);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/* Rates from 0 to 100 %, other values as far as they and their intervals reach. */
function heightScale({ unit, lines, marks }) {
  const ends = [...lines.flatMap(({ points, fitted }) => [...points, ...fitted]), ...heightsOf(marks)].flatMap(({ value, low, high }) => [value, low, high]).filter(exists);
  if (unit === "rate") return scaleOf([0, 1], [BOTTOM, TOP]);
  const [least, most] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const step = roundStep(least, most === least ? least + 1 : most, 4);
  return scaleOf([Math.floor(least / step) * step, Math.max(Math.ceil(most / step), 1) * step], [BOTTOM, TOP]);
}

function tickText(tick, unit) {
  if (unit === "rate") return `${Number((100 * tick).toPrecision(4))}${tick === 1 ? " %" : ""}`;
  return ["points", "usd", "seconds"].includes(unit) ? valueText(tick, unit) : grouped(String(tick));
}

function plot(data, width) {
  const { places, lines, marks } = data;
  const right = width - 14;
  const y = heightScale(data);
  const x = scaleOf(places.length > 1 ? [places[0], places.at(-1)] : [places[0] - 1, places[0] + 1], [LEFT + 14, right - 8]);
  let height = HEIGHT;
  const beneath = placesOf(marks).flatMap((mark) => {
    const { drawn, rows } = placeMark(mark, data, { x, y, width, at: height + MARK_ROW / 2 });
    height += MARK_ROW * rows;
    return drawn;
  });
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, axes(data, x, y, right));
  const asBands = places.length > 2 && (lines.length <= MOST_BANDS || places.length > MOST_BARS);
  // Bars at one place stand beside each other, never further apart than the places are.
  const room = places.length > 1 ? Math.min(...places.slice(1).map((place, at) => x(place) - x(places[at]))) : 60;
  const step = asBands ? 0 : Math.min(6, (0.6 * room) / lines.length);
  const across = lines.map((_, at) => (point) => x(point.x) + step * (at - (lines.length - 1) / 2));
  lines.forEach((line, at) => chart.append(...intervals(line, asBands, places.length, x, across[at], y)));
  lines.forEach((line, at) => chart.append(...lineAndSymbols(line, x, across[at], y)));
  for (const { value } of heightsOf(marks)) chart.append(svg("line", { class: "threshold", x1: LEFT, x2: right, y1: y(value), y2: y(value) }));
  chart.append(...beneath);
  return { chart, x, width };
}

function axes({ over, unit, places, marks, placeName, hasNames }, x, y, right) {
  const heights = heightsOf(marks).map(({ value }) => value);
  const ticks = unit === "rate" ? [0, 0.25, 0.5, 0.75, 1] : roundNumbers(y, 4);
  const label = (value, kind) => svg("text", { class: kind, x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, tickText(value, unit));
  const few = Math.min(places.length, Math.max(2, Math.floor((right - LEFT) / (hasNames ? 90 : 40))));
  const named = Array.from({ length: few }, (_, at) => places[Math.round((at * (places.length - 1)) / Math.max(1, few - 1))]);
  const shown = !hasNames && places.length > MOST_TICKS ? roundNumbers(x, 6).filter(Number.isInteger) : named;
  return svg("g", { class: "axes" },
    ...ticks.map((tick) => svg("line", { class: tick === y.from ? "base" : "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) })),
    ...ticks.filter((tick) => heights.every((height) => Math.abs(y(tick) - y(height)) >= 12)).map((tick) => label(tick)),
    ...heights.map((height) => label(height, "threshold-label")),
    ...[...new Set(shown)].flatMap((place) => [
      svg("line", { class: "tick", x1: x(place), x2: x(place), y1: BOTTOM, y2: BOTTOM + 4 }),
      svg("text", { x: x(place), y: BOTTOM + 15, "text-anchor": !hasNames || places.length === 1 ? "middle" : place === places[0] ? "start" : place === places.at(-1) ? "end" : "middle" }, placeName(place)),
    ]),
    svg("text", { class: "axis-name", x: (LEFT + right) / 2, y: HEIGHT - 5, "text-anchor": "middle" }, over));
}

function bandOf(points, look, xOf, y) {
  const known = points.filter(({ low, high }) => exists(low) && exists(high));
  return svg("path", { class: `band ${look.class}`, d: d3.area(xOf, ({ low }) => y(low), ({ high }) => y(high))(known) });
}

/* The intervals of the points: where a curve has a band, only of few points. */
function intervals({ look, points, fitted }, asBands, places, x, xOf, y) {
  const known = points.filter(({ low, high }) => exists(low) && exists(high));
  const bars = svg("path", { class: `bars ${look.class}`, d: known.map((point) => `M${xOf(point).toFixed(1)},${y(point.low).toFixed(1)}V${y(point.high).toFixed(1)}`).join("") });
  if (fitted.length) return [...(places > MOST_BARS ? [] : [bars]), bandOf(fitted, look, (point) => x(point.x), y)];
  return [asBands ? bandOf(points, look, xOf, y) : bars];
}

function lineAndSymbols({ look, points, fitted }, x, xOf, y) {
  const path = fitted.length ? d3.line((point) => x(point.x), ({ value }) => y(value))(fitted) : d3.line(xOf, ({ value }) => y(value))(points);
  const every = fitted.length ? 1 : Math.ceil(points.length / SYMBOLS_OF_A_LINE);
  const shown = points.filter((_, place) => place % every === 0);
  return [svg("path", { class: `line ${look.class}`, d: path, "stroke-dasharray": look.dash }),
    symbolsAt(look, shown.map((point) => [xOf(point), y(point.value)]), shown.length > MOST_BARS ? 16 : undefined)];
}

/*
 * A place with its interval and name, beneath the chart; an end that is not known is open. Without room beside the interval,
 * the name has a row of its own.
 */
function placeMark({ name, x: place, value, low, high, series }, { lines, placeName }, { x, y, width, at }) {
  const look = lines.find((line) => line.name === series)?.look ?? { class: "tone-muted", symbol: d3.symbolCircle };
  const [least, largest] = [x(x.from), x(x.to)];
  const within = (value, otherwise) => (exists(value) ? Math.max(least, Math.min(largest, x(value))) : otherwise);
  const [from, to] = exists(low) || exists(high) ? [within(low, least), within(high, largest)] : [within(place), within(place)];
  const bar = [`M${from},${at}H${to}`, exists(low) ? `M${from},${at - 4}v8` : "", exists(high) ? `M${to},${at - 4}v8` : ""].join("");
  const ends = exists(low) || exists(high) ? ` (${[low, high].map((end) => (exists(end) ? valueText(end, "size") : "…")).join("–")})` : "";
  const words = `${elided(name, 60)} ${exists(place) ? ends ? valueText(place, "size") : placeName(place) : ""}${ends}`;
  const room = 8 + CHARACTER * words.length;
  const [end, anchor, rows] = to + room < width ? [to + 8, "start", 1] : from - room > LEFT ? [from - 8, "end", 1] : [width - 2, "end", 2];
  const drawn = [
    exists(place) && svg("line", { class: `drop ${look.class}`, x1: within(place), x2: within(place), y1: exists(value) ? y(value) : TOP, y2: BOTTOM }),
    svg("path", { class: `bars horizon ${look.class}`, d: bar }),
    exists(place) && symbolsAt(look, [[within(place), at]]),
    svg("text", { class: "mark-label", x: end, y: at + 4 + MARK_ROW * (rows - 1), "text-anchor": anchor }, words),
  ].filter(Boolean);
  return { drawn, rows };
}

/*
 * The chart as something that is read place by place: under the pointer or by arrow keys, all lines at once. To a screen
 * reader it is a slider over the places.
 */
function readable({ chart, x, width }, data, label) {
  const { places } = data;
  const tip = element("div", { class: "chart-tip", hidden: true });
  const cross = svg("line", { class: "cross", y1: TOP, y2: BOTTOM });
  const box = element("div", {
    class: "chart-read", role: "slider", tabindex: 0, "aria-label": `${harmless(label)} over ${data.over}`,
    "aria-valuemin": places[0], "aria-valuemax": places.at(-1),
  }, chart, tip);
  let place = 0;
  const tell = () => {
    box.setAttribute("aria-valuenow", places[place]);
    box.setAttribute("aria-valuetext", `${data.over} ${data.placeName(places[place])}: ${atPlace(places[place], data).map(({ name, told }) => `${data.lines.length > 1 ? `${harmless(name)} ` : ""}${told}`).join("; ")}`);
  };
  const show = (wanted) => {
    place = Math.max(0, Math.min(places.length - 1, wanted));
    const at = x(places[place]);
    cross.setAttribute("x1", at);
    cross.setAttribute("x2", at);
    if (!cross.isConnected) chart.prepend(cross);
    tip.replaceChildren(element("strong", {}, `${data.over} ${data.placeName(places[place])}`), ...atPlace(places[place], data).map(({ name, look, told }) => element("div", {},
      swatch(look), data.lines.length > 1 ? element("span", {}, harmless(name)) : null, element("b", {}, told))));
    tip.hidden = false;
    tip.classList.toggle("on-the-left", at > width / 2);
    tip.style.setProperty("--at", `${((100 * at) / width).toFixed(2)}%`);
    tell();
  };
  const hide = () => {
    tip.hidden = true;
    cross.remove();
  };
  const under = (event) => {
    const frame = chart.getBoundingClientRect();
    const at = x.invert(((event.clientX - frame.left) * width) / frame.width);
    const distances = places.map((one) => Math.abs(one - at));
    show(distances.indexOf(Math.min(...distances)));
  };
  const listeners = {
    pointermove: under, pointerdown: under, pointerleave: () => document.activeElement === box || hide(), focus: () => show(place), blur: hide,
    keydown: (event) => {
      const steps = { ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1, Home: 0, End: places.length - 1 };
      if (event.key === "Escape") hide();
      if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        show(steps[event.key]);
      }
    },
  };
  for (const [event, listener] of Object.entries(listeners)) box.addEventListener(event, listener);
  tell();
  return box;
}

/* What each line says at a place: its point, and its curve. */
function atPlace(place, { lines, unit }) {
  const said = (point, name = "") => point && `${name}${figureText({ ...point, unit })}${exists(point.n) ? `, of ${number(point.n)}` : ""}`;
  return lines.map(({ name, look, points, fitted }) => ({
    name, look, told: [said(points.find(({ x }) => x === place)), said(fitted.find(({ x }) => x === place), "curve ")].filter(Boolean).join(", "),
  })).filter(({ told }) => told);
}

function curveNumbers(data) {
  const heads = [data.over, ...(data.lines.length > 1 ? ["of"] : []), { name: "value" }];
  return table(heads, data.places.flatMap((place) => atPlace(place, data).map(({ name, told }) => [
    data.placeName(place), ...(data.lines.length > 1 ? [harmless(name)] : []), told])));
}

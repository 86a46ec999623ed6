/* Fitted curves with their bands, and their horizons: the size at which the probability to pass falls to a half. */

const LEVEL = "50";
const HORIZON_ROW = 16;
const ARROW = 14;
/* Room of a character in a label. */
const CHARACTER = 5.8;

const curveKey = [
  {
    width: 30, meaning: "fitted curve with its 95 % band; symbols are measured pass rates with their 95 % intervals",
    drawn: [svg("rect", { class: "band tone-muted", x: 1, width: 28, y: 2, height: 10 }), svg("path", { class: "line tone-muted", d: "M1,7h28" })],
  },
  { width: 30, meaning: "horizon: the size at which the curve falls to 50 %, or half-way to the rate of guesses, with its 95 % interval", drawn: [svg("path", { class: "line tone-muted", d: "M2,3v8m0,-4h26m0,-4v8" })] },
];

function curveAndBand({ look, curve, x }, y) {
  const shape = curve.method === "isotonic" ? d3.curveStep : d3.curveMonotoneX;
  const area = d3.area(x, (point) => y(point.low), (point) => y(point.high)).curve(shape);
  const line = d3.line(x, (point) => y(point.rate)).curve(shape);
  return [
    svg("path", { class: `band ${look.class}`, d: area(curve.points) }),
    svg("path", { class: `line ${look.class}`, d: line(curve.points), "stroke-dasharray": look.dash }),
  ];
}

function drawnSizes(curve) {
  return [curve.points[0].size, curve.points.at(-1).size];
}

/* Beneath the chart a row for each line: the interval of its horizon, open where it leaves the drawn sizes. */
function horizonRows(lines, room) {
  const rows = lines.flatMap((line, place) => horizonRow(line, room, room.top + HORIZON_ROW * (place + 0.5)));
  if (rows.length) rows.push(svg("text", { class: "horizon-level", x: room.left - 5, y: room.top + HORIZON_ROW / 2 + 4, "text-anchor": "end" }, `${LEVEL} %`));
  return rows;
}

function horizonRow({ look, curve }, { x, y, bottom, left, width }, at) {
  const sizes = drawnSizes(curve);
  const { value, low, high, bound, rate } = curve.horizon[LEVEL];
  if (bound === NOT_KNOWN) return [svg("text", { class: "horizon-label", x: left, y: at + 4 }, bound)];
  const [least, largest] = sizes.map(x);
  const from = bound === "above" ? Math.min(x(low ?? sizes[1]), largest - ARROW) : x(low ?? sizes[0]);
  const to = bound === "below" ? Math.max(x(high ?? sizes[0]), least + ARROW) : x(high ?? sizes[1]);
  const bar = [
    `M${from},${at}H${to}`,
    low !== null ? `M${from},${at - 4}v8` : bound !== "above" && `M${from + 4},${at - 4}l-4,4l4,4`,
    high !== null ? `M${to},${at - 4}v8` : bound !== "below" && `M${to - 4},${at - 4}l4,4l-4,4`,
  ].filter(Boolean).join("");
  const words = horizon(curve.horizon[LEVEL], sizes);
  const room = 8 + CHARACTER * words.length;
  const [end, anchor] = to + room < width ? [to + 8, "start"] : from - room > left ? [from - 8, "end"] : [width - 2, "end"];
  return [
    value !== null && svg("line", { class: `drop ${look.class}`, x1: x(value), x2: x(value), y1: y(rate), y2: bottom }),
    svg("path", { class: `bars horizon ${look.class}`, d: bar }),
    value !== null && symbolsAt(look, [[x(value), at]]),
    svg("text", { class: "horizon-label", x: end, y: at + 4, "text-anchor": anchor }, words),
  ].filter(Boolean);
}

const byModel = (lines, look) => (lines.length > 1 ? `${harmless(look.name)}: ` : "");

/* The horizons in words, for a screen reader. */
function horizonSaid(lines, measure) {
  return lines.filter((line) => line.curve).map(({ look, curve }) => (
    `${byModel(lines, look)}horizon at ${LEVEL} % ${horizon(curve.horizon[LEVEL], drawnSizes(curve))} ${measure}`));
}

/* Notes on curves that are not logistic. */
function curveNotes(lines) {
  return lines.filter((line) => line.curve?.method === "isotonic").map(({ look, curve }) => element("p", { class: "about" },
    `${byModel(lines, look)}a logistic curve does not fit${typeof curve.fitP === "number" ? ` (${probability(curve.fitP)})` : ""}. `,
    "The steps are an isotonic estimate: it only assumes that the pass rate does not rise with size."));
}

/* The horizons of all levels, and how their curves fit. */
function curveNumbers(lines, measure) {
  const fitted = lines.filter((line) => line.curve);
  if (!fitted.length) return null;
  const levels = Object.keys(fitted[0].curve.horizon);
  return table(["model", ...levels.map((level) => `horizon ${level} %, ${measure}`), "curve", "fit, p", "easy formulas that fail", "pass by guessing", "formulas"], fitted.map(({ look, curve }) => [
    harmless(look.name), ...levels.map((level) => horizon(curve.horizon[level], drawnSizes(curve))),
    curve.method === "logistic" ? `logistic, ${curve.scale}` : curve.method,
    probability(curve.fitP), percent(curve.lapse), percent(curve.guess), number(curve.formulas),
  ]));
}

/* Numbers as a person reads them. `figureText` and `valueText` write what record/figures.py writes. */

const NOTHING = "–";
const exists = (value) => value !== null && value !== undefined;

/* Digits by which a tie is told from what only comes near to one. */
const FAR = 40;

/* A number with so many decimals. A tie goes to the even digit, as in Python, where `toFixed` takes the larger one. */
function fixed(value, decimals) {
  const exact = value.toFixed(decimals + FAR);
  const cut = exact.slice(0, -FAR).replace(/\.$/, "");
  const isTie = exact.endsWith(`5${"0".repeat(FAR - 1)}`);
  return isTie && Number(cut.at(-1)) % 2 === 0 ? cut : value.toFixed(decimals);
}

function grouped(digits) {
  const [whole, ...decimals] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}

/* A rate in percent, without its sign. 100.0 and 0.0 are said of nothing less and nothing more. */
function percent(rate, decimals = 1) {
  const step = 10 ** -decimals;
  let shown = Number(fixed(100 * rate, decimals));
  if (rate < 1 && shown >= 100) shown = 100 - step;
  if (rate > 0 && shown <= 0) shown = step;
  return fixed(shown, decimals);
}

function signedPoints(difference) {
  const shown = fixed(100 * difference, 1);
  if (Number(shown) === 0) return "0.0";
  return difference < 0 ? shown.replace("-", "−") : `+${shown}`;
}

function probability(p) {
  if (p < 0.0001) return "< 0.0001";
  return fixed(p, p < 0.01 ? 4 : 3);
}

function duration(seconds) {
  if (seconds < 90) return seconds >= 1 ? `${fixed(seconds, 0)} s` : "less than 1 s";
  const minutes = Number(fixed(seconds / 60, 0));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/* How the number of each unit is written. */
const UNITS = {
  rate: (rate) => `${percent(rate)} %`,
  points: signedPoints,
  count: (number) => grouped(fixed(number, 0)),
  usd: (cost) => (cost >= 0.01 || cost === 0 ? `$${grouped(fixed(cost, 2))}` : "less than $0.01"),
  seconds: duration,
  size: (size) => grouped(fixed(Number(size.toPrecision(7)), 1)),
  p: probability,
  number: (value) => grouped(fixed(value, value % 1 ? 2 : 0)),
};

/* A depth is not a number of things: "14.2 operators", but "depth 4.1". */
function withMeasure(size, measure) {
  if (!measure) return size;
  return measure === "operators" ? `${size} ${measure}` : `${measure.replaceAll("_", " ")} ${size}`;
}

/* A number with its unit. A number that JavaScript would round comes as a text. */
function valueText(value, unit, measure = "") {
  if (!exists(value)) return NOTHING;
  if (typeof value === "string") return value;
  const shown = (UNITS[unit] ?? UNITS.number)(value);
  if (unit === "size") return withMeasure(shown, measure);
  return unit === "count" && measure ? `${shown} ${shown === "1" ? measure : plural(measure)}` : shown;
}

/* "samples", "kinds of error". */
function plural(thing) {
  return thing.replace(/(?= of )|$/, "s");
}

/* A number without the sign of its unit. */
function endText(value, unit, decimals) {
  return unit === "rate" ? percent(value, decimals) : valueText(value, unit);
}

function endsText({ low, high, unit, decimals }) {
  return [low, high].map((end) => (exists(end) ? endText(end, unit, decimals) : "…")).join(unit === "points" ? " to " : "–");
}

function intervalText(figure) {
  return exists(figure.low) || exists(figure.high) ? ` (${endsText(figure)})` : "";
}

function pointsText(shown) {
  return `${shown} point${["1", "1.0"].includes(shown) ? "" : "s"}`;
}

/* A number that somebody chose, with the digits that it has. */
function givenText(value, unit) {
  const shown = String(Number((100 * value).toPrecision(10)));
  return unit === "rate" ? `${shown} %` : pointsText(shown);
}

/* A value outside of the sizes that were asked. Without an end inside of them, its whole interval lies out there. */
function boundParts(figure, measure) {
  const { value, low, high, bound } = figure;
  if (bound === "not known" || !exists(value)) return [`${["", "operators"].includes(measure) ? "" : `${measure.replaceAll("_", " ")} `}not known`, ""];
  const isInside = [low, high].some((end) => exists(end) && end !== value);
  return [withMeasure(`${bound === "above" ? ">" : "<"} ${Number(value.toPrecision(6))}`, measure), isInside ? intervalText(figure) : ""];
}

/* A figure without its name: the value, and the interval behind it. */
function figureParts(figure, isMeasured = true) {
  const { value, upper, deviation, unit = "number" } = figure;
  const measure = isMeasured ? figure.measure ?? "" : "";
  if (figure.bound) return boundParts({ ...figure, unit }, measure);
  if (!exists(value) && exists(figure.low) && exists(figure.high)) return [`${endsText({ ...figure, unit })}${unit === "rate" ? " %" : ""}`, ""];
  if (!exists(value)) return [NOTHING, ""];
  if (figure.given) return [givenText(value, unit), ""];
  let shown = unit === "rate" && typeof value === "number" ? `${percent(value, figure.decimals)} %` : valueText(value, unit, measure);
  if (exists(upper) && upper !== value) shown = `${endText(value, unit)}–${valueText(upper, unit, measure)}`;
  if (exists(deviation)) shown += ` ± ${unit === "points" ? pointsText(fixed(Math.abs(100 * deviation), 1)) : endText(deviation, unit)}`;
  return [shown, intervalText({ ...figure, unit })];
}

function figureText(figure, isMeasured = true) {
  return figureParts(figure, isMeasured).join("");
}

/* The name of a figure, with the confidence of its interval where that is not 95 %. */
function headingText({ name, low, confidence = 0.95 }) {
  if (!exists(low) || confidence === 0.95) return name;
  return `${name} (${Math.min(99.99, Number(fixed(100 * confidence, 2)))} % interval)`;
}

function number(value) {
  return valueText(value, "count");
}

/* A number of things: "1 sample", "1,200 samples". */
function count(value, thing) {
  return valueText(value, "count", thing);
}

/* What one call cost and how long it took, however little. */
function dollars(value) {
  if (!exists(value)) return NOTHING;
  return `$${value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}`;
}

function seconds(value) {
  if (!exists(value)) return NOTHING;
  if (value < 0.001) return `${Math.max(1, Math.round(value * 1e6))} µs`;
  return value < 1 ? `${Math.round(value * 1e3)} ms` : `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

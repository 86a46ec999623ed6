/* Numbers as a person reads them: as report/text.py words them. */

/* As the analysis says it of a horizon that may lie anywhere. */
const NOT_KNOWN = "not known";

const grouped = new Intl.NumberFormat("en-US");

/* For 0, 1 and 2 decimals; a tie goes to the even digit, as in Python, so that all reports show one number. */
const formats = [0, 1, 2].map((decimals) => new Intl.NumberFormat("en-US", {
  maximumFractionDigits: decimals, roundingMode: "halfEven", useGrouping: false,
}));

/* A rate in percent. 100.0 and 0.0 are said of nothing less and nothing more. */
function percent(rate, decimals = 1) {
  if (rate === null || rate === undefined) return "–";
  const step = 10 ** -decimals;
  let shown = Number(formats[decimals].format(100 * rate));
  if (rate < 1 && shown >= 100) shown = 100 - step;
  if (rate > 0 && shown <= 0) shown = step;
  return `${shown.toFixed(decimals)} %`;
}

/* A pass rate, or its two bounds where samples are undecided. */
function rate(counts) {
  if (!counts || !counts.total) return "–";
  if (counts.lower === counts.upper) return percent(counts.lower);
  return `${percent(counts.lower).replace(" %", "")}–${percent(counts.upper)}`;
}

/* The interval of a pass rate. */
function interval(counts) {
  if (!counts || !counts.total) return "–";
  return `${percent(counts.low).replace(" %", "")}–${percent(counts.high)}`;
}

/*
 * A horizon with its interval: "14.2 (12.6–16.1)"; "> 40" where it lies outside the sizes drawn, "…" for an open end;
 * "not known" where both ends are open.
 */
function horizon({ value, low, high, bound }, [least, largest]) {
  if (bound === NOT_KNOWN) return bound;
  const size = (exact) => (exact === null ? "…" : Number(formats[1].format(exact)).toFixed(1));
  const whole = { above: `> ${largest}`, below: `< ${least}` }[bound] ?? size(value);
  if (bound && (low === largest || high === least)) return whole; // the whole interval lies out there
  return `${whole} (${size(low)}–${size(high)})`;
}

function number(value) {
  return value === null || value === undefined ? "–" : grouped.format(value);
}

/* A number of things: "1 sample", "1,200 samples". */
function count(value, thing) {
  return `${number(value)} ${thing}${value === 1 ? "" : "s"}`;
}

function dollars(value) {
  if (value === null || value === undefined) return "–";
  return `$${value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}`;
}

function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 0.001) return `${Math.max(1, Math.round(value * 1e6))} µs`;
  return value < 1 ? `${Math.round(value * 1e3)} ms` : `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

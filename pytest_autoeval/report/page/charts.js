/* Charts whose rows are rows of a table: a column is drawn, the others say the same in numbers. */

/* Where a rate or a difference lies in its column. */
const along = (scale) => (value) => `${scale(value).toFixed(3)}%`;

/* A place in a drawn column at which shapes keep their form, whatever the width. */
function spot(x, ...shapes) {
  return svg("svg", { x, y: "50%", class: "spot" }, ...shapes);
}

function columnOf(...shapes) {
  return svg("svg", { class: "column", "aria-hidden": "true" }, ...shapes);
}

/* A number of points of percent with its sign: "−6.0". */
function points(difference) {
  if (difference === null || difference === undefined) return "–";
  const shown = Number(formats[1].format(100 * difference)).toFixed(1);
  return Number(shown) === 0 ? "0.0" : shown.replace("-", "−").replace(/^(?=\d)/, "+");
}

function probability(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/* ---- outcomes ---- */

/* How failures are hatched, so that they are told apart without colour; a path in a square of eight. */
const HATCHES = [
  "M-2,2L2,-2M0,8L8,0M6,10L10,6", "M4,0V8", "M0,4H8", "M-2,6L2,10M0,0L8,8M6,-2L10,2", "M4,0V8M0,4H8",
  "M0,8L8,0M0,0L8,8", "M2,2h2v2h-2zM6,6h2v2h-2z",
];

/* The look of each outcome that occurs: passes first, then failures by name. `patterns` stands once in the page. */
function outcomeLooks(suites) {
  const kinds = new Map(suites.flatMap((suite) => suite.outcomes).filter((one) => one.count).map(({ name, kind }) => [name, kind]));
  const order = Object.keys(KINDS);
  const names = [...kinds.keys()].sort((a, b) => order.indexOf(kinds.get(a)) - order.indexOf(kinds.get(b)) || (a < b ? -1 : 1));
  const failures = names.filter((name) => kinds.get(name) === "model failure");
  const looks = new Map(names.map((name) => {
    const kind = kinds.get(name);
    const hatch = kind === "model failure" ? HATCHES[failures.indexOf(name) % HATCHES.length] : { undecided: HATCHES[6], error: HATCHES[5] }[kind];
    return [name, { name, class: `tone-${(KINDS[kind] ?? KINDS.error).name}`, hatch, id: freshId("hatching") }];
  }));
  const patterns = svg("svg", { class: "patterns", width: 0, height: 0, "aria-hidden": "true" },
    svg("defs", {}, ...[...looks.values()].filter((look) => look.hatch).map(hatching)));
  return { looks, patterns };
}

function hatching({ id, hatch, class: kind }) {
  return svg("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", class: kind },
    svg("rect", { class: "ground", width: 8, height: 8 }), svg("path", { class: "hatch", d: hatch }));
}

function block(look, attributes) {
  return svg("rect", { class: `block ${look.class}`, ...attributes, fill: look.hatch ? `url(#${look.id})` : null });
}

/* How the samples of a suite and model ended: a bar, and the same in numbers. */
function outcomeBar({ outcomes }, looks) {
  const places = [...looks.keys()];
  const shown = outcomes.filter((one) => one.count).sort((a, b) => places.indexOf(a.name) - places.indexOf(b.name));
  const total = d3.sum(shown, (one) => one.count);
  const x = along(d3.scaleLinear([0, total], [0, 100]));
  const starts = d3.cumsum(shown, (one) => one.count);
  const bar = columnOf(...shown.map((one, at) => block(looks.get(one.name), {
    x: x(starts[at] - one.count), width: x(one.count), y: "50%", height: 22, transform: "translate(0,-11)",
  })));
  const counts = shown.map(({ name, count: its }) => element("span", { class: "count" },
    svg("svg", { class: "swatch", width: 14, height: 14, "aria-hidden": "true" }, block(looks.get(name), { width: 14, height: 14 })),
    element("b", {}, number(its)), ` ${harmless(name)} `, element("span", { class: "share" }, percent(its / total))));
  return [bar, element("div", { class: "counts" }, counts)];
}

/* ---- comparisons with a baseline ---- */

const MARKS = { failed: d3.symbolTimes, inconclusive: d3.symbolDiamond, interrupted: d3.symbolDiamond };

/*
 * Fills an element with the difference of a suite to the baseline and its interval for every model, around a line at
 * no difference and, where a comparison has a `drop` that was asked about, one at that drop.
 */
function drawComparisons(target, comparisons) {
  const asked = [...new Set(comparisons.map((comparison) => comparison.drop).filter((drop) => typeof drop === "number"))];
  const ends = comparisons.flatMap(({ difference, low, high }) => [difference, low, high]);
  const known = [...ends.filter((end) => typeof end === "number"), ...asked.map((drop) => -drop)];
  const reach = Math.max(0.05, ...known.map(Math.abs)) * 1.08;
  const scale = d3.scaleLinear([-reach, reach], [0, 100]);
  const models = ({ model, baselineModel }) => (baselineModel && baselineModel !== model ? `${model} against ${baselineModel}` : model);
  target.append(table(["Model", differenceScale(scale, asked), "Difference", "Formulas", "p (corrected)"], comparisons.map((comparison) => [
    text(models(comparison)),
    differenceColumn(comparison, along(scale)),
    [element("b", {}, points(comparison.difference), " points"),
      typeof comparison.low === "number" ? element("span", { class: "reason" }, intervalOf(comparison)) : null],
    [count(comparison.pairs, "pair"), comparison.pairs ? element("span", { class: "reason" },
      `${number(comparison.won)} won, ${number(comparison.lost)} lost, ${number(comparison.tied)} tied`) : null],
    probability(comparison.pCorrected ?? comparison.p),
  ]), { class: "rows comparisons" }),
  element("p", { class: "about" }, "Won: only this run passed the formula. Lost: only the baseline passed it."),
  element("ul", { class: "plain" }, comparisons.flatMap(reservations)));
}

/* The interval that decides, with its confidence: "−12.0 to +12.0 (98.75 % interval)". */
function intervalOf({ low, high, confidence }) {
  const shown = Math.min(99.99, Math.round(10000 * confidence) / 100);
  return `${points(low)} to ${points(high)} (${shown} % interval)`;
}

/* What a comparison leaves out, or cannot vouch for. */
function reservations({ model, flags, onlyHere, onlyThere }) {
  const only = (some, where) => some.count > 0 && [`${count(some.count, "formula")} occur only ${where} and were not compared: `,
    some.some.map((formula, at) => [at ? ", " : "", text(formula, { class: "formula" })]), some.count > some.some.length ? " …" : ""];
  return [...flags.map((flag) => text(flag)), only(onlyHere, "in this run"), only(onlyThere, "in the baseline")]
    .filter(Boolean).map((said) => element("li", {}, text(model), ": ", said));
}

function differenceScale(scale, asked) {
  const x = along(scale);
  const ticks = scale.ticks(4);
  return scaleOf("difference", asked.length ? "ticks tall" : "ticks",
    svg("text", { class: "direction", x: 0, y: 12 }, "← worse"),
    svg("text", { class: "direction", x: "100%", y: 12, "text-anchor": "end" }, "better →"),
    ...ticks.map((tick) => svg("text", { x: x(tick), y: 27, "text-anchor": "middle" }, tick === 0 ? "0" : points(tick).replace(".0", ""))),
    ...asked.map((drop) => svg("text", { class: "asked", x: x(-drop), y: 42, "text-anchor": "middle" }, "allowed drop")));
}

function differenceColumn({ difference, low, high, drop, verdict }, x) {
  const tone = (VERDICTS[verdict] ?? VERDICTS.reported).name;
  const symbol = MARKS[verdict] ?? d3.symbolCircle;
  const shapes = [svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: "100%" })];
  if (typeof drop === "number") shapes.push(svg("line", { class: "asked", x1: x(-drop), x2: x(-drop), y1: 0, y2: "100%" }));
  if (typeof low === "number") {
    shapes.push(svg("line", { class: `interval tone-${tone}`, x1: x(low), x2: x(high), y1: "50%", y2: "50%" }));
    for (const end of [low, high]) shapes.push(spot(x(end), svg("path", { class: `interval tone-${tone}`, d: "M0,-4V4" })));
  }
  if (typeof difference === "number") {
    const stroked = symbol === d3.symbolTimes ? " stroked" : "";
    shapes.push(spot(x(difference), svg("path", { class: `mark tone-${tone}${stroked}`, d: d3.symbol(symbol, 70)() })));
  }
  return columnOf(...shapes);
}

/* ---- slices ---- */

/* So many are shown at once. */
const SLICES = 6;

/* Fills an element with the rates inside and outside of each slice that is significantly worse. */
function drawSlices(target, slices) {
  const x = along(d3.scaleLinear([0, 1], [2, 98]));
  const key = [["inside", "these formulas, with the 95 % interval"]];
  if (slices.some((slice) => slice.outside)) key.push(["outside", "the other formulas of the suite; the difference is between formulas of one size"]);
  if (slices.some((slice) => slice.before)) key.push(["before", "the same formulas in the baseline"]);
  const dots = key.map(([kind, meaning]) => ({ width: 14, drawn: [svg("circle", { class: kind, cx: 7, cy: 7, r: 4.5 })], meaning }));
  const tableOf = (some) => table(["Formulas", rateScale(x), "Pass rate", "Compared to", "Difference", "p (corrected)"], some.map((slice) => [
    [element("bdi", { class: "function" }, harmless(slice.name)), text(slice.model, { class: "model" })],
    sliceColumn(slice, x),
    [element("b", {}, rate(slice.inside)), element("span", { class: "reason" }, `of ${count(slice.inside.total, "sample")}`)],
    comparedTo(slice),
    `${points(slice.difference)} points`,
    probability(slice.p),
  ]), { class: "rows slices" });
  const more = slices.slice(SLICES);
  target.append(keyOf(dots), tableOf(slices.slice(0, SLICES)));
  if (more.length) target.append(folded(`${number(more.length)} more`, (body) => body.append(tableOf(more))));
}

/* What a slice was compared to: the other formulas, or the same ones in the baseline. */
function comparedTo({ kind, outside, before }) {
  const other = kind === "baseline" ? before : outside;
  if (!other) return "–";
  return [rate(other), element("span", { class: "reason" }, `of ${number(other.total)} ${kind === "baseline" ? "in the baseline" : "outside"}`)];
}

const HALVES = [0, 0.5, 1];

/* What heads a drawn column: its name for a screen reader, and the texts of its scale. */
function scaleOf(name, kind, ...texts) {
  return element("div", { class: "scale" }, element("span", { class: "unseen" }, name), svg("svg", { class: kind, "aria-hidden": "true" }, ...texts));
}

function rateScale(x) {
  return scaleOf("rates", "ticks low", ...HALVES.map((tick) => svg(
    "text", { x: x(tick), y: 13, "text-anchor": { 0: "start", 1: "end" }[tick] ?? "middle" }, `${100 * tick} %`)));
}

function gridLines(x, ticks = HALVES) {
  return ticks.map((tick) => svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 0, y2: "100%" }));
}

function sliceColumn({ inside, outside, before }, x) {
  const shapes = gridLines(x);
  shapes.push(svg("line", { class: "interval", x1: x(inside.low), x2: x(inside.high), y1: "50%", y2: "50%" }));
  for (const [other, kind] of [[outside, "outside"], [before, "before"]].filter(([rates]) => rates)) {
    shapes.push(
      svg("line", { class: "between", x1: x(inside.lower), x2: x(other.lower), y1: "50%", y2: "50%" }),
      spot(x(other.lower), svg("circle", { class: kind, r: 4.5 })));
  }
  shapes.push(spot(x(inside.lower), svg("circle", { class: "inside", r: 4.5 })));
  return columnOf(...shapes);
}

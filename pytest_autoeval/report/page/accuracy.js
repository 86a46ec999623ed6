/*
 * Accuracy over size, of one suite: a line for each model, with the interval of every point. Where a curve was fitted to
 * the points it is drawn through them, over the size or another measure, with its horizon beneath.
 */

const NARROWEST = 280;
const WIDEST = 640;
const HEIGHT = 214;
const TOP = 12;
const BOTTOM = HEIGHT - 36;
const LEFT = 38;
/* Up to so many lines have bands, of more the intervals are bars beside each other, unless there are many sizes. */
const MOST_BANDS = 2;
const MOST_BARS = 12;
const LINE_HEIGHT = 12;
/* Symbols tell the lines apart: of many points not all need one. */
const SYMBOLS_OF_A_LINE = 12;
/* Around a curve all stand, which are smaller where they are many. */
const SMALL = 16;

const y = d3.scaleLinear([0, 1], [BOTTOM, TOP]);

/*
 * Draws the accuracy of one suite; `members` are its entries in the report, one for each model, `looks` those of all
 * models. A `threshold` is drawn as a line. Where curves over several measures were fitted, one of them is chosen.
 */
function drawAccuracy(target, { members, looks }) {
  const sizeName = members[0].sizeName ?? "size";
  const threshold = members.find((suite) => typeof suite.threshold === "number")?.threshold ?? null;
  const measures = [...new Set([sizeName, ...members.flatMap((suite) => (suite.curves ?? []).map((curve) => curve.measure))])];
  const several = members.length > 1;
  const headline = members.map((suite) => `${several ? `${harmless(suite.model)} ` : ""}${ratedInWords(suite)}`);
  const holder = element("div", { class: "chart-measured" });
  const width = Math.max(NARROWEST, Math.min(WIDEST, target.clientWidth));
  const show = (measure) => {
    const lines = members.map((suite) => ({
      look: looks.get(suite.model),
      points: measure === sizeName ? sorted(suite.bySize) : [],
      curve: suite.curves?.find((curve) => curve.measure === measure) ?? null,
    })).filter((line) => line.points.length || line.curve);
    const sizes = [...new Set(lines.flatMap(({ points, curve }) => [...points, ...(curve?.points ?? [])].map((point) => point.size)))]
      .sort((a, b) => a - b);
    const axis = worded(measure);
    const words = [`Accuracy over ${axis}: ${headline.join("; ")}`, ...horizonSaid(lines, axis)].join("; ");
    holder.replaceChildren(
      readable(plot(sizes, axis, lines, threshold, width), sizes, axis, lines, words), ...curveNotes(lines),
      folded("Numbers of this chart", (body) => body.append(scrolled("numbers", curveNumbers(lines, axis) ?? "", numbers(sizes, axis, lines))),
        { class: "chart-numbers" }));
  };
  show(sizeName);
  const choice = element("select", { "aria-label": "Measure", on: { change: (event) => show(event.target.value) } },
    measures.map((measure) => element("option", { value: measure }, worded(measure))));
  target.append(element("figure", { class: "chart-panel" },
    element("figcaption", {}, "Pass rate over ", measures.length > 1 ? choice : worded(sizeName)), holder));
}

function sorted(bySize) {
  return bySize.filter((point) => point.rate.total).sort((a, b) => a.size - b.size);
}

function worded(measure) {
  return harmless(measure.replaceAll("_", " "));
}

function ratedInWords(suite) {
  return `${rate(suite.rate)} (${interval(suite.rate)})`;
}

function plot(sizes, sizeName, lines, threshold, width) {
  const right = width - 14;
  const apart = sizes.length > 1 ? [sizes[0], sizes.at(-1)] : [sizes[0] - 1, sizes[0] + 1];
  const x = d3.scaleLinear(apart, [LEFT + 14, right - 8]);
  const fitted = lines.filter((line) => line.curve);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT + HORIZON_ROW * fitted.length}`, "aria-hidden": "true" });
  chart.append(axes(x, sizes, sizeName, right, threshold));
  const asBands = sizes.length > 2 && (lines.length <= MOST_BANDS || sizes.length > MOST_BARS);
  // Bars at one size stand beside each other, never further apart than the sizes are.
  const room = sizes.length > 1 ? d3.min(d3.pairs(sizes), ([a, b]) => x(b) - x(a)) : 60;
  const step = asBands ? 0 : Math.min(6, (0.6 * room) / lines.length);
  const placed = lines.map((line, place) => {
    const offset = step * (place - (lines.length - 1) / 2);
    return { ...line, x: (point) => x(point.size) + offset };
  });
  for (const line of placed) chart.append(...intervals(line, asBands, sizes.length));
  for (const line of placed) chart.append(...lineAndSymbols(line));
  if (threshold !== null) {
    chart.append(svg("line", { class: "threshold", x1: LEFT, x2: right, y1: y(threshold), y2: y(threshold) }));
  }
  chart.append(...horizonRows(fitted, { x, y, bottom: BOTTOM, top: HEIGHT, left: LEFT, width }));
  return { chart, x, width };
}

/* The intervals of the points: of those that have a curve only where they are few, since the curve has a band. */
function intervals(line, asBands, sizes) {
  if (line.curve) return [...(sizes > MOST_BARS ? [] : [bars(line)]), ...curveAndBand(line, y)];
  return [asBands ? band(line) : bars(line)];
}

function axes(x, sizes, sizeName, right, threshold) {
  const group = svg("g", { class: "axes" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    const isFree = threshold === null || Math.abs(y(tick) - y(threshold)) >= LINE_HEIGHT;
    group.append(svg("line", { class: tick === 0 ? "base" : "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }));
    if (isFree) group.append(yLabel(tick, `${100 * tick}${tick === 1 ? " %" : ""}`));
  }
  if (threshold !== null) group.append(yLabel(threshold, String(Number((100 * threshold).toPrecision(4))), "threshold-label"));
  const ticks = sizes.length <= 9 ? sizes : x.ticks(6).filter(Number.isInteger);
  for (const tick of ticks) {
    group.append(
      svg("line", { class: "tick", x1: x(tick), x2: x(tick), y1: BOTTOM, y2: BOTTOM + 4 }),
      svg("text", { x: x(tick), y: BOTTOM + 15, "text-anchor": "middle" }, String(tick)));
  }
  group.append(svg("text", { class: "axis-name", x: (LEFT + right) / 2, y: HEIGHT - 5, "text-anchor": "middle" }, sizeName));
  return group;
}

function yLabel(value, text, kind = null) {
  return svg("text", { class: kind, x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, text);
}

function band({ look, points, x }) {
  const area = d3.area(x, (point) => y(point.rate.low), (point) => y(point.rate.high));
  return svg("path", { class: `band ${look.class}`, d: area(points) });
}

function bars({ look, points, x }) {
  const path = points.map((point) => {
    const at = x(point).toFixed(1);
    return `M${at},${y(point.rate.low).toFixed(1)}V${y(point.rate.high).toFixed(1)}`;
  });
  return svg("path", { class: `bars ${look.class}`, d: path.join("") });
}

function lineAndSymbols({ look, points, curve, x }) {
  const path = d3.line(x, (point) => y(point.rate.lower))(points);
  const marks = curve ? [] : [svg("path", { class: `line ${look.class}`, d: path, "stroke-dasharray": look.dash })];
  // Where samples are undecided, the rate lies anywhere up to its upper bound.
  const open = points.filter((point) => point.rate.upper > point.rate.lower);
  if (open.length) {
    const reach = open.map((point) => `M${x(point)},${y(point.rate.lower)}V${y(point.rate.upper)}m-3,0h6`);
    marks.push(svg("path", { class: `reach ${look.class}`, d: reach.join("") }));
  }
  const every = curve ? 1 : Math.ceil(points.length / SYMBOLS_OF_A_LINE);
  const shown = points.filter((_, place) => place % every === 0);
  return [...marks, symbolsAt(look, shown.map((point) => [x(point), y(point.rate.lower)]), shown.length > MOST_BARS ? SMALL : undefined)];
}

/*
 * The panel as something that is read size by size: under the pointer or by arrow keys, all lines at once. To a
 * screen reader it is a slider over the sizes.
 */
function readable({ chart, x, width }, sizes, sizeName, lines, label) {
  const tip = element("div", { class: "chart-tip", hidden: true });
  const cross = svg("line", { class: "cross", y1: TOP, y2: BOTTOM });
  const box = element("div", {
    class: "chart-read", role: "slider", tabindex: 0, "aria-label": label,
    "aria-valuemin": sizes[0], "aria-valuemax": sizes.at(-1), "aria-valuenow": sizes[0],
    "aria-valuetext": sizeInWords(sizes[0], sizeName, lines),
  }, chart, tip);
  let place = 0;
  const show = (wanted) => {
    place = Math.max(0, Math.min(sizes.length - 1, wanted));
    const size = sizes[place];
    cross.setAttribute("x1", x(size));
    cross.setAttribute("x2", x(size));
    if (!cross.isConnected) chart.prepend(cross);
    tip.replaceChildren(...tipLines(size, sizeName, lines));
    tip.hidden = false;
    tip.classList.toggle("on-the-left", x(size) > width / 2);
    tip.style.setProperty("--at", `${((100 * x(size)) / width).toFixed(2)}%`);
    box.setAttribute("aria-valuenow", size);
    box.setAttribute("aria-valuetext", sizeInWords(size, sizeName, lines));
  };
  const hide = () => {
    tip.hidden = true;
    cross.remove();
  };
  const under = (event) => {
    const frame = chart.getBoundingClientRect();
    const at = x.invert(((event.clientX - frame.left) * width) / frame.width);
    show(d3.minIndex(sizes, (size) => Math.abs(size - at)));
  };
  box.addEventListener("pointermove", under);
  box.addEventListener("pointerdown", under);
  box.addEventListener("pointerleave", () => (document.activeElement === box ? null : hide()));
  box.addEventListener("focus", () => show(place));
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1, Home: 0, End: sizes.length - 1 };
    if (event.key === "Escape") hide();
    if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      show(steps[event.key]);
    }
  });
  return box;
}

/* Each line that has the size, with the point there and the place of its curve. */
function atSize(size, lines) {
  const has = (points) => points?.find((point) => point.size === size);
  return lines.map(({ look, points, curve }) => ({ look, point: has(points), fitted: has(curve?.points) }))
    .filter(({ point, fitted }) => point || fitted);
}

function passedOf(counts) {
  const undecided = counts.undecided ? `, ${counts.undecided} undecided` : "";
  return `${counts.passed} of ${counts.total}${undecided}`;
}

function fittedAt({ rate: its, low, high }) {
  return `curve ${percent(its)} (${interval({ total: 1, low, high })})`;
}

function tipLines(size, sizeName, lines) {
  return [
    element("strong", {}, `${sizeName} ${size}`),
    ...atSize(size, lines).map(({ look, point, fitted }) => element("div", {},
      swatch(look),
      lines.length > 1 ? element("span", { class: "tip-name" }, look.label) : null,
      point && [element("b", {}, rate(point.rate)), element("span", { class: "tip-note" }, `(${interval(point.rate)}), ${passedOf(point.rate)}`)],
      fitted && element("span", { class: "tip-note" }, fittedAt(fitted)))),
  ];
}

function sizeInWords(size, sizeName, lines) {
  return `${sizeName} ${size}: ${atSize(size, lines).map(({ look, point, fitted }) => (
    (lines.length > 1 ? `${look.label} ` : "")
    + [point && `${rate(point.rate)}, ${passedOf(point.rate)}`, fitted && fittedAt(fitted)].filter(Boolean).join(", "))).join("; ")}`;
}

function numbers(sizes, sizeName, lines) {
  const rows = sizes.flatMap((size) => atSize(size, lines).map(({ look, point, fitted }) => [
    String(size), harmless(look.name), rate(point?.rate), interval(point?.rate), point ? passedOf(point.rate) : "–",
    point?.answers ? percent(point.compliant / point.answers) : "–", ...(fitted ? [fittedAt(fitted).replace("curve ", "")] : []),
  ]));
  const curve = lines.some((line) => line.curve) ? ["curve"] : [];
  return table([sizeName, "model", "rate", "95 % interval", "passed", "compliant", ...curve], rows);
}

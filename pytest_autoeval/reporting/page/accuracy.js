/* Accuracy over size: a panel for each suite, a line for each model, with the interval of every point. */
(() => {
  "use strict";

  const { element, harmless, interval, percent, rate } = autoeval;
  const { entryOf, folded, grouped, keyOf, seriesOf, suiteName, svg, symbolsAt, table } = autoeval.marks;

  const WIDTH = 360;
  const HEIGHT = 214;
  const TOP = 12;
  const BOTTOM = HEIGHT - 36;
  const LEFT = 38;
  const LABELS = 104;
  /* Up to so many lines have bands, of more the intervals are bars beside each other, unless there are many sizes. */
  const MOST_BANDS = 2;
  const MOST_BARS = 12;
  const LINE_HEIGHT = 12;
  /* Symbols tell the lines apart: of many points not all need one. */
  const SYMBOLS_OF_A_LINE = 12;

  const y = d3.scaleLinear([0, 1], [BOTTOM, TOP]);
  /* What the dashed line is; its number stands at the axis of each panel. */
  const THRESHOLD = {
    width: 30, drawn: [svg("line", { class: "threshold", x1: 1, x2: 29, y1: 7, y2: 7 })], meaning: "threshold of the suite",
  };

  /*
   * Fills an element with one panel for each suite. `suites` are those of the report; where one has a `threshold`, it
   * is drawn as a line.
   */
  function drawAccuracy(target, suites) {
    const shown = suites.filter((suite) => suite.bySize.some((point) => point.rate.total));
    const series = seriesOf([...new Set(suites.map((suite) => suite.model))]);
    target.replaceChildren();
    target.classList.add("chart", "chart-accuracy");
    if (!shown.length) {
      target.append(element("p", { class: "chart-empty" }, "No sample counts yet."));
      return;
    }
    const key = series.size > 1 ? [...series.values()].map(entryOf) : [];
    if (shown.some((suite) => typeof suite.threshold === "number")) key.push(THRESHOLD);
    if (key.length) target.append(keyOf(key));
    const panels = [...grouped(shown, (suite) => suite.suite)].map(([name, members]) => panel(
      name,
      members[0].sizeName ?? "size",
      members.map((suite) => ({ look: series.get(suite.model), points: sorted(suite.bySize), whole: suite.rate })),
      members.find((suite) => typeof suite.threshold === "number")?.threshold ?? null,
    ));
    target.append(element("div", { class: "chart-panels" }, panels));
  }

  function sorted(bySize) {
    return bySize.filter((point) => point.rate.total).sort((a, b) => a.size - b.size);
  }

  /* One panel; `lines` are of a look, points and the rate of all of them. */
  function panel(name, sizeName, lines, threshold) {
    const sizes = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.size)))].sort((a, b) => a - b);
    const chart = plot(sizes, sizeName, lines, threshold);
    const headline = lines.map(({ look, whole }) => `${lines.length > 1 ? `${harmless(look.name)} ` : ""}${rated(whole)}`);
    return element("figure", { class: "chart-panel" },
      element("figcaption", {}, suiteName(name), lines.length > 1 ? null : element("span", { class: "chart-whole" }, headline[0])),
      read(chart, sizes, sizeName, lines, `Accuracy over ${sizeName}, ${harmless(name)}: ${headline.join("; ")}`),
      folded("Numbers", () => numbers(sizes, sizeName, lines)));
  }

  function rated(whole) {
    return `${rate(whole)} (${interval(whole)})`;
  }

  function plot(sizes, sizeName, lines, threshold) {
    const right = WIDTH - (lines.length > 1 ? LABELS : 14);
    const apart = sizes.length > 1 ? [sizes[0], sizes.at(-1)] : [sizes[0] - 1, sizes[0] + 1];
    const x = d3.scaleLinear(apart, [LEFT + 14, right - 8]);
    const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
    chart.append(axes(x, sizes, sizeName, right, threshold));
    const asBands = sizes.length > 2 && (lines.length <= MOST_BANDS || sizes.length > MOST_BARS);
    // Bars at one size stand beside each other, never further apart than the sizes are.
    const room = sizes.length > 1 ? d3.min(d3.pairs(sizes), ([a, b]) => x(b) - x(a)) : 60;
    const step = asBands ? 0 : Math.min(6, (0.6 * room) / lines.length);
    const placed = lines.map((line, place) => {
      const offset = step * (place - (lines.length - 1) / 2);
      return { ...line, x: (point) => x(point.size) + offset };
    });
    for (const line of placed) chart.append(asBands ? band(line) : bars(line));
    for (const line of placed) chart.append(...lineAndSymbols(line));
    if (threshold !== null) {
      chart.append(svg("line", { class: "threshold", x1: LEFT, x2: right, y1: y(threshold), y2: y(threshold) }));
    }
    if (lines.length > 1) chart.append(...endLabels(placed, right));
    return { chart, x, right };
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

  function lineAndSymbols({ look, points, x }) {
    const path = d3.line(x, (point) => y(point.rate.lower))(points);
    const marks = [svg("path", { class: `line ${look.class}`, d: path, "stroke-dasharray": look.dash })];
    // Where samples are undecided, the rate lies anywhere up to its upper bound.
    const open = points.filter((point) => point.rate.upper > point.rate.lower);
    if (open.length) {
      const reach = open.map((point) => `M${x(point)},${y(point.rate.lower)}V${y(point.rate.upper)}m-3,0h6`);
      marks.push(svg("path", { class: `reach ${look.class}`, d: reach.join("") }));
    }
    const every = Math.ceil(points.length / SYMBOLS_OF_A_LINE);
    const shown = points.filter((_, place) => place % every === 0);
    return [...marks, symbolsAt(look, shown.map((point) => [x(point), y(point.rate.lower)]))];
  }

  /* The names at the right ends, moved apart where lines end close to each other, in the order of the ends. */
  function endLabels(lines, right) {
    const ends = lines.map((line) => ({ line, end: y(line.points.at(-1).rate.lower) }));
    ends.sort((a, b) => a.end - b.end || a.line.look.place - b.line.look.place);
    let lowest = TOP - 4 - LINE_HEIGHT;
    for (const label of ends) {
      label.at = Math.max(label.end, lowest + LINE_HEIGHT);
      lowest = label.at;
    }
    let highest = BOTTOM + 4 + LINE_HEIGHT;
    for (const label of ends.toReversed()) {
      label.at = Math.min(label.at, highest - LINE_HEIGHT);
      highest = label.at;
    }
    return ends.map(({ line, end, at }) => svg("g", { class: "end-label" },
      svg("path", { class: `leader ${line.look.class}`, d: `M${line.x(line.points.at(-1)) + 4},${end}L${right + 4},${at}h4` }),
      svg("text", { x: right + 11, y: at + 3.5 }, line.look.label)));
  }

  /*
   * The panel as something that is read size by size: under the pointer or by arrow keys, all lines at once. To a
   * screen reader it is a slider over the sizes.
   */
  function read({ chart, x, right }, sizes, sizeName, lines, label) {
    const tip = element("div", { class: "chart-tip", hidden: true });
    const cross = svg("line", { class: "cross", y1: TOP, y2: BOTTOM });
    const box = element("div", {
      class: "chart-read", role: "slider", tabindex: 0, "aria-label": label,
      "aria-valuemin": sizes[0], "aria-valuemax": sizes.at(-1), "aria-valuenow": sizes[0],
      "aria-valuetext": said(sizes[0], sizeName, lines),
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
      tip.classList.toggle("on-the-left", x(size) > (LEFT + right) / 2);
      tip.style.setProperty("--at", `${((100 * x(size)) / WIDTH).toFixed(2)}%`);
      box.setAttribute("aria-valuenow", size);
      box.setAttribute("aria-valuetext", said(size, sizeName, lines));
    };
    const hide = () => {
      tip.hidden = true;
      cross.remove();
    };
    const under = (event) => {
      const frame = chart.getBoundingClientRect();
      const at = x.invert(((event.clientX - frame.left) * WIDTH) / frame.width);
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

  function at(line, size) {
    return line.points.find((point) => point.size === size);
  }

  function passedOf(counts) {
    const undecided = counts.undecided ? `, ${counts.undecided} undecided` : "";
    return `${counts.passed} of ${counts.total}${undecided}`;
  }

  function tipLines(size, sizeName, lines) {
    const found = lines.map((line) => [line.look, at(line, size)]).filter(([, point]) => point);
    return [
      element("strong", {}, `${sizeName} ${size}`),
      ...found.map(([look, point]) => element("div", {},
        svg("svg", { class: "swatch", viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, symbolsAt(look, [[7, 7]])),
        lines.length > 1 ? element("span", { class: "tip-name" }, look.label) : null,
        element("b", {}, rate(point.rate)),
        element("span", { class: "tip-note" }, `(${interval(point.rate)}), ${passedOf(point.rate)}`))),
    ];
  }

  function said(size, sizeName, lines) {
    const found = lines.map((line) => [line.look, at(line, size)]).filter(([, point]) => point);
    return `${sizeName} ${size}: ${found.map(([look, point]) => (
      `${lines.length > 1 ? `${look.label} ` : ""}${rate(point.rate)}, ${passedOf(point.rate)}`)).join("; ")}`;
  }

  function numbers(sizes, sizeName, lines) {
    const rows = sizes.flatMap((size) => lines.map((line) => [line.look, at(line, size)]).filter(([, point]) => point).map(
      ([look, point]) => [
        String(size), harmless(look.name), rate(point.rate), interval(point.rate), passedOf(point.rate),
        point.answers ? percent(point.compliant / point.answers) : "–",
      ]));
    return table([sizeName, "model", "rate", "95 % interval", "passed", "compliant"], rows);
  }

  globalThis.autoeval.drawAccuracy = drawAccuracy;
})();

/* The matrix: suites down, models across, sorted by any column. A row opens what is known of its suite. */

/* From so many models on the matrix is scrolled sideways where they have no room. */
const MANY_MODELS = 3;
const ARROWS = { ascending: "▲", descending: "▼", none: "↕" };

/* Fills an element with the matrix of the report. */
function drawMatrix(target, report) {
  const { models, labels, common, rows, allSuites } = report.matrix;
  const looks = seriesOf(models, labels);
  const { looks: outcomes, patterns } = outcomeLooks(report.suites);
  const pairs = d3.cross(models.keys(), models.keys()).filter(([one, other]) => one < other);
  const differ = report.standing && { pair: pairs[0], of: differencesOf(report.standing, models) };
  const columns = [
    { head: "Suite", value: (row) => row.suite },
    ...models.map((model, at) => ({ head: models.length > 1 ? modelName(looks.get(model)) : "Pass rate", value: (row) => row.cells[at]?.rate ?? null })),
    ...(differ ? [{ head: "Difference", kind: "difference", value: (row) => differ.of(row.suite, differ.pair).difference }] : []),
  ];
  const cellsOf = rateCells(report, looks);
  const made = rows.map((row) => {
    const difference = differ && element("td", { role: "cell", class: "difference" });
    const { opener, more, open } = opened(suiteName(row.suite), columns.length, { name: row.suite, report, looks, outcomes });
    const line = element("tr", { role: "row" }, element("th", { role: "rowheader", scope: "row" }, opener), cellsOf(row), difference);
    return { row, line, more, open, difference };
  });
  const body = element("tbody", { role: "rowgroup" });
  const headers = sortable(columns, (column, way) => {
    for (const { row, difference } of made) difference?.replaceChildren(...differenceCell(differ.of(row.suite, differ.pair)));
    const ordered = column ? inOrder(made, ({ row }) => column.value(row), way) : made;
    body.replaceChildren(...ordered.flatMap(({ line, more }) => [line, more]));
  });
  if (differ) {
    headers.cells.at(-1).append(pairChoice(pairs, labels, (pair) => {
      differ.pair = pair;
      headers.draw();
    }));
  }
  const matrix = element("table", { role: "table", class: "rows" },
    element("caption", {}, element("span", { class: common ? null : "unseen" }, common ? [text(common), "…"] : "Pass rates by suite and model")),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, headers.cells)), body,
    allSuites?.means.length ? element("tfoot", { role: "rowgroup" }, meansRow(report, looks)) : null);
  matrix.style.setProperty("--models", models.length);
  target.append(patterns, element("div", models.length < MANY_MODELS ? { class: "board" } : { class: "board scrolled", tabindex: 0 }, matrix), legend(report));
  if (made.length === 1) made[0].open(true); // where it stands: a chart measures the room that it has
}

/* A button with the name of a suite, and the row that it opens. */
function opened(name, columns, suite) {
  const more = element("tr", { role: "row", class: "opened", id: freshId("suite"), hidden: true });
  const opener = element("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": more.id, on: { click: () => open(more.hidden) } }, name);
  function open(wanted) {
    more.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    if (more.hasChildNodes()) return;
    const holder = element("div", { class: "folded" });
    more.append(element("td", { role: "cell", colspan: columns }, holder));
    drawInto(holder, drawSuite, suite);
  }
  return { opener, more, open };
}

/* The headers of columns, which sort by them: ascending, descending, and as it was. `order(column, way)` puts the rows in order. */
function sortable(columns, order) {
  const ways = ["none", "ascending", "descending", "none"];
  const sorted = { by: null, way: "none" };
  const draw = () => {
    cells.forEach((header, at) => {
      const way = columns[at] === sorted.by ? sorted.way : "none";
      header.setAttribute("aria-sort", way);
      header.querySelector(".arrow").textContent = ARROWS[way];
    });
    order(sorted.way === "none" ? null : sorted.by, sorted.way);
  };
  const cells = columns.map((column) => {
    const turn = () => {
      sorted.way = ways[ways.indexOf(column === sorted.by ? sorted.way : "none") + 1];
      sorted.by = column;
      draw();
    };
    return element("th", { role: "columnheader", scope: "col", class: column.kind },
      element("button", { type: "button", class: "sort", on: { click: turn } }, column.head, " ", element("span", { class: "arrow", "aria-hidden": "true" })));
  });
  draw();
  return { cells, draw };
}

const keyOfSuite = (suite, model) => `${suite}\n${model}`;

/* Things in the order of their values, the unknown last; equal ones keep their order. */
function inOrder(things, valueOf, way) {
  const known = things.filter((one) => valueOf(one) !== null);
  const sign = way === "descending" ? -1 : 1;
  known.sort((a, b) => sign * d3.ascending(valueOf(a), valueOf(b)));
  return [...known, ...things.filter((one) => valueOf(one) === null)];
}

/* The difference of two models on a suite, the first minus the second. */
function differencesOf({ suites }, models) {
  const bySuite = new Map(suites.map(({ suite, pairs }) => [suite, pairs]));
  return (suite, [one, other]) => {
    const [first, second] = [models[one], models[other]];
    const same = bySuite.get(suite)?.find((pair) => pair.first === first && pair.second === second);
    const turned = bySuite.get(suite)?.find((pair) => pair.first === second && pair.second === first);
    const { difference = null, low, high, significant = false } = same ?? turned ?? {};
    return turned && difference !== null ? { difference: -difference, low: -high, high: -low, significant } : { difference, low, high, significant };
  };
}

function differenceCell({ difference, low, high, significant }) {
  if (difference === null) return significant ? ["horizons differ"] : ["–"];
  return [element(significant ? "b" : "span", {}, points(difference)), element("span", { class: "reason" }, `${points(low)} to ${points(high)}`)];
}

/* The two models whose difference is shown; a choice where there are several pairs. */
function pairChoice(pairs, labels, chosen) {
  const named = ([one, other]) => `${harmless(labels[one])} − ${harmless(labels[other])}`;
  if (pairs.length === 1) return element("span", { class: "reason" }, named(pairs[0]));
  return element("select", { "aria-label": "Difference of two models", on: { change: (event) => chosen(pairs[event.target.value]) } },
    pairs.map((pair, at) => element("option", { value: at }, named(pair))));
}

/* Where a rate lies in its bar. */
const inBar = along(d3.scaleLinear([0, 1], [0, 100]));

/* A rate as a bar with its interval as a whisker, and the threshold as a line. */
function rateBar({ rate: value, low, high }, look, threshold = null) {
  const whisker = typeof low !== "number" ? [] : [
    svg("line", { class: "interval", x1: inBar(low), x2: inBar(high), y1: "50%", y2: "50%" }),
    ...[low, high].map((end) => spot(inBar(end), svg("path", { class: "interval", d: "M0,-5V5" }))),
  ];
  return element("div", { class: "bar" }, columnOf(
    svg("rect", { class: "track", width: "100%", height: "100%" }),
    svg("rect", { class: `share ${look.class}`, width: inBar(value), height: "100%" }), ...whisker,
    ...(threshold === null ? [] : [svg("line", { class: "threshold", x1: inBar(threshold), x2: inBar(threshold), y1: "-20%", y2: "120%" })])));
}

/* A cell of the matrix; the name of its model is for a phone. */
function rateBox(look, ...parts) {
  const whose = look.alone ? null : element("span", { class: "whose" }, modelName(look));
  return element("td", { role: "cell" }, element("div", { class: "rate" }, whose, parts));
}

/* A rate in figures, and what is said beneath it. */
function rateFigures(shown, ends, ...beneath) {
  return element("div", { class: "figures" }, element("b", {}, shown), " ", ends && element("span", { class: "reason" }, ends), element("div", { class: "beneath" }, beneath));
}

/* Makes the cells of a row. */
function rateCells(report, looks) {
  const members = new Map(report.suites.map((suite) => [keyOfSuite(suite.suite, suite.model), suite]));
  const gates = Map.groupBy(report.gates, ({ suite, model }) => keyOfSuite(suite, model));
  const missing = (words) => element("span", { class: "figures about" }, words);
  return ({ suite: name, cells }) => report.matrix.models.map((model, at) => {
    const [cell, key, look] = [cells[at], keyOfSuite(name, model), looks.get(model)];
    if (!cell) return rateBox(look, missing("did not run"));
    const sign = signWithReason(cell.state, gates.get(key) ?? []);
    if (cell.rate === null) return rateBox(look, sign, missing("no answer"));
    const suite = members.get(key);
    return rateBox(look, sign, rateBar(cell, look, suite.threshold), rateFigures(rate(suite.rate), interval(suite.rate),
      cell.worseThan.length ? element("span", { class: "worse", title: harmless(`worse than ${cell.worseThan.join(", ")}`) }, "▼ worse") : null,
      cell.horizon ? `horizon ${horizon(cell.horizon, d3.extent(suite.bySize.filter((point) => point.rate.total), (point) => point.size))}` : null));
  });
}

/* The sign of a state, which opens the reasons of its gates; nothing without a gate. */
function signWithReason(state, gates) {
  const judged = gates.filter((gate) => gate.state !== "no gate");
  if (!judged.length) return null;
  const why = element("p", { class: "why", id: freshId("why"), hidden: true }, judged.map((gate) => element("span", {}, gateReason(gate))));
  const sign = element("button", {
    type: "button", class: "state", "aria-expanded": "false", "aria-controls": why.id, title: state,
    on: { click: () => sign.setAttribute("aria-expanded", String(!why.toggleAttribute("hidden"))) },
  }, verdictBadge(state));
  return [sign, why];
}

function gateReason({ kind, reason }) {
  return [kind === "baseline" && "Against the baseline: ", text(reason)].filter(Boolean);
}

/* The mean of the rates of each model, and its mean rank. */
function meansRow({ matrix: { models, allSuites }, standing }, looks) {
  return element("tr", { role: "row" },
    element("th", { role: "rowheader", scope: "row" }, "All suites", element("span", { class: "reason" }, `mean of ${count(allSuites.suites.length, "rate")}`)),
    models.map((model, at) => {
      const { mean, low, high } = allSuites.means[at];
      const rank = standing?.models.find((one) => one.model === model && one.suites > 1);
      return rateBox(looks.get(model), rateBar({ rate: mean, low, high }, looks.get(model)),
        rateFigures(percent(mean), low === null ? null : interval({ total: 1, low, high }),
          rank ? `mean rank ${rank.meanRank.toFixed(2)} (${rank.low.toFixed(2)}–${rank.high.toFixed(2)})` : null));
    }),
    standing ? element("td", { role: "cell" }) : null);
}

/* What the signs and words of the matrix mean; of signs those that occur. */
function legend({ matrix: { rows, allSuites }, meanings, standing, notes }) {
  const cells = rows.flatMap((row) => row.cells).filter(Boolean);
  const states = [...new Set(cells.map(({ state }) => state))];
  const judged = states.some((state) => state !== "no gate");
  const worse = cells.some((cell) => cell.worseThan.length);
  const said = [...notes, ...(standing?.notes ?? []), ...(allSuites?.leftOut.length ? [`The row “All suites” leaves out ${allSuites.leftOut.join(", ")}`] : [])];
  const noted = () => element("ul", { class: "plain" }, said.map((note) => element("li", {}, text(note))));
  return element("div", { class: "legend about" },
    judged ? states.map((state) => element("p", {}, state === "no gate" ? "No sign" : verdictBadge(state), meanings[state] ? `: ${meanings[state]}.` : "")) : null,
    worse ? element("p", {}, element("b", { class: "worse" }, "▼ worse"), ": significantly worse than another model, after Holm’s correction over all pairs and suites.") : null,
    standing ? element("p", {}, element("b", {}, "Difference"), ": bold if its p-value is significant after Holm’s correction. The intervals are not corrected: one may exclude 0 although the difference is not significant.") : null,
    standing?.models.some((one) => one.suites > 1) ? element("p", {}, "Mean rank: 1 for a model that is the best on every suite.") : null,
    element("p", {}, "Pass rate: the share of samples that passed, with its 95 % interval. ",
      cells.some((cell) => cell.horizon) && "Horizon: the size of formulas at which the pass rate falls to 50 %. ",
      judged && "Open a sign to see its reason. ", "Open a suite to see its samples by outcome and size, and its smallest counterexamples."),
    said.length > 3 ? folded(count(said.length, "note"), (body) => body.append(noted())) : said.length ? noted() : null);
}

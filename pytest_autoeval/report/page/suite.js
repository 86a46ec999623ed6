/* What the opened row of a suite shows: why it stands as it does, how its samples ended, and its smallest counterexamples. */

const THRESHOLD = { width: 30, drawn: [svg("line", { class: "threshold", x1: 1, x2: 29, y1: 7, y2: 7 })], meaning: "threshold" };

/* Counterexamples that are open. */
const OPEN = 1;

/* Fills an element with all that the report knows of the suite of that name. */
function drawSuite(body, { name, report, looks, outcomes }) {
  const its = (things) => things.filter(({ suite }) => suite === name);
  const members = its(report.suites);
  const pairs = report.standing?.suites.find(({ suite }) => suite === name)?.pairs ?? [];
  const examples = report.counterexamples.filter(({ row }) => row.suite === name);
  const part = (title, things, draw) => things.length && body.append(element("h3", {}, title), ...draw(things));
  const drawn = (draw) => (things) => {
    const holder = element("div", { class: "chart" });
    draw(holder, things);
    return [holder];
  };
  body.append(...reasons(its(report.gates), looks),
    table(["Model", "How the samples ended", "Samples by outcome"], members.map((suite) => {
      const [bar, counts] = outcomeBar(suite, outcomes);
      return [modelName(looks.get(suite.model)), bar, [counts, element("span", { class: "reason" }, spent(suite))]];
    }), { class: "rows ended" }),
    samplesLink(name, members));
  part("Smallest counterexamples", examples, () => examples.map((example, place) => counterexample(example, place < OPEN, members.length > 1)));
  figures(body, members, looks);
  part("Differences of the models", pairs, () => [differenceTable(name, pairs)]);
  part("Against the baseline", its(report.comparisons), drawn(drawComparisons));
  part("Formulas that fail more often", its(report.slices), drawn(drawSlices));
}

/* The reasons of all gates. */
function reasons(gates, looks) {
  const judged = worstFirst(gates.filter((gate) => gate.state !== "no gate"), (gate) => gate.state);
  if (!judged.length) return [];
  return [element("ul", { class: "reasons" }, judged.map((gate) => element("li", {},
    verdictBadge(gate.state), modelName(looks.get(gate.model)), element("span", {}, gateReason(gate)))))];
}

/* A link to all samples of a suite. */
function samplesLink(suite, members) {
  const samples = d3.sum(members, (one) => one.samples);
  return samples === 0 ? "" : element("p", {}, element("a", {
    href: toHash({ ...noState, suite, outcome: "" }), on: { click: () => byId("samples").scrollIntoView() },
  }, `Show the ${count(samples, "sample")}`));
}

/* The charts of a suite, and the figures of each model beside them. */
function figures(body, members, looks) {
  const charted = members.filter((suite) => suite.bySize.some((point) => point.rate.total));
  const told = members.map((suite) => [suite, list(facts(suite), { class: "facts" }), figuresOf(suite) ?? ""]);
  const parts = [
    charted.length && [null, drawAccuracy, { members: charted, looks }],
    ...told.flatMap(([suite, its, more]) => [
      suite.confusion && [suite, drawConfusion, suite],
      (its.hasChildNodes() || more) && [suite, (holder) => holder.append(its, more)],
    ]),
  ].filter(Boolean);
  const holders = parts.map(([suite]) => element("div", {}, members.length > 1 && suite ? element("h3", {}, text(suite.model)) : null));
  const key = members.some((suite) => suite.curves?.length) ? [...curveKey] : [];
  if (charted.some((suite) => typeof suite.threshold === "number")) key.push(THRESHOLD);
  body.append(element("div", { class: "parts" }, holders), key.length ? keyOf(key) : "");
  parts.forEach(([, draw, data], at) => draw(holders[at], data)); // a chart measures the room that it has
}

/* The calls to the model about a suite. */
function spent({ calls }) {
  return [
    `${count(calls.number, "call")}${purposes(calls)}${calls.replayed ? ` (${number(calls.replayed)} answered by recordings)` : ""}`,
    calls.promptTokens === null ? null : `${number(calls.promptTokens)} tokens in, ${number(calls.completionTokens)} out`,
    calls.cost === null ? null : dollars(calls.cost),
  ].filter(Boolean).join(", ");
}

function facts({ leaked, luck, blame, errorMessages, sizesWithoutSamples }) {
  const errors = errorMessages.map((one) => element("div", {}, harmless(`${number(one.count)} × ${one.message}`)));
  return [
    ["Copies", leaked ? `${count(leaked, "description")} copied the formula` : null],
    ["Chance level", luck ? `${luck}: so many samples would pass with one constant answer` : null],
    ["Meaning lost", blame ? `${number(blame.description)} when describing, ${number(blame.reading)} when reading, ${number(blame.undecided)} unclear` : null],
    ["Errors", errors.length ? errors : null],
    ["Nothing of size", sizesWithoutSamples.join(", ") || null],
  ];
}

/* What calls were for, where not only for samples. */
function purposes({ byPurpose }) {
  const parts = Object.entries(byPurpose).map(([purpose, one]) => `${number(one.number)} for ${purpose}`);
  return parts.length > 1 ? ` (${parts.join(", ")})` : "";
}

/* What else is known of a suite, line by line; the confusion matrix says its own figures. */
function figuresOf({ confusion, figures: more, spreads }) {
  const told = [...(confusion ? [] : more), ...spreads];
  return told.length ? folded("More figures", (body) => body.append(element("ul", { class: "plain" }, told.map((line) => element("li", {}, text(line)))))) : null;
}

function differenceTable(name, pairs) {
  const columns = [
    "Models", { name: "Difference, points" }, { name: "95 % interval" }, { name: "Formulas" },
    { name: "Won by the first" }, { name: "Won by the second" }, { name: "Corrected (Holm)" }, "Significant",
  ];
  return table(columns, pairs.map((pair) => [
    [element("bdi", {}, harmless(pair.first)), " − ", element("bdi", {}, harmless(pair.second))],
    points(pair.difference), pair.low === null ? "–" : `${points(pair.low)} to ${points(pair.high)}`, number(pair.pairs),
    samplesOf(name, pair.first, pair.second, pair.won), samplesOf(name, pair.second, pair.first, pair.lost),
    probability(pair.pCorrected), pair.significant ? "yes" : "no",
  ]), { caption: "Differences between the models" });
}

/* A number that leads to the samples that one model answered rightly and the other did not. */
function samplesOf(suite, right, model, times) {
  if (!times) return number(times);
  return element("a", {
    href: toHash({ ...noState, suite, model, outcome: "model failure", right }),
    title: harmless(`${right} right, ${model} wrong`),
    on: { click: () => byId("samples").scrollIntoView() },
  }, number(times));
}

/* The smallest sample of a kind of failure. */
function counterexample(example, open, several) {
  return folded([
    outcomeBadge(example.row.outcome, example.kind), " ",
    several ? text(example.row.model, { class: "model" }) : null, " ", element("span", { class: "reason" }, count(example.samples, "sample")),
  ], (body) => {
    body.append(element("div", { class: "parts" }, exampleStory(example), witnessDrawing(example.row)), example.command ? command(example.command) : "");
  }, { open, class: "line" });
}

/* Models side by side: their standing over all suites, and on each suite their rates, horizons and differences. */

/* Suites that are open, and pairs of models that are shown unfolded. */
const FEW = 3;

/* Fills an element with the `standing` of the report; its `suites` say which sizes were drawn, and what was fitted. */
function drawStanding(target, { standing, suites }) {
  const looks = seriesOf([...new Set(suites.map((suite) => suite.model))]);
  if (standing.models.some(({ suites: ranked }) => ranked > 1)) target.append(overall(standing.models, looks));
  if (standing.notes?.length) target.append(element("ul", { class: "plain" }, standing.notes.map((note) => element("li", {}, harmless(note)))));
  target.append(...standing.suites.map((one) => {
    const members = suites.filter(({ suite: name }) => name === one.suite);
    return folded([briefSuite(one.suite), element("span", { class: "reason" }, standingInShort(one, looks, members))],
      (body) => body.append(...suite(one, looks, members)), { open: standing.suites.length <= FEW, class: "line" });
  }));
}

/* A value with its interval in a column. */
function whisker(x, look, value, low, high) {
  return [
    svg("line", { class: `interval ${look.class}`, x1: x(low), x2: x(high), y1: "50%", y2: "50%" }),
    ...[low, high].map((end) => spot(x(end), svg("path", { class: `interval ${look.class}`, d: "M0,-4V4" }))),
    spot(x(value), symbolsAt(look, [[0, 0]], 70)),
  ];
}

function overall(models, looks) {
  const x = along(d3.scaleLinear([1, Math.max(2, models.length)], [3, 97]));
  const ranks = d3.range(1, Math.max(2, models.length) + 1);
  const scale = scaleOf("mean rank, drawn", "ticks low",
    ...ranks.map((rank) => svg("text", { x: x(rank), y: 13, "text-anchor": "middle" }, String(rank))));
  return element("div", {}, table(["Model", scale, "Mean rank", "Suites"], models.map(({ model, meanRank, low, high, suites }) => [
    modelName(looks.get(model)), columnOf(...gridLines(x, ranks), ...whisker(x, looks.get(model), meanRank, low, high)),
    [element("b", {}, meanRank.toFixed(2)), element("span", { class: "reason" }, `${low.toFixed(2)}–${high.toFixed(2)}`)],
    count(suites, "suite"),
  ]), { class: "rows ranks" }), element("p", { class: "about" },
    "Mean rank over suites, with its 95 % interval. A model of rank 1 is the best one on every suite."));
}

/* The rate of a model on a suite, and that suite of the report. */
function wholeOf(one, members) {
  const its = members.find(({ model }) => model === one.model);
  return { its, whole: wholeRate({ rate: one.rate, fittedRate: its?.fittedRate }) };
}

function standingInShort({ models, pairs }, looks, members) {
  const rates = models.map((one) => `${looks.get(one.model).label} ${rate(wholeOf(one, members).whole)}`).join(", ");
  const clear = pairs.filter((pair) => pair.significant).length;
  return `${rates}; ${number(clear)} of ${count(pairs.length, "difference")} significant`;
}

function suite({ suite: name, models, pairs }, looks, members) {
  const x = along(d3.scaleLinear([0, 1], [2, 98]));
  const rows = models.map((one) => {
    const { its, whole } = wholeOf(one, members);
    const sizes = (its?.bySize ?? []).filter((point) => point.rate.total).map((point) => point.size);
    return [
      modelName(looks.get(one.model)),
      columnOf(...gridLines(x), ...whisker(x, looks.get(one.model), whole.lower, whole.low, whole.high)),
      [element("b", {}, rate(whole)), element("span", { class: "reason" }, interval(whole), its?.fittedRate ? ", fitted" : "")],
      one.horizon ? `${horizon(one.horizon, d3.extent(sizes))} ${(its.sizeName ?? "size")}` : "–",
      beaten(one.model, models, pairs),
    ];
  });
  const differences = () => differenceTable(name, pairs);
  return [
    table(["Model", rateScale(x), "Pass rate", "Horizon at 50 %", "Significantly better than"], rows, { class: "rows ranks" }),
    pairs.length <= FEW ? differences() : folded("Differences", (body) => body.append(differences())),
  ];
}

/* The models that a model is significantly better than. */
function beaten(model, models, pairs) {
  const found = pairs.filter((pair) => pair.significant)
    .map(({ first, second, difference }) => (difference === null || difference > 0 ? [first, second] : [second, first]))
    .filter(([better]) => better === model).map(([, worse]) => worse);
  if (!found.length) return "–";
  return found.length > 1 && found.length === models.length - 1 ? "all others" : found.map((other) => element("bdi", { class: "model" }, harmless(other)));
}

function differenceTable(name, pairs) {
  const columns = [
    "Models", { name: "Difference, points" }, { name: "95 % interval" }, { name: "Formulas" },
    { name: "First better" }, { name: "Second better" }, { name: "Corrected (Holm)" }, "Significant",
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

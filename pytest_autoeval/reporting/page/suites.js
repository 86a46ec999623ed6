/* The suites, a line each, the worst first: opened, one shows how its samples ended, its accuracy over size and its figures. */

/* Suites that failed are open, up to so many. */
const MOST_OPEN = 3;
const THRESHOLD = { width: 30, drawn: [svg("line", { class: "threshold", x1: 1, x2: 29, y1: 7, y2: 7 })], meaning: "threshold" };

/* Fills an element with the `suites` of the report: those of one name are one suite that several models ran. */
function drawSuites(target, suites) {
  const models = seriesOf([...new Set(suites.map((suite) => suite.model))]);
  const { looks: outcomes, patterns } = outcomeLooks(suites);
  const key = suites.some((suite) => suite.curves?.length) ? [...curveKey] : [];
  if (suites.some((suite) => typeof suite.threshold === "number")) key.push(THRESHOLD);
  const groups = worstFirst([...Map.groupBy(suites, (suite) => suite.suite).values()], verdictOf);
  target.append(patterns, keyOf(key), ...groups.map((members, place) => {
    const open = groups.length === 1 || (place < MOST_OPEN && !["passed", "no significant drop", "reported"].includes(verdictOf(members)));
    return folded(suiteInShort(members, models), (body) => fill(body, members, models, outcomes), { open, class: "line" });
  }));
}

function verdictOf(members) {
  return worstFirst(members, (suite) => suite.verdict)[0].verdict;
}

function suiteInShort(members, models) {
  const several = members.length > 1;
  return [
    verdictBadge(verdictOf(members)), " ", briefSuite(members[0].suite), " ",
    element("span", { class: "rated" }, members.map((suite) => element("span", {},
      several ? `${models.get(suite.model).label} ` : "", element("b", {}, rated(suite)),
      several ? null : element("span", { class: "reason" }, interval(wholeRate(suite)))))),
  ];
}

function rated(suite) {
  return `${rate(wholeRate(suite))}${suite.fittedRate ? " fitted" : ""}`;
}

function fill(body, members, models, outcomes) {
  const several = members.length > 1;
  body.append(several
    ? table(["Model", "Verdict", "Pass rate, 95 % interval", "How the samples ended", "Samples by outcome"], members.map((suite) => [
      modelName(models.get(suite.model)), verdictBadge(suite.verdict),
      [element("b", {}, rated(suite)), element("span", { class: "reason" }, interval(wholeRate(suite)))], ...outcomeBar(suite, outcomes),
    ]), { class: "rows models" })
    : element("div", { class: "ended" }, outcomeBar(members[0], outcomes).map((one) => element("div", {}, one))));
  const charts = [members.filter((suite) => suite.bySize.some((point) => point.rate.total)), members.filter((suite) => suite.hops).map(survival)];
  const parts = [
    ...charts.filter((some) => some.length).map((some) => [null, drawAccuracy, { members: some, looks: models }]),
    ...members.flatMap((suite) => [
      suite.confusion && [suite, drawConfusion, suite],
      [suite, (holder) => holder.append(list(facts(suite), { class: "facts" }), figuresOf(suite) ?? "")],
    ]),
  ].filter(Boolean);
  const holders = parts.map(([suite]) => element("div", {}, several && suite ? element("h3", {}, text(suite.model)) : null));
  body.append(element("div", { class: "parts" }, holders));
  parts.forEach(([, draw, data], at) => draw(holders[at], data)); // a chart measures the room that it has
}

/* The share of formulas whose meaning survived so many hops, as an accuracy. */
function survival({ suite, model, hops }) {
  return { suite, model, sizeName: "hops", bySize: hops.map((one) => ({ size: one.hop, rate: one.rate })), rate: hops.at(-1).rate };
}

function facts({ calls, leaked, askedAgain, luck, blame, errorMessages, sizesWithoutSamples }) {
  const errors = errorMessages.map((one) => element("div", {}, harmless(`${number(one.count)} × ${one.message}`)));
  const spent = [
    `${number(calls.number)}${purposes(calls)}${calls.replayed ? ` (${number(calls.replayed)} answered by recordings)` : ""}`,
    calls.promptTokens === null ? null : `${number(calls.promptTokens)} tokens in, ${number(calls.completionTokens)} out`,
    calls.cost === null ? null : dollars(calls.cost),
  ];
  return [
    ["Copies", leaked ? `${count(leaked, "description")} copied the formula` : null],
    ["Asked again", askedAgain ? `for ${count(askedAgain, "answer")} without the form` : null],
    ["Chance level", luck || null],
    ["Meaning lost", blame ? `${number(blame.description)} when describing, ${number(blame.reading)} when reading, ${number(blame.undecided)} unclear` : null],
    ["Errors", errors.length ? errors : null],
    ["Nothing of size", sizesWithoutSamples.join(", ") || null],
    ["Calls", spent.filter(Boolean).join(", ")],
  ];
}

/* What calls were for, where not only for samples. */
function purposes({ byPurpose }) {
  const parts = Object.entries(byPurpose).map(([purpose, one]) => `${number(one.number)} for ${purpose}`);
  return parts.length > 1 ? ` (${parts.join(", ")})` : "";
}

/* What else is known of a suite, line by line; the confusion matrix says its own figures. */
function figuresOf({ confusion, figures, spreads }) {
  const told = [...(confusion ? [] : figures), ...spreads];
  return told.length ? folded("More figures", (body) => body.append(element("ul", { class: "plain" }, told.map((line) => element("li", {}, text(line)))))) : null;
}

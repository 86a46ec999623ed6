/* What stands above the samples: verdict, comparison, counterexamples, suites, the rest. An empty section is left out. */

/* Gates that need no attention are folded away once there are more of them than this. */
const GATES_SHOWN = 8;
/* Counterexamples that are open. */
const OPEN = 3;

const stands = (gate) => ["passed", "no significant drop", "reported"].includes(gate.verdict);

/* The gates, worst first as the report orders them. Those that stand can be folded away where they are many. */
function gates(report) {
  const several = new Set(report.gates.map(({ model }) => model)).size > 1;
  const made = table(["Suite", several && "Model", "Verdict", "Why"].filter(Boolean), report.gates.map((gate) => [
    suiteName(gate.suite), several && text(gate.model, { class: "model" }), verdictBadge(gate.verdict),
    [gate.kind === "baseline" && "Against the baseline: ", text(gate.reason)],
  ].filter(Boolean)), { class: "rows gates" });
  const standing = report.gates.filter(stands).length;
  if (standing <= 2 || (standing <= GATES_SHOWN && standing === report.gates.length)) return [made];
  const rows = [...made.tBodies[0].rows].slice(-standing);
  const button = element("button", { type: "button", on: { click: () => fold(!rows[0].hidden) } });
  const fold = (hidden) => {
    for (const row of rows) row.hidden = hidden;
    made.tHead.hidden = hidden && standing === report.gates.length;
    button.textContent = `${hidden ? "Show" : "Hide"} the ${count(standing, standing === report.gates.length ? "gate" : "other gate")}`;
    button.setAttribute("aria-expanded", String(!hidden));
  };
  fold(true);
  return [made, button];
}

/* What was run, and what the words of the verdict mean. */
function extent({ suites, gates: all }) {
  const models = [...new Set(suites.map(({ model }) => model))];
  const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);
  const calls = suites.map((suite) => suite.calls);
  const kinds = new Set(all.map((gate) => gate.kind));
  return [
    element("p", {}, `${count(sum(suites.map((suite) => suite.samples)), "sample")} of ${count(new Set(suites.map(({ suite }) => suite)).size, "suite")}, by `,
      models.length > 4 ? count(models.length, "model") : models.flatMap((model, at) => [at ? ", " : "", text(model)]),
      `: ${count(sum(calls.map((one) => one.number)), "call")}, ${number(sum(calls.map((one) => one.promptTokens)))} tokens in, ${number(sum(calls.map((one) => one.completionTokens)))} out, ${dollars(sum(calls.map((one) => one.cost)))}.`),
    element("p", {}, "A suite is a test that asks a model about many samples. Its pass rate is the share of samples that passed. ",
      "A gate compares the pass rate with the suite’s threshold. ",
      kinds.has("baseline") && "A gate against the baseline compares it with earlier results on the same formulas. ",
      "The 95 % interval is the range in which the true rate probably lies."),
  ];
}

/* A section whose content one of the drawing functions makes. */
function drawn(id, name, title, draw, data, about = null) {
  if (!data || data.length === 0) return null;
  const holder = element("div", { class: "drawing chart" });
  return { id, name, title, about, content: [holder], after: () => drawInto(holder, draw, data) };
}

/* What a comparison leaves out, or cannot vouch for. */
function reservations(comparison) {
  const only = (some, where) => some.count > 0 && [`${count(some.count, "formula")} occur only ${where} and were not compared: `,
    some.some.map((formula, at) => [at ? ", " : "", text(formula, { class: "formula" })]), some.count > some.some.length ? " …" : ""];
  return [...comparison.flags.map((flag) => text(flag)), only(comparison.onlyHere, "in this run"), only(comparison.onlyThere, "in the baseline")]
    .filter(Boolean).map((said) => element("li", {}, briefSuite(comparison.suite), ": ", said));
}

function comparisons(report) {
  const section = drawn("comparisons", "Baseline", "Against the baseline", drawComparisons, report.comparisons,
    "The baseline is an earlier run. Each suite is compared on the formulas that both runs answered. Won: only this run was right. Lost: only the baseline was right.");
  const notes = report.comparisons.flatMap(reservations);
  if (notes.length) section.content.push(folded(`What limits the comparison (${number(notes.length)})`, (body) => body.append(element("ul", { class: "plain" }, notes))));
  return section;
}

/* The table of sentences in logic: tasks and data sets down, models and forms across. */
function forms({ benchmark }) {
  if (!benchmark) return null;
  const several = new Set(benchmark.columns.map(({ model }) => model)).size > 1;
  const heads = ["Task", "Data set", ...benchmark.columns.map(({ model, form }) => ({ name: several ? `${harmless(model)} ${form}` : form }))];
  return {
    id: "forms",
    name: "Scores",
    title: "Scores in English and in formulas",
    about: "NL: the items in English. FOL: the items as formulas. Mean ± standard deviation over repeats.",
    content: [table(heads, benchmark.lines.map(({ task, dataSet, cells }) => [text(task), text(dataSet), ...cells]),
      { caption: "Scores by task, data set, model and form" })],
  };
}

const STATUSES = { new: KINDS["model failure"], "still failing": KINDS["model failure"], undecided: KINDS.undecided, fixed: KINDS.pass };

function kept(report) {
  if (!report.kept.length) return null;
  return {
    id: "kept",
    name: "Kept",
    title: "Kept counterexamples",
    about: "Formulas that failed in an earlier run and were asked again.",
    content: [table(["Formula", "Status", "Suite", "Fails now", "First seen", "Last seen"], report.kept.map((one) => [
      [text(one.formula || one.file, { class: "formula" }), one.problem ? element("p", { class: "about" }, text(one.problem)) : null],
      badge(STATUSES[one.status] ?? KINDS.error, one.status),
      one.suite ? suiteName(one.suite) : "–",
      one.failing.length ? one.failing.map((model) => element("div", {}, text(model, { class: "model" }))) : "–",
      text(one.firstSeen || "–"), text(one.lastSeen || "–"),
    ]), { caption: "Kept counterexamples" })],
  };
}

/* What of a counterexample is shown unopened: candidates and premises in the form that the model was asked in. */
function exampleStory({ row, history }) {
  const formal = row.form === "formulas";
  const answer = ["translation", "answered", "answer"].find((key) => known(row[key]));
  const keys = ["sentence", row.formula ? "formula" : "formalization", "other", formal ? "premises_formulas" : "premises", "conclusion", formal ? "candidates" : "candidates_english",
    "trace", "expected", "description", answer, known(row.expected) ? null : "error"];
  return story(row, keys, [
    ["Witness", row.witness_text ? lines(row.witness_text, { class: "formula" }) : null], ["Simplified", history ? lines(history, { class: "prose" }) : null],
  ]);
}

/* Of each suite and model the smallest example of each kind of failure, those of gates that failed first. */
function counterexamples(report) {
  if (!report.counterexamples.length) return null;
  const several = new Set(report.suites.map(({ model }) => model)).size > 1;
  const failed = new Set(report.gates.filter((gate) => !stands(gate)).map(({ suite, model }) => `${suite}\n${model}`));
  const urgent = ({ row }) => failed.has(`${row.suite}\n${row.model}`);
  const ordered = report.counterexamples.toSorted((a, b) => urgent(b) - urgent(a));
  return {
    id: "counterexamples",
    name: "Counterexamples",
    title: "Smallest counterexamples",
    about: "For each suite the smallest sample of each kind of failure. A witness is a case on which the two formulas disagree.",
    content: ordered.map((example, place) => folded([
      briefSuite(example.row.suite), " ", outcomeBadge(example.row.outcome, example.kind), " ",
      several ? text(example.row.model, { class: "model" }) : null, " ", element("span", { class: "reason" }, count(example.samples, "sample")),
    ], (body) => {
      body.append(element("div", { class: "parts" }, exampleStory(example), witnessDrawing(example.row)), example.command ? command(example.command) : "");
    }, { open: place < OPEN, class: "line" })),
  };
}

/* Draws what stands above the samples, and gives the sections' identifiers and short names. */
function drawOverview(report) {
  byId("gates").append(...gates(report));
  if (report.notes.length) byId("gates").append(element("ul", { class: "plain" }, report.notes.map((note) => element("li", {}, text(note)))));
  const { sign, name } = VERDICTS[report.verdict.outcome];
  byId("headline").classList.add(`tone-${name}`);
  if (report.verdict.outcome !== "reported") byId("headline").dataset.mark = sign;
  byId("extent").append(...extent(report));
  const sections = [
    comparisons(report),
    drawn("trends", "Trends", "Trends over the runs", drawTrends, report.trends),
    report.standing && drawn("models", "Models", "Models side by side", drawStanding, report),
    drawn("readers", "Readers", "Who describes, who reads", drawReaders, report.readers),
    counterexamples(report),
    drawn("suites", "Suites", "Suites", drawSuites, report.suites, "Open a suite to see how its samples ended, and its pass rate over the size of the formulas."),
    forms(report),
    drawn("slices", "Weak spots", "Formulas that fail more often", drawSlices, report.slices),
    wholeSet(report),
    kept(report),
  ].filter(Boolean);
  const holder = byId("overview-sections");
  for (const { id, title, about, content, after } of sections) {
    holder.append(element("section", { id, "aria-labelledby": `${id}-title`, tabindex: "-1" },
      element("h2", { id: `${id}-title` }, title), about && element("p", { class: "about" }, about), ...content));
    after?.(); // drawings measure the room that they have, and so are made where they stand
  }
  return sections.map(({ id, name }) => ({ id, name }));
}

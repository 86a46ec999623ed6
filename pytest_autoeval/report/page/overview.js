/* What stands above the samples: verdict, matrix, and what is not of one suite. An empty section is left out. */

/* What was run. */
function extent({ suites, matrix: { models, rows } }) {
  const calls = (key) => d3.sum(suites, (suite) => suite.calls[key]);
  const names = models.flatMap((model, at) => [at ? ", " : "", text(model)]);
  return [`${count(d3.sum(suites, (suite) => suite.samples), "sample")} of ${count(rows.length, "suite")}, by `,
    ...(models.length > 4 ? [count(models.length, "model")] : names),
    `: ${count(calls("number"), "call")}, ${number(calls("promptTokens"))} tokens in, ${number(calls("completionTokens"))} out, ${dollars(calls("cost"))}.`];
}

/* A section whose content one of the drawing functions makes. */
function drawn(id, name, title, draw, data, about = null) {
  if (!data || data.length === 0) return null;
  const holder = element("div", { class: "drawing chart" });
  return { id, name, title, about, content: [holder], after: () => drawInto(holder, draw, data) };
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

/* Draws what stands above the samples, and gives the sections' identifiers and short names. */
function drawOverview(report) {
  const { sign, name } = VERDICTS[report.verdict.outcome] ?? VERDICTS.reported;
  byId("headline").classList.add(`tone-${name}`);
  if (report.verdict.outcome !== "no gate") byId("headline").dataset.mark = sign;
  if (report.suites.length) byId("extent").append(...extent(report));
  const sections = [
    report.suites.length && drawn("suites", "Suites", "Pass rates", drawMatrix, report),
    drawn("trends", "Trends", "Trends over the runs", drawTrends, report.trends),
    drawn("readers", "Readers", "Who describes, who reads", drawReaders, report.readers),
    agreement(report),
    questions(report),
    forms(report),
    wholeSet(report),
  ].filter(Boolean);
  const holder = byId("overview-sections");
  for (const { id, title, about, content, after } of sections) {
    holder.append(element("section", { id, "aria-labelledby": `${id}-title`, tabindex: "-1" },
      element("h2", { id: `${id}-title` }, title), about && element("p", { class: "about" }, about), ...content));
    after?.(); // drawings measure the room that they have, and so are made where they stand
  }
  return sections.map(({ id, name }) => ({ id, name }));
}

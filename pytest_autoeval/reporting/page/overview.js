/* What stands above the samples: the verdict and why, then the figures. A section with nothing to say is left out. */
(() => {
  "use strict";

  const { badge, count, dollars, element, interval, lines, list, number, rate, suiteName, table, text, verdictBadge, wholeRate } = autoeval;

  /* Gates that need no attention are folded away once there are more of them than this. */
  const GATES_SHOWN = 8;

  function gateTable(gates, caption) {
    const columns = ["Verdict", "Gate", "Suite, model", "Why"].map((name) => ({ name }));
    return table(caption, columns, gates.map((gate) => [
      verdictBadge(gate.verdict), gate.kind, [suiteName(gate.suite), text(gate.model, { class: "model" })], text(gate.reason),
    ]));
  }

  /* The gates, worst first as the report orders them; those that stand are folded where they are many. */
  function gates(report) {
    const stands = (gate) => gate.verdict === "passed" || gate.verdict === "reported";
    const open = report.gates.filter((gate) => !stands(gate));
    const closed = report.gates.filter(stands);
    const shown = [];
    if (open.length) shown.push(gateTable(open, "Gates that did not pass"));
    if (closed.length && (closed.length > GATES_SHOWN || (open.length && closed.length > 2))) {
      shown.push(element("details", {}, element("summary", {}, `${count(closed.length, "gate")} passed or reported`),
        gateTable(closed, "Gates that passed or are reported")));
    } else if (closed.length) {
      shown.push(gateTable(closed, "Gates that passed or are reported"));
    }
    if (report.notes.length) {
      shown.push(element("ul", { class: "notes" }, report.notes.map((note) => element("li", {}, text(note)))));
    }
    return shown;
  }

  const MORE = (some) => (some.count > some.some.length ? ` and ${number(some.count - some.some.length)} more` : "");

  /* What a comparison leaves out, or cannot vouch for. */
  function reservations(comparison) {
    const only = (some, where) => some.count > 0 && element("details", {},
      element("summary", {}, `${count(some.count, "formula")} ${where}, not compared`),
      element("ul", { class: "plain" }, some.some.map((formula) => element("li", {}, text(formula, { class: "formula" }))), MORE(some)));
    const said = [
      comparison.flags.length > 0 && element("ul", { class: "plain" }, comparison.flags.map((flag) => element("li", {}, text(flag)))),
      only(comparison.onlyHere, "of this run alone"),
      only(comparison.onlyThere, "of the baseline alone"),
    ].filter(Boolean);
    return said.length ? element("article", { class: "card" },
      element("h3", {}, suiteName(comparison.suite), " ", text(comparison.model, { class: "model" })), said) : null;
  }

  function comparisons(report) {
    const section = drawn("comparisons", "Baseline", "Against the baseline", autoeval.drawComparisons, report.comparisons);
    const cards = report.comparisons.map(reservations).filter(Boolean);
    if (section && cards.length) section.content.push(element("div", { class: "cards" }, cards));
    return section;
  }

  /* A section whose content one of the drawing functions makes. */
  function drawn(id, name, title, draw, data) {
    if (data.length === 0) return null;
    const holder = element("div", { class: "drawing" });
    return { id, name, title, content: [holder], after: () => autoeval.drawInto(holder, draw, data) };
  }

  function confusion(report) {
    const judged = report.suites.filter((suite) => suite.confusion);
    if (!judged.length) return null;
    const holders = judged.map((suite) => [suite, element("div", { class: "drawing" })]);
    return {
      id: "confusion",
      name: "Confusion",
      title: "Confusion matrices",
      content: [element("div", { class: "cards" }, holders.map(([suite, holder]) => (
        element("article", { class: "card" },
          element("h3", {}, suiteName(suite.suite), " ", text(suite.model, { class: "model" })), holder))))],
      after: () => holders.forEach(([suite, holder]) => autoeval.drawInto(holder, autoeval.drawConfusion, suite)),
    };
  }

  function numbers(report) {
    const columns = [
      { name: "Suite" }, { name: "Model" }, { name: "Samples", number: true }, { name: "Pass rate", number: true },
      { name: "95 % interval", number: true }, { name: "Leaked", number: true }, { name: "Calls", number: true },
      { name: "Replayed", number: true }, { name: "Tokens in", number: true }, { name: "Tokens out", number: true }, { name: "Cost", number: true },
    ];
    const rows = report.suites.map((suite) => [
      suiteName(suite.suite), text(suite.model), number(suite.samples), [rate(wholeRate(suite)), suite.fittedRate && " fitted"], interval(wholeRate(suite)), number(suite.leaked),
      number(suite.calls.number), number(suite.calls.replayed), number(suite.calls.promptTokens), number(suite.calls.completionTokens),
      dollars(suite.calls.cost),
    ]);
    const failed = (suite) => suite.errorMessages.map((one) => `${number(one.count)} × ${one.message}`);
    const further = report.suites.filter((suite) => (
      suite.figures.length || suite.spreads.length || suite.blame || suite.errorMessages.length));
    return {
      id: "numbers",
      name: "Numbers",
      title: "In numbers",
      content: [
        table("Rates, calls and costs by suite and model", columns, rows),
        further.length ? element("div", { class: "cards" }, further.map((suite) => element("article", { class: "card" },
          element("h3", {}, suiteName(suite.suite), " ", text(suite.model, { class: "model" })),
          element("ul", { class: "plain" },
            [...suite.figures, ...suite.spreads, ...failed(suite)].map((line) => element("li", {}, text(line)))),
          suite.blame && list([
            ["Lost in the description", number(suite.blame.description)],
            ["Lost in the reading", number(suite.blame.reading)],
            ["Could not be told", number(suite.blame.undecided)],
          ], { class: "facts" })))) : null,
      ],
    };
  }

  /* The table of sentences in logic: tasks and data sets down, models and forms across. */
  function forms(report) {
    if (!report.benchmark) return null;
    const { columns, lines: scored } = report.benchmark;
    const heads = [{ name: "Task" }, { name: "Data set" },
      ...columns.map(({ model, form }) => ({ name: `${autoeval.harmless(model)} ${form}`, number: true }))];
    return {
      id: "forms",
      name: "Forms",
      title: "Scores by form",
      content: [
        element("p", { class: "about" }, "NL: in English, FOL: in formulas. Mean ± standard deviation over repeats."),
        table("Scores by task, data set, model and form", heads,
          scored.map(({ task, dataSet, cells }) => [text(task), text(dataSet), ...cells])),
      ],
    };
  }

  const STATUSES = {
    new: { sign: "✗", name: "bad" },
    "still failing": { sign: "✗", name: "bad" },
    undecided: { sign: "?", name: "undecided" },
    fixed: { sign: "✓", name: "good" },
    "not asked": { sign: "!", name: "warn" },
  };

  function kept(report) {
    if (!report.kept.length) return null;
    const columns = ["Status", "Formula", "Suite", "Fails now", "First seen", "Last seen"].map((name) => ({ name }));
    const day = (date) => element("span", { class: "day" }, text(date || "–"));
    return {
      id: "kept",
      name: "Kept",
      title: "Kept counterexamples",
      content: [table("Kept counterexamples", columns, report.kept.map((one) => [
        badge(STATUSES[one.status] ?? STATUSES["not asked"], one.status),
        [text(one.formula || one.file, { class: "formula" }), one.problem ? element("p", { class: "about" }, text(one.problem)) : null],
        one.suite ? suiteName(one.suite) : "–",
        one.failing.length ? one.failing.map((model) => element("div", {}, text(model, { class: "model" }))) : "–",
        day(one.firstSeen), day(one.lastSeen),
      ]))],
    };
  }

  function counterexample(example) {
    const { row } = example;
    const drawing = element("div", { class: "drawing" });
    const shown = [
      ["Sentence", row.sentence], ["Formula", row.formula, "formula"], ["Second formula", row.other, "formula"],
      ["Premises", Array.isArray(row.premises) ? autoeval.numbered(row.form === "formulas" ? row.premises_formulas : row.premises) : null],
      ["Conclusion", row.conclusion],
      ["Candidates", Array.isArray(row.candidates) ? autoeval.numbered(row.form === "formulas" ? row.candidates : row.candidates_english) : null],
      ["Trace", row.trace === row.answer ? null : row.trace, "formula"],
      ["Right answer", row.expected === null || row.expected === undefined ? null : autoeval.answer(row.expected) ?? JSON.stringify(row.expected)],
      ["Description", row.description], [row.translation ? "Came back as" : "Answer", row.translation ?? row.answer, row.translation ? "formula" : null],
      ["Witness", row.witness_text, "formula"], ["Message", row.witness_text ? null : row.error], ["Shrunk", example.history || null],
    ];
    const card = element("article", { class: "card counterexample" },
      element("h3", {}, autoeval.outcomeBadge(row.outcome, example.kind), " ", element("span", { class: "times" }, count(example.samples, "sample"))),
      element("p", { class: "about" }, suiteName(row.suite), " ", text(row.model, { class: "model" })),
      list(shown.map(([name, said, type]) => [name, said === null || said === undefined ? null : lines(said, { class: type ?? "prose" })]), { class: "story" }),
      drawing,
      example.command ? autoeval.command(example.command) : null);
    return { card, draw: () => autoeval.drawInto(drawing, autoeval.drawWitness, row) };
  }

  function counterexamples(report) {
    if (!report.counterexamples.length) return null;
    const made = report.counterexamples.map(counterexample);
    return {
      id: "counterexamples",
      name: "Counterexamples",
      title: "Smallest counterexamples",
      content: [element("div", { class: "cards wide" }, made.map(({ card }) => card))],
      after: () => made.forEach(({ draw }) => draw()),
    };
  }

  /* What was run, in a line. */
  function extent(report) {
    const models = [...new Set(report.suites.map(({ model }) => model))];
    const suites = new Set(report.suites.map(({ suite }) => suite)).size;
    const samples = report.suites.reduce((sum, suite) => sum + suite.samples, 0);
    return [`${count(samples, "sample")} of ${count(suites, "suite")}, by `,
      models.length > 4 ? count(models.length, "model") : models.flatMap((model, at) => [at ? ", " : "", text(model)])];
  }

  /* Draws what stands above the samples, and gives the sections' identifiers and short names. */
  function drawOverview(report) {
    document.getElementById("gates").append(...gates(report));
    document.getElementById("headline").classList.add(report.verdict.outcome);
    document.getElementById("extent").append(...extent(report).flat());
    const sections = [
      report.standing && drawn("models", "Models", "Models side by side", autoeval.drawStanding, report),
      drawn("accuracy", "Accuracy", "Accuracy over size", autoeval.drawAccuracy, report.suites),
      drawn("hops", "Hops", "Meaning that survives each hop", autoeval.drawHops, report.suites.filter((suite) => suite.hops)),
      drawn("readers", "Readers", "Who describes, who reads", autoeval.drawReaders, report.readers ?? []),
      drawn("outcomes", "Outcomes", "How samples ended", autoeval.drawOutcomes, report.suites),
      confusion(report),
      forms(report),
      numbers(report),
      drawn("slices", "Slices", "Formulas that fail more", autoeval.drawSlices, report.slices),
      comparisons(report),
      kept(report),
      counterexamples(report),
    ].filter(Boolean);
    const holder = document.getElementById("overview-sections");
    for (const { id, title, content, after } of sections) {
      holder.append(element("section", { id, "aria-labelledby": `${id}-title`, tabindex: "-1" },
        element("h2", { id: `${id}-title` }, title), ...content.filter(Boolean)));
      after?.(); // drawings measure the room that they have, and so are made where they stand
    }
    return sections.map(({ id, name }) => ({ id, name }));
  }

  globalThis.autoeval = Object.assign(globalThis.autoeval, { drawOverview });
})();

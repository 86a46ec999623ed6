/* One sample, opened: question, answer, witness, calls, and the command that reproduces it. */

/* What is read first, in this order, each with its label; what is a formula stands in a formula's type. */
const STORY = [
  ["sentence", "Sentence"],
  ["paraphrased", "Paraphrase that the model read"],
  ["propositions", "Propositions"],
  ["text", "Text to judge", "formula"],
  ["premises", "Premises"],
  ["premises_formulas", "Premises in logic", "formula"],
  ["conclusion", "Conclusion"],
  ["glossary", "Names"],
  ["formula", "Formula", "formula"],
  ["formalization", "Formula of the sentence", "formula"],
  ["translation", "Translation", "formula"],
  ["compared", "Formula that the test compared", "formula"],
  ["compared_with", "Compared with", "formula"],
  ["other", "Second formula", "formula"],
  ["candidates", "Candidates", "formula"],
  ["candidates_english", "Candidates in English"],
  ["kinds", "What the candidates are"],
  ["edits", "How the candidates were made"],
  ["trace", "Trace", "formula"],
  ["expected", "Right answer"],
  ["description", "Description"],
  ["description_read", "Text that was read"],
  ["reader", "Read by"],
  ["answer", "Answer"],
  ["answered", "Answer as read"],
  ["relation", "Translation against formula"],
  ["error_kind", "Kind of mistake"],
  ["problem", "Problem"],
  ["ontology", "Symbols", "formula"],
  ["alignment", "Aligned names"],
  ["alignment_basis", "Aligned by"],
  ["first_description", "Description before refinement"],
  ["first_answer", "First answer"],
  ["first_outcome", "Outcome of the first answer"],
  ["error", "What went wrong"],
];
const entriesOf = (value) => (Array.isArray(value) ? numbered(value.map(words)) : words(value));
const answered = (value) => answer(value) ?? words(value);
/* The text of values that are neither plain nor tables of names and values. */
const TOLD = {
  premises: entriesOf, premises_formulas: entriesOf, candidates: entriesOf, candidates_english: entriesOf, kinds: entriesOf, edits: entriesOf,
  expected: answered, answered,
  ontology: (symbols) => (Array.isArray(symbols) ? symbols.map(([symbol, , gloss]) => `${symbol}: ${gloss}`).join("\n") : words(symbols)),
};
/* Shown elsewhere on the sheet. */
const ELSEWHERE = ["suite", "model", "outcome", "code", "witness", "witness_text", "sides", "calls", "blame", "drawing", "measures", "scores", "differences"];

/* A value of a row as text: pairs and tables become lines of names and values. */
function words(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.map((part) => (Array.isArray(part) ? part.map(words).join(" = ") : words(part))).join("\n");
  if (value !== null && typeof value === "object") {
    return Object.entries(value).map(([name, part]) => `${name} = ${words(part)}`).join("\n");
  }
  return String(value);
}

function known(value) {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/* What a row says, in order; of the `keys` alone where they are given. */
function story(row, keys = null, more = []) {
  const told = STORY.filter(([key]) => (keys?.includes(key) ?? true) && known(row[key])
    && !(key === "formula" && row.formula === "") && !(key === "trace" && row.trace === row.answer) && !(key === "error" && row.witness_text)
    && !(key === "answer" && row.translation && row.answer.trim() === row.translation.trim()));
  return list([...told.map(([key, label, type]) => {
    if (key === "formula") return [label, marked(row.formula, row.differences?.formula ?? [])];
    if (key === "translation") return readFormula(row);
    if (key === "formalization" && row.paraphrased) return ["Formula of the paraphrase", lines(words(row[key]), { class: type })];
    const said = (TOLD[key] ?? words)(row[key]);
    return [label, said.trim() ? lines(said, { class: type ?? "prose" }) : element("em", {}, "(empty)")];
  }), ...more], { class: "story" });
}

function sheetPart(title, ...content) {
  return element("section", {}, element("h3", {}, title), ...content);
}

function witness(row) {
  const shown = [row.witness_text && lines(row.witness_text, { class: "formula witness" }), witnessDrawing(row)].filter(Boolean);
  return shown.length ? sheetPart(row.witness ? "Witness: where the two formulas differ" : "Trace", ...shown) : null;
}

/* One answer of several to the same question: whose it is, how it was read, and where it differs. */
function answerCard({ row, kind, address, open }, here) {
  const name = element("span", {}, text(row.model), row.variant ? element("span", { class: "about" }, " ", text(row.variant)) : null);
  const said = known(row.answered) ? TOLD.answered(row.answered) : row.answer;
  return element("article", { class: "card" },
    element("h4", {}, row === here ? name : element("a", {
      href: address,
      on: { click: (event) => { event.preventDefault(); open(); } },
    }, name), " ", outcomeBadge(row.outcome, kind)),
    row.suite === here.suite || row.variant ? null : element("p", { class: "about" }, suiteName(row.suite)),
    row.reader ? element("p", { class: "about" }, "read by ", text(row.reader)) : null,
    list([
      [row.paraphrased ? `Paraphrase ${row.paraphrase}` : null, row.paraphrased && lines(row.paraphrased, { class: "prose" })],
      ["Formula of the sentence", row.formalization && lines(row.formalization, { class: "formula" })],
      ["Description", row.description && lines(row.description, { class: "prose" })],
      ["Text that was read", row.description_read && lines(row.description_read, { class: "prose" })],
      ["Read as", row.translation ? marked(row.translation, row.differences?.translation ?? []) : said && lines(said, { class: "prose" })],
      ["Formula that the test compared", row.compared && lines(row.compared, { class: "formula" })],
      ["Compared with", row.compared_with && lines(row.compared_with, { class: "formula" })],
      ["What went wrong", row.witness_text ? null : row.error && lines(row.error, { class: "prose" })],
    ], { class: "facts" }),
    row.witness_text ? lines(row.witness_text, { class: "formula witness" }) : null,
    witnessDrawing(row));
}

/* Where the answer differs; beside the answers of other models where there are some. */
function difference(opened, others) {
  if (!others.length) return witness(opened.row);
  const models = new Set([opened, ...others].map(({ row }) => row.model));
  return sheetPart(models.size > 1 ? "Every model’s answer" : "Every answer to this question", element("div", { class: "cards answers" }, [opened, ...others].map((one) => answerCard(one, opened.row))));
}

const LOST = {
  description: "The description lost the meaning. Given a correct description of this formula, the model reads it correctly.",
  reading: "The reading lost the meaning. The model also misreads a correct description of this formula.",
  undecided: "It is unclear whether the description or the reading lost the meaning.",
};

/* Nothing shows how the model reads a correct description if it was never given one. */
function lostWithoutCall(row) {
  const why = row.leaked ? "the description is a copy" : "the model gave no description";
  return `The description lost the meaning. The model was not asked to read a correct description: ${why}.`;
}

function blame(row) {
  if (!row.blame) return null;
  const { half, description, answer, translation, outcome, problem } = row.blame;
  return sheetPart("Where the meaning was lost",
    element("p", {}, half === "description" && !description ? lostWithoutCall(row) : LOST[half] ?? text(half)),
    list([
      ["Correct description", description && lines(description, { class: "prose" })],
      ["Answer to it", answer && lines(answer, { class: "prose" })],
      ["Formula in it", translation && lines(translation, { class: "formula" })],
      ["Outcome", outcome && text(outcome)],
      ["Reason", problem && lines(problem, { class: "prose" })],
    ], { class: "story" }));
}

/* The prompts, folded: they are long. */
function prompts(row) {
  const told = (row.calls ?? []).filter((call) => call.messages?.length);
  if (!told.length) return null;
  return sheetPart("Prompts", told.map((call) => element("details", {},
    element("summary", {}, text(call.stage ?? "–")),
    list(call.messages.map(({ role, content }) => [text(role), lines(content, { class: "prose" })]), { class: "facts" }))));
}

function calls(row) {
  if (!row.calls?.length) return null;
  const columns = [
    "Stage", { name: "Prompt tokens" }, { name: "Answer tokens" }, { name: "Time" }, { name: "Cost" }, "Finish reason", "Answered by", "Prompt digest",
  ];
  const live = row.model.startsWith("offline/") ? "offline model" : "server";
  return sheetPart("Calls", table(columns, row.calls.map((call) => [
    text(call.stage ?? "–"), number(call.prompt_tokens), number(call.completion_tokens), seconds(call.seconds), dollars(call.cost),
    text(call.finish_reason ?? "–"), call.replayed ? "recording" : live,
    element("span", { title: harmless(call.prompt_digest ?? "") }, text((call.prompt_digest ?? "–").slice(0, 12), { class: "formula" })),
  ]), { caption: "Calls to the model" }));
}

/* All other fields, so that nothing in the results file is hidden here. */
function rest(row) {
  const shown = new Set([...STORY.map(([key]) => key), ...ELSEWHERE]);
  const others = Object.entries(row).filter(([key, value]) => !shown.has(key) && known(value));
  const tables = ["measures", "scores"].filter((key) => known(row[key])).flatMap((key) => Object.entries(row[key]));
  const entry = ([key, value]) => [text(key.replaceAll("_", " ")),
    key === "verdict_seconds" ? seconds(value) : lines(words(value))];
  return element("details", {}, element("summary", {}, element("h3", {}, "All other fields of the row")),
    list([...others, ...tables].map(entry), { class: "facts" }));
}

/*
 * Fills the sheet with a sample; `others` are those with the same question, of other models or with other prompts, `turns` the buttons that
 * lead to its neighbours and close it.
 */
function fillSample(sheet, { others, turns, ...opened }) {
  const { place, row, kind, name } = opened;
  const position = `Sample ${number(place + 1)}`;
  sheet.replaceChildren(
    element("header", {},
      element("div", {},
        element("h2", { id: "sample-title", tabindex: "-1" }, name ? text(name) : position, " ", outcomeBadge(row.outcome, kind)),
        element("p", { class: "about" }, suiteName(row.suite), " ", text(row.model, { class: "model" }),
          name ? element("span", {}, position) : null, element("span", {}, `size ${row.operators ?? "–"}`), row.repeat ? element("span", {}, `repeat ${row.repeat + 1}`) : null,
          row.leaked ? element("span", { class: "flag" }, "the description copies the formula") : null)),
      element("div", { class: "turns" }, turns)),
    element("div", { class: "sheet-body", tabindex: "0" },
      ...[story(row), prompts(row), difference(opened, others), blame(row), calls(row),
        opened.command ? sheetPart("Reproduce", command(opened.command)) : null, rest(row)].filter(Boolean)));
}

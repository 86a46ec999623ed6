/* How far the answers to each sentence agree, and the questions that its author can decide. */

/* Disputed sentences that are open. */
const SENTENCES_OPEN = 3;

const digits = (value) => value.toFixed(2);
const ends = ({ low, high }, shown) => (shown(low) === shown(high) ? shown(low) : `${shown(low)}–${shown(high)}`);

/* The agreement of each model, and of all together. */
function agreementTable({ models }) {
  const several = new Set(models.map(({ suite }) => suite)).size > 1;
  const heads = [several && "Suite", "Model", { name: "In the largest class" }, { name: "95 % interval" }, { name: "Classes" }, { name: "Entropy, bits" }, { name: "95 % interval" }, { name: "Sentences" }];
  return table(heads.filter(Boolean), models.map(({ suite, model, share, classes, entropy, sentences }) => [
    several && briefSuite(suite),
    model ? text(model, { class: "model" }) : "all models",
    element("b", {}, `${ends(share, (value) => percent(value).replace(/\s*%$/, ""))} %`),
    `${percent(share.interval.low)} to ${percent(share.interval.high)}`,
    classes ? ends(classes, digits) : "–", entropy ? ends(entropy, digits) : "–",
    entropy ? `${digits(entropy.interval.low)} to ${digits(entropy.interval.high)}` : "–", number(sentences),
  ].filter((cell) => cell !== false)), { caption: "Agreement by model" });
}

/* The meanings of a sentence, the most frequent first: a bar for the share of answers, the formulas, who read them. */
function meanings({ meanings: classes, answers, unread }) {
  const bar = (size) => {
    const made = element("span", { class: "part", title: `${number(size)} of ${count(answers, "answer")}` });
    made.style.inlineSize = `${(100 * size) / answers}%`;
    return element("div", { class: "of-all" }, made);
  };
  const rows = classes.map((meaning) => [
    [number(meaning.answers), bar(meaning.answers)],
    [meaning.formulas.map(({ formula, readBy }) => element("div", {}, text(formula, { class: "formula" }), " ", text(readBy, { class: "reason" }))),
      meaning.contradicts ? element("p", { class: "about" }, "Contradicts an answer of the author: ", text(meaning.contradicts)) : null],
  ]);
  if (unread) rows.push([[number(unread), bar(unread)], "no formula"]);
  return table(["Answers", "Formulas of one meaning, and who read them"], rows, { caption: "Meanings of the sentence", class: "rows meanings" });
}

/* The section of the agreement; the sentences that were read in several ways, the least agreement first. */
function agreement(report) {
  const data = report.agreement;
  if (!data) return null;
  const disputed = data.sentences.filter((one) => one.meanings.length > 1).toSorted((a, b) => b.entropy.high - a.entropy.high);
  return {
    id: "agreement",
    name: "Agreement",
    title: "Agreement of the answers to each sentence",
    about: "The verifier sorts the formulas of a sentence into classes of equal meaning. One class means that all answers agree; they can still all be wrong. The entropy is 0 bits for one class, and 1 bit for two of the same size.",
    content: [
      agreementTable(data),
      disputed.length ? element("p", {}, `${count(disputed.length, "sentence")} of ${number(data.sentences.length)} ${disputed.length === 1 ? "was" : "were"} read in several ways${disputed.some(({ classes }) => classes.low === 1) ? ", as far as could be decided" : ""}:`) : null,
      ...disputed.map((one, place) => folded([
        one.place ? [text(one.place, { class: "file" }), " "] : null, text(one.sentence), " ",
        element("span", { class: "reason" }, `${ends(one.classes, String)} meanings, ${ends(one.entropy, digits)} bits`),
      ], (body) => body.append(meanings(one)), { open: place < SENTENCES_OPEN, class: "line" })),
    ].filter(Boolean),
  };
}

/* The section of the questions: each with the formulas that yes and no stand for. */
function questions(report) {
  const line = ({ place }) => Number(place.slice(place.lastIndexOf(":") + 1)) || 0;
  const asked = (report.agreement?.sentences ?? []).filter(({ question }) => question).toSorted((a, b) => line(a) - line(b));
  if (!asked.length) return null;
  return {
    id: "questions",
    name: "Questions",
    title: "Questions for the author",
    about: "Each question names a case that one reading of the sentence allows and another does not. Write the answers into the file of this command; the next run then checks every formula against them.",
    content: [
      command("python -m pytest_autoeval questions RESULTS.jsonl --csv requirements.answers.csv"),
      element("ol", { class: "questions" }, asked.map(({ place, question, meanings: classes }) => element("li", {},
        element("p", {}, text(question.text), place ? [" ", text(place, { class: "file" })] : null),
        list([["yes", "yes"], ["no", "no"]].map(([answer, key]) => {
          const { formulas } = classes[question[key]];
          return [answer, [text(formulas[0].formula, { class: "formula" }), " ", text(`read by ${formulas.map(({ readBy }) => readBy).join(", ")}`, { class: "reason" })]];
        }), { class: "answers" })))),
    ],
  };
}

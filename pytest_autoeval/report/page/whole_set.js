/* What the sentences say as a whole: what `check --formulas` found. */

/* What was proved, as a sentence. */
const provedBy = ({ words }, { proved }) => `${words[proved][0].toUpperCase()}${words[proved].slice(1)}.`;
const CUT = { time: "The time limit ended the check: this is not all.", interrupted: "The check was interrupted: this is not all." };

/* Sentences with their formulas, in the order of their identifiers. */
function sentencesOf(set, items) {
  const known = new Map(set.sentences.map((one) => [one.item, one]));
  return table(["Id", "Sentence", "Formula"], items.map((item) => [
    text(item), [text(known.get(item).sentence), known.get(item).group && element("span", { class: "reason" }, text(known.get(item).group))],
    text(known.get(item).formula, { class: "formula" }),
  ]), { caption: "Sentences with their formulas" });
}

function findings(title, all) {
  return all.length ? [element("h3", {}, title), ...all] : [];
}

/* Whether a claim on all sentences is one on those with a formula. */
function withFormula(set) {
  return set.without_formula.length ? " with a formula" : "";
}

/* The sentences that had to be left out for the others to hold together. */
function witnessOf(set) {
  if (!set.witness_text) return [];
  const found = new Set([...set.never_true, ...set.contradictions.flatMap((one) => one.sentences)]);
  const left = set.sentences.map(({ item }) => item).filter((item) => found.has(item) && !set.kept.includes(item));
  const title = left.length ? ["Without ", text(left.join(", ")), " the others can hold together, as here"] : [`All sentences${withFormula(set)} can hold together, as here`];
  return findings(title, [element("p", { class: "prose" }, text(set.witness_text))]);
}

function wholeSet({ wholeSet: set }) {
  if (!set) return null;
  const one = (items, words) => element("div", {}, sentencesOf(set, items), element("p", { class: "about" }, words));
  const names = (title, all) => findings(title, all.length ? [element("p", {}, text(all.join(", ")))] : []);
  return {
    id: "whole-set",
    name: "Whole set",
    title: "The whole set",
    about: [text(`${count(set.sentences.length, "sentence")} of ${set.file}, with the formulas by ${set.model}. `), CUT[set.stopped] ?? ""],
    content: [
      set.contradictions.length || set.never_true.length ? null : element("p", {}, set.satisfiable ? `No sentences${withFormula(set)} contradict each other.` : "No contradiction was found. Whether all sentences can hold together was not decided."),
      ...findings("Contradictions", set.contradictions.map((core, number) => one(core.sentences, [number && core.proved === "smallest" ? "Of the sentences that are not above: " : "", provedBy(set, core)]))),
      ...findings("Never true", set.never_true.length ? [sentencesOf(set, set.never_true)] : []),
      ...findings("Always true", set.always_true.length ? [sentencesOf(set, set.always_true)] : []),
      ...witnessOf(set),
      ...findings("Repeated: the same meaning", set.repeats.map((group) => sentencesOf(set, group))),
      ...findings("Follows from others", set.consequences.map((found) => one([found.sentence], ["Follows from ", text(found.premises.join(", ")), ". ", provedBy(set, found)]))),
      ...names("Names in one sentence only", set.names_used_once.map(({ name, item }) => `${name} (${item})`)),
      ...names("Names of the glossary that no formula uses", set.unused_names),
      ...findings("Undecided within the time limits", Object.entries(set.undecided).map(([kind, cases]) => element("p", {}, set.words[kind], ": ", text(cases.map((some) => some.join(" and ")).join(", "))))),
      ...findings("Without a formula", set.without_formula.map(({ item, sentence, why }) => element("p", {}, text(`${item}: ${sentence} (${why})`)))),
    ].filter(Boolean),
  };
}

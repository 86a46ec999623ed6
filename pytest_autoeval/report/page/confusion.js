/* How a question of two answers was answered: the matrix with its counts, the rates read off it, and both by size. */

const share = (part, whole) => (whole ? part / whole : null);

/* The rates of a matrix, by statistics/classification.py; null where it is not defined. */
function ratesOf({ truePositive: tp, falsePositive: fp, trueNegative: tn, falseNegative: fn, unreadable }) {
  const readable = tp + fp + tn + fn;
  const ofAll = unreadable ? [["accuracy of all", share(tp + tn, readable + unreadable), "unreadable counts as wrong"]] : [];
  return [
    ["accuracy", share(tp + tn, readable), unreadable ? "of readable answers" : ""], ...ofAll,
    ["precision", share(tp, tp + fp), "of answers yes"],
    ["recall", share(tp, tp + fn), "where the right answer is yes"],
    ["specificity", share(tn, tn + fp), "where the right answer is no"],
    ["F1", share(2 * tp, 2 * tp + fp + fn), ""],
    ["Cohen’s kappa", share(2 * (tp * tn - fp * fn), (tp + fp) * (tn + fp) + (tp + fn) * (tn + fn)), ""],
  ];
}

/* Fills an element with the confusion matrix of a suite and model. */
function drawConfusion(target, { confusion: matrix, sizeName = "size" }) {
  target.append(element("div", { class: "confusion" }, square(matrix), rateList(matrix)));
  if (matrix.bySize?.length > 1) {
    target.append(folded(`By ${sizeName}`, (body) => body.append(bySize(matrix.bySize, sizeName)), { class: "chart-numbers" }));
  }
}

function square({ truePositive, falsePositive, trueNegative, falseNegative, unreadable }) {
  const yes = truePositive + falseNegative;
  const no = trueNegative + falsePositive;
  const most = Math.max(truePositive, falsePositive, trueNegative, falseNegative, 1);
  const cell = (number_, whole, right) => {
    const made = element("td", { class: right ? "right" : "wrong" },
      element("span", { class: "mark", "aria-hidden": "true" }, right ? "✓" : "✗"),
      element("b", {}, number(number_)),
      element("span", { class: "share" }, whole ? percent(number_ / whole) : "–"),
      element("span", { class: "unseen" }, right ? " right" : " wrong"));
    made.style.setProperty("--weight", `${Math.round((55 * number_) / most)}%`);
    return made;
  };
  const made = element("table", { class: "matrix" },
    element("thead", {},
      element("tr", {}, element("td", { rowspan: 2 }), element("th", { colspan: 2, scope: "colgroup" }, "the model answered")),
      element("tr", {}, element("th", { scope: "col" }, "yes"), element("th", { scope: "col" }, "no"))),
    element("tbody", {},
      element("tr", {}, element("th", { scope: "row" }, "right answer: yes ", element("span", { class: "share" }, number(yes))),
        cell(truePositive, yes, true), cell(falseNegative, yes, false)),
      element("tr", {}, element("th", { scope: "row" }, "right answer: no ", element("span", { class: "share" }, number(no))),
        cell(falsePositive, no, false), cell(trueNegative, no, true))));
  if (unreadable) made.append(element("caption", {}, `plus ${count(unreadable, "unreadable answer")}`));
  return made;
}

function rateList(matrix) {
  return element("table", { class: "rates" }, element("tbody", {}, ratesOf(matrix).map(([name, value, meaning]) => element("tr", {},
    element("th", { scope: "row" }, name, " ", element("span", { class: "meaning" }, meaning)),
    element("td", {}, rateWritten(name, value)),
    element("td", { class: "meter", "aria-hidden": "true" }, meter(value))))));
}

function rateWritten(name, value) {
  if (value === null) return "–";
  return name.endsWith("kappa") ? value.toFixed(2).replace("-", "−") : percent(value);
}

function meter(value) {
  const width = `${(100 * Math.max(0, value ?? 0)).toFixed(2)}%`;
  return svg("svg", {}, svg("rect", { class: "whole", width: "100%", height: "100%" }), svg("rect", { class: "part", width, height: "100%" }));
}

function bySize(sizes, sizeName) {
  const rows = sizes.map((matrix) => {
    const rates = new Map(ratesOf(matrix).map(([name, value]) => [name, value]));
    return [
      String(matrix.size), ...["truePositive", "falseNegative", "falsePositive", "trueNegative", "unreadable"].map((key) => number(matrix[key])),
      ...["accuracy", "recall", "specificity"].map((name) => rateWritten(name, rates.get(name))),
    ];
  });
  return table([
    sizeName, "yes, rightly", "no, wrongly", "yes, wrongly", "no, rightly", "unreadable", "accuracy", "recall", "specificity",
  ], rows, { caption: `Answers by ${sizeName}` });
}

/* A propositional formula under an assignment: the value of every sub-formula, written below its main sign. */

const TOKEN = /\s*(?:([¬∧∨⊕→↔()⊤⊥])|([\p{L}_][\p{L}\p{N}_.]*(?:\(\))?))/uy;
const MEANINGS = {
  "∧": (left, right) => left && right, "∨": (left, right) => left || right, "⊕": (left, right) => left !== right,
  "→": (left, right) => !left || right, "↔": (left, right) => left === right,
};
const CHAINED = "∧∨⊕";
const MOST_NESTED = 300;
const LONGEST_FORMULA = 2000; // signs: beyond them nobody follows a value

function tokensOf(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    found.push({ sign: match[1] ?? match[2], isName: match[1] === undefined, value: null });
  }
  return found;
}

/*
 * The signs of a formula in canonical notation, each with the value of the sub-formula whose main sign it is (null for
 * a parenthesis), and the value of the whole. Null where the text is something else: nothing is guessed.
 */
function evaluated(text, values) {
  const tokens = tokensOf(text);
  if (!tokens) return null;
  let place = 0;
  let nested = 0;

  function unary() {
    const token = tokens[place++];
    if (!token) return null;
    nested += 1;
    let found = null;
    if (nested <= MOST_NESTED) {
      if (token.isName) found = named(token);
      else if (token.sign === "⊤" || token.sign === "⊥") found = set(token, token.sign === "⊤");
      else if (token.sign === "¬") found = negation(token);
      else if (token.sign === "(") found = enclosed();
    }
    nested -= 1;
    return found;
  }

  function named(token) {
    const name = token.sign.replace(/\(\)$/u, "");
    return Object.hasOwn(values, name) ? set(token, values[name]) : null;
  }

  function negation(token) {
    const denied = unary();
    return denied && set(token, !denied.value);
  }

  function enclosed() {
    const inner = binary();
    return inner && tokens[place++]?.sign === ")" ? inner : null;
  }

  function binary() {
    let left = unary();
    let sign = null;
    while (left && Object.hasOwn(MEANINGS, tokens[place]?.sign)) {
      const token = tokens[place++];
      // Only a chain of one sign stands without parentheses.
      if (sign !== null && (sign !== token.sign || !CHAINED.includes(sign))) return null;
      sign = token.sign;
      const right = unary();
      left = right && set(token, MEANINGS[sign](left.value, right.value));
    }
    return left;
  }

  function set(token, value) {
    token.value = value;
    return token;
  }

  const main = binary();
  return main && place === tokens.length ? { tokens, main, value: main.value } : null;
}

/* The formula sign by sign, over the values; null where `evaluated` does not come to the value that is known. */
function formulaValues(text, values, value) {
  const found = text.length <= LONGEST_FORMULA ? evaluated(text, values) : null;
  if (!found || found.value !== value) return null;
  return element("div", { class: "formula-values", role: "img", "aria-label": `${harmless(text)}: ${value}` },
    found.tokens.map((token) => element("span", { class: classOf(token, found.main) },
      element("span", { class: "token-sign" }, harmless(token.sign)),
      element("span", { class: "value" }, { true: "T", false: "F", null: "\u00a0" }[token.value]))));
}

function classOf(token, main) {
  return `token ${{ true: "is-true", false: "is-false", null: "bracket" }[token.value]}${token === main ? " main" : ""}`;
}

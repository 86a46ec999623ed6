/*
 * Elements and text. Everything that a model wrote goes through `text` or `lines`: it becomes text nodes, never markup,
 * and what is no visible sign (controls, direction marks, halves of surrogates …) is written out, as in \x1b.
 */

const byId = (id) => document.getElementById(id);

/* The categories that report/text.py calls harmful. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/* An element. Attributes whose value is null, undefined or false are left out; `on` holds listeners by event. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

function writtenOut(sign) {
  const code = sign.codePointAt(0);
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/* The text with everything harmful written out. */
function harmless(value) {
  return String(value).replace(HARMFUL, writtenOut);
}

/* Signs that are shown of one text: a browser takes minutes to break a megabyte into lines. */
const LONGEST_TEXT = 10000;

function isolated(value, attributes, kept) {
  const made = element("bdi", attributes);
  const whole = String(value).slice(0, LONGEST_TEXT);
  let from = 0;
  for (const match of whole.matchAll(HARMFUL)) {
    if (kept.includes(match[0])) continue;
    made.append(whole.slice(from, match.index), element("span", { class: "sign" }, writtenOut(match[0])));
    from = match.index + match[0].length;
  }
  made.append(whole.slice(from));
  const more = String(value).length - whole.length;
  if (more) made.append(element("span", { class: "sign" }, ` … ${more.toLocaleString("en")} more characters in the results file`));
  return made;
}

/* Text on one line, isolated from the direction of what stands around it. */
function text(value, attributes = {}) {
  return isolated(String(value).replace(/[\t\n\v\f\r ]+/g, " ").trim(), attributes, "");
}

/* Text with its line breaks. */
function lines(value, attributes = {}) {
  return isolated(String(value).replace(/\r\n/g, "\n"), { ...attributes, class: `lines ${attributes.class ?? ""}`.trim() }, "\n\t");
}

/* A sentence beside the figures, in the tone that it matters. */

const TONES = {
  finding: null,
  warning: { sign: "!", name: "warn" },
  error: { sign: "✗", name: "bad" },
};

function drawNote(block) {
  const tone = TONES[block.tone];
  return element("p", { class: block.tone in TONES ? "finding" : "about" },
    tone ? [badge(tone, element("span", { class: "unseen" }, `${block.tone}:`)), " "] : null, element("span", {}, sentence(block)));
}

/* What the reader looks at, in the address: a link to the page opens it as it was. */

const TEXTS = ["suite", "model", "outcome", "right", "text"];
/* What an address without a hash shows; the browser sets the outcome to failures where there are some. */
const noState = { suite: "", model: "", outcome: "", right: "", from: null, to: null, text: "", page: 0, sample: null };

function whole(value) {
  return /^\d{1,9}$/.test(value ?? "") ? Number(value) : null;
}

/* The state that a hash describes; what it does not name has its default. */
function fromHash(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const sample = whole(said.get("sample"));
  return {
    ...Object.fromEntries(TEXTS.map((key) => [key, said.get(key) ?? noState[key]])),
    from: whole(said.get("from")),
    to: whole(said.get("to")),
    page: Math.max(0, (whole(said.get("page")) ?? 1) - 1),
    sample: sample === null || sample === 0 ? null : sample - 1,
  };
}

/* The hash that says no more than this. */
const hashOf = (said) => `#${new URLSearchParams(said)}`;

/* The hash of a state, without defaults. Samples and pages are counted from 1. */
function toHash(state) {
  const said = new URLSearchParams();
  for (const key of [...TEXTS, "from", "to"]) {
    if (state[key] !== noState[key]) said.set(key, state[key]);
  }
  if (state.page) said.set("page", state.page + 1);
  if (state.sample !== null) said.set("sample", state.sample + 1);
  const written = said.toString();
  return written ? `#${written}` : "";
}

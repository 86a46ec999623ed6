/* What the reader looks at, in the address: a link to the page opens it as it was. */
(() => {
  "use strict";

  const TEXTS = ["suite", "model", "outcome", "right", "text"];
  const NONE = { suite: "", model: "", outcome: "", right: "", from: null, to: null, text: "", page: 0, sample: null };

  function whole(value) {
    return /^\d{1,9}$/.test(value ?? "") ? Number(value) : null;
  }

  /* The state that an address says; what it does not say, or says wrongly, is as if nothing was chosen. */
  function fromHash(hash) {
    const said = new URLSearchParams(hash.replace(/^#/, ""));
    const sample = whole(said.get("sample"));
    return {
      ...Object.fromEntries(TEXTS.map((key) => [key, said.get(key) ?? ""])),
      from: whole(said.get("from")),
      to: whole(said.get("to")),
      page: Math.max(0, (whole(said.get("page")) ?? 1) - 1),
      sample: sample === null || sample === 0 ? null : sample - 1,
    };
  }

  /* The address of a state, with nothing in it that says nothing. Samples and pages are counted from 1. */
  function toHash(state) {
    const said = new URLSearchParams();
    for (const key of [...TEXTS, "from", "to"]) {
      if (state[key] !== NONE[key]) said.set(key, state[key]);
    }
    if (state.page) said.set("page", state.page + 1);
    if (state.sample !== null) said.set("sample", state.sample + 1);
    const written = said.toString();
    return written ? `#${written}` : "";
  }

  globalThis.autoeval = Object.assign(globalThis.autoeval ?? {}, { fromHash, toHash, noState: NONE });
})();

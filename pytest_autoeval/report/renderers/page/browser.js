/* The samples: filter, list and the opened sample, in step with each other, with the address and with the keys. */

const TYPING = 150; // milliseconds after a key before the text is searched

/* The choices of a filter, each with how many samples it has. */
function choices(select, whole, groups) {
  select.replaceChildren(element("option", { value: "" }, whole));
  for (const [label, options] of groups) {
    const made = options.map(({ value, name, times }) => (
      element("option", { value }, `${harmless(name)} (${number(times)})`)));
    if (label) select.append(element("optgroup", { label }, made));
    else select.append(...made);
  }
}

function fillChoices(index) {
  const times = (column, codes) => {
    const tally = new Array(codes.length).fill(0);
    for (const code of column) tally[code] += 1;
    return tally;
  };
  const named = (names, tally) => names.map((name, at) => ({ value: name, name, times: tally[at] }));
  const outcomes = times(index.outcome, index.outcomes);
  const kinds = [...new Set(index.outcomes.map(({ kind }) => kind))].map((kind) => ({
    value: kind, name: { pass: "passed", "model failure": "failed" }[kind] ?? kind,
    times: outcomes.reduce((sum, some, at) => sum + (index.outcomes[at].kind === kind ? some : 0), 0),
  })).filter(({ value }) => !index.outcomes.some(({ name }) => name === value));
  choices(byId("filter-suite"), "All suites", [["", named(index.suites, times(index.suite, index.suites))]]);
  choices(byId("filter-model"), "All models", [["", named(index.models, times(index.model, index.models))]]);
  byId("by-another").hidden = !index.item || index.models.length < 2;
  if (index.item) choices(byId("filter-right"), "Any or none", [["", named(index.models, times(index.model.filter((_, at) => index.outcomes[index.outcome[at]].kind === "pass"), index.models))]]);
  choices(byId("filter-outcome"), "All outcomes", [
    ["How it counts", kinds],
    ["Outcome", index.outcomes.map(({ name, code }, at) => ({ value: name, name: `${name}, ${code}`, times: outcomes[at] }))],
  ]);
}

/* Starts the browser on the samples that failed, or on all where none did; `ready` is when the list can be used. */
function startBrowser(index, labels) {
  noState.outcome = ["model failure", "error"].find((kind) => index.outcomes.some((one) => one.kind === kind)) ?? "";
  const sheet = byId("sample");
  let state = { ...noState };
  let searches = 0;
  let openings = 0;
  let timer = null;

  const address = (place) => toHash({ ...state, sample: place });
  const write = (push = false) => {
    const target = toHash(state) || location.href.split("#")[0];
    if (toHash(state) !== location.hash) history[push ? "pushState" : "replaceState"](null, "", target);
  };
  const samples = sampleList({
    index, labels, holder: byId("list"), pager: byId("pages"), address, open,
    turned: (page) => {
      state.page = page;
      write();
    },
  });

  function tell(read, of, found) {
    byId("progress").hidden = false;
    byId("progress-bar").max = of;
    byId("progress-bar").value = read;
    byId("progress-text").textContent = `${number(read)} of ${number(of)} searched, ${number(found)} found`;
  }

  async function refresh(page = 0) {
    searches += 1;
    const mine = searches;
    byId("list").setAttribute("aria-busy", "true");
    const found = await matching(index, state, { tell, stale: () => mine !== searches });
    if (found === null || mine !== searches) return;
    byId("list").removeAttribute("aria-busy");
    byId("progress").hidden = true;
    byId("count").textContent = found.length === index.count ? count(index.count, "sample") : `${number(found.length)} of ${count(index.count, "sample")}`;
    samples.show(found, page);
  }

  function readControls() {
    const size = (id) => (byId(id).value === "" ? null : Math.max(0, Math.trunc(Number(byId(id).value)) || 0));
    Object.assign(state, {
      suite: byId("filter-suite").value, model: byId("filter-model").value, outcome: byId("filter-outcome").value,
      right: byId("filter-right").value, from: size("filter-from"), to: size("filter-to"), text: byId("filter-text").value, page: 0,
    });
    write();
    return refresh();
  }

  function setControls() {
    for (const key of ["suite", "model", "outcome", "right"]) {
      const select = byId(`filter-${key}`);
      select.value = state[key];
      if (select.selectedIndex < 0) {
        select.value = ""; // an old link may name what this page does not have
        state[key] = "";
      }
    }
    byId("filter-from").value = state.from ?? "";
    byId("filter-to").value = state.to ?? "";
    byId("filter-text").value = state.text;
  }

  function turns(place) {
    const { before, after } = samples.around(place);
    const turn = (name, key, to) => element("button", { type: "button", disabled: to === null, on: { click: () => show(to) } }, name, " ", element("kbd", {}, key));
    return [turn("Previous", "k", before), turn("Next", "j", after),
      element("button", { type: "button", on: { click: () => sheet.close() } }, "Close ", element("kbd", {}, "Esc"))];
  }

  async function opened(place) {
    const { kind } = index.outcomes[index.outcome[place]];
    return { ...await sample(index, place), place, kind, name: index.name?.[place], address: address(place), open: () => open(place) };
  }

  /* Shows a sample on the sheet, and its place in the list beneath. */
  async function show(place, push = false) {
    openings += 1;
    const mine = openings;
    const [found, ...others] = await Promise.all([place, ...sameItem(index, place)].map(opened));
    if (mine !== openings) return;
    state.sample = place;
    write(push); // first: the list may turn its page, which is no step of its own
    samples.select(place);
    if (!sheet.open) sheet.showModal();
    fillSample(sheet, { ...found, others, turns: turns(place) });
    byId("sample-title").focus();
  }

  function open(place) {
    return show(place, true);
  }

  async function restore() {
    const said = fromHash(location.hash);
    state = { ...said, sample: null };
    setControls();
    await refresh(said.page);
    if (said.sample !== null && said.sample < index.count) await show(said.sample);
    else if (sheet.open) sheet.close();
  }

  sheet.addEventListener("click", (event) => {
    if (event.target === sheet) sheet.close(); // beside the sheet: what is on it has elements of its own
  });
  sheet.addEventListener("close", () => {
    const place = state.sample;
    openings += 1;
    state.sample = null;
    write();
    samples.select(place, true);
  });
  byId("filter").addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(readControls, event.target.tagName === "SELECT" ? 0 : TYPING);
  });
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("reset", () => {
    clearTimeout(timer);
    timer = setTimeout(readControls); // the controls are reset once the event is over
  });
  addEventListener("popstate", () => {
    const isSection = location.hash && !location.hash.includes("=");
    if (!isSection) restore();
  });

  function step(by) {
    if (!sheet.open) return samples.step(by);
    const { before, after } = samples.around(state.sample);
    const to = by < 0 ? before : after;
    return to === null ? null : show(to);
  }

  const keys = { "/": () => sheet.open || byId("filter-text").focus(), j: () => step(1), k: () => step(-1) };
  document.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    keys[event.key]();
  });

  fillChoices(index);
  return { ready: restore() };
}

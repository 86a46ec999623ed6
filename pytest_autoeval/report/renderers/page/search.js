/*
 * The samples that match a filter. The index decides all but text at once; text is searched in the whole rows, a piece at
 * a time, so that the page answers meanwhile. The text of a row is kept for the next search.
 */

const SEARCHED = ["formula", "other", "item", "source", "sentence", "paraphrased", "formalization", "trace", "text", "description", "translation", "answer", "compared", "compared_with", "error"];
const SLICE = 12; // milliseconds of work before the page is given a turn
const searchable = [];

function nextTurn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

let places;

/* The other places that have the item of a place: the same question to another model, or in other words. */
function sameItem(index, place) {
  if (!index.item) return [];
  places ??= Map.groupBy(index.item.keys(), (at) => index.item[at]);
  return places.get(index.item[place]).filter((at) => at !== place);
}

/* The items that a model answered rightly. */
function answeredRightly(index, name) {
  const model = index.models.indexOf(name);
  return new Set(index.item.filter((_, at) => index.model[at] === model && index.outcomes[index.outcome[at]].kind === "pass"));
}

/* The places of the samples that the index alone leaves. */
function indexed(index, filter) {
  const right = filter.right && answeredRightly(index, filter.right);
  const suite = index.suites.indexOf(filter.suite);
  const model = index.models.indexOf(filter.model);
  const wanted = index.outcomes.map((one) => !filter.outcome || one.name === filter.outcome || one.kind === filter.outcome);
  const found = [];
  for (let place = 0; place < index.count; place += 1) {
    const size = index.size[place];
    if (filter.suite && index.suite[place] !== suite) continue;
    if (filter.model && index.model[place] !== model) continue;
    if (!wanted[index.outcome[place]]) continue;
    if (right && !right.has(index.item[place])) continue;
    if (filter.from !== null && (size === null || size < filter.from)) continue;
    if (filter.to !== null && (size === null || size > filter.to)) continue;
    found.push(place);
  }
  return found;
}

async function readPiece(index, number) {
  const { rows } = await piece(number);
  rows.forEach((row, offset) => {
    searchable[number * index.piece + offset] = SEARCHED.map((key) => row[key] ?? "").join("\n").toLowerCase();
  });
}

/*
 * The places of the samples that the filter leaves, or null where `stale` says that nobody waits for them any more.
 * `tell(read, of, found)` is told how many samples have been looked at.
 */
async function matching(index, filter, { stale, tell }) {
  const candidates = indexed(index, filter);
  const wanted = filter.text.trim().toLowerCase();
  if (!wanted) return candidates;
  const found = [];
  let turn = performance.now();
  for (let at = 0; at < candidates.length; at += 1) {
    const place = candidates[at];
    if (searchable[place] === undefined) await readPiece(index, Math.floor(place / index.piece));
    if (searchable[place].includes(wanted)) found.push(place);
    if (performance.now() - turn > SLICE) {
      tell(at + 1, candidates.length, found.length);
      await nextTurn();
      turn = performance.now();
    }
    if (stale()) return null;
  }
  return found;
}

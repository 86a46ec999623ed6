/*
 * The data that the page carries, in script elements of plain text: base64 of JSON, most of it compressed with gzip.
 * Whole rows stand in pieces, which are unpacked when they are asked for; the latest few stay unpacked.
 */

const KEPT_PIECES = 8;
const pageRead = new Promise((resolve) => {
  if (document.readyState !== "loading") resolve();
  else document.addEventListener("DOMContentLoaded", resolve, { once: true });
});

function bytes(name) {
  const binary = atob(byId(name).textContent);
  const found = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) found[place] = binary.charCodeAt(place);
  return found;
}

/* Whether this browser can unpack what the page carries. */
function canUnpack() {
  return typeof DecompressionStream === "function";
}

/* What stands in a block uncompressed. */
function plain(name) {
  return JSON.parse(new TextDecoder().decode(bytes(name)));
}

/* What stands in a block compressed. */
function unpacked(name) {
  return new Response(new Blob([bytes(name)]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const pieces = new Map();

/* The piece of that number: its rows, and the commands that reproduce them. */
async function piece(number) {
  let found = pieces.get(number);
  pieces.delete(number);
  // The pieces are the last part of the page: it may be in use before they have been read.
  found ??= pageRead.then(() => unpacked(`piece-${number}`));
  pieces.set(number, found);
  if (pieces.size > KEPT_PIECES) pieces.delete(pieces.keys().next().value);
  return found;
}

let texts;

/* The whole row of a sample, and the command that reproduces it or null. Texts that many prompts share stand apart. */
async function sample(index, place) {
  const { rows, commands } = await piece(Math.floor(place / index.piece));
  const row = rows[place % index.piece];
  texts ??= unpacked("texts");
  const shared = await texts;
  for (const message of row.calls.flatMap((call) => call.messages ?? [])) message.content ??= shared[message.digest];
  return { row, command: commands[place % index.piece] ?? null };
}

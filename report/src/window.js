// A window of stamps: runs of words as the model gives them, and what a picture of one stamp needs.
import { data } from "./base.js";

const STRIDE = 6; // PE, length, source, element, step, distance of the provider

const cache = new Map();
export function windowOf(index) {
  if (index === null || index === undefined) return null;
  if (!cache.has(index)) cache.set(index, open(data.windows[index]));
  return cache.get(index);
}

function open(w) {
  const n = w.n_time === 0 ? 1 : w.stamps.length / w.n_time;
  return { ...w, n, pes: w.shape.reduce((a, b) => a * b, 1), layout: layout(w.shape), totals: null };
}

// Rows and columns of the picture: of the dimensions, taken from the last, every other goes across, the rest down. So an
// array of arrays is drawn as blocks. A long row of PEs is folded into lines ("fold" PEs each; 0: it is not).
function layout(shape) {
  const across = [], down = [];
  for (let i = shape.length - 1, to = true; i >= 0; i--, to = !to) (to ? across : down).unshift(i);
  const extent = (dims) => dims.reduce((n, d) => n * shape[d], 1);
  const columns = extent(across), rows = extent(down), fold = rows === 1 && columns > 24 ? 2 ** Math.ceil(Math.log2(1.4 * Math.sqrt(columns))) : 0;
  return { across, down, fold, columns: fold || columns, rows: fold ? Math.ceil(columns / fold) : rows,
    blockColumns: across.length > 1 ? shape[across.at(-1)] : 0, blockRows: down.length > 1 ? shape[down.at(-1)] : 0 };
}

export function coordinates(shape, number) {
  const at = new Array(shape.length);
  for (let i = shape.length - 1; i >= 0; i--) { at[i] = number % shape[i]; number = Math.floor(number / shape[i]); }
  return at;
}

// [row, column] of every PE.
export function places(w) {
  if (w.places) return w.places;
  const rows = new Int32Array(w.pes), columns = new Int32Array(w.pes), at = new Array(w.shape.length).fill(0);
  for (let p = 0; p < w.pes; p++) {
    let row = 0, column = 0;
    for (const d of w.layout.down) row = row * w.shape[d] + at[d];
    for (const d of w.layout.across) column = column * w.shape[d] + at[d];
    rows[p] = w.layout.fold ? Math.floor(column / w.layout.fold) : row;
    columns[p] = w.layout.fold ? column % w.layout.fold : column;
    for (let d = w.shape.length - 1; d >= 0 && ++at[d] === w.shape[d]; d--) at[d] = 0;
  }
  w.places = { rows, columns };
  return w.places;
}

export const stampText = (w, s) => `${w.time_name}[${w.stamps.slice(s * w.n_time, (s + 1) * w.n_time).join(",")}]`;
export const peText = (w, p) => `${w.space_name}[${coordinates(w.shape, p).join(",")}]`;
export const elementOf = (t, number) => coordinates(t.extents, number).map((x, i) => x + t.origin[i]);
export const elementText = (t, number) => `${t.name}[${elementOf(t, number).join(",")}]`;

// Every run of a tensor in a stamp: each(pe, length, source, element, step, away). Stamps share patterns of runs; a
// stamp's elements are its shift further on.
export function eachRun(t, s, each) {
  const p = t.patterns[s], shift = t.shifts[s], runs = t.runs;
  for (let at = t.starts[p] * STRIDE, end = t.starts[p + 1] * STRIDE; at < end; at += STRIDE)
    each(runs[at], runs[at + 1], runs[at + 2], runs[at + 3] + shift, runs[at + 4], runs[at + 5]);
}

// Every word: each(pe, source, element, provider), provider -1 where there is none.
export function eachWord(t, s, each) {
  eachRun(t, s, (pe, length, source, element, step, away) => {
    for (let i = 0; i < length; i++) each(pe + i, source, element + i * step, away === 0 ? -1 : pe + i + away);
  });
}

// Words by source in a stamp.
export function countStamp(w, t, s) {
  const n = new Array(w.sources.length).fill(0);
  eachRun(t, s, (pe, length, source) => { n[source] += length; });
  return n;
}

// The same for all stamps and tensors: totals[stamp][source].
export function totals(w) {
  w.totals ??= Array.from({ length: w.n }, (_, s) => w.tensors.map((t) => countStamp(w, t, s))
    .reduce((a, b) => a.map((x, i) => x + b[i])));
  return w.totals;
}

// Where an element is in every stamp of the window: [stamp, pe, source, provider].
export function trace(w, t, element, most = 400) {
  const found = [];
  for (let s = 0; s < w.n && found.length < most; s++)
    eachRun(t, s, (pe, length, source, first, step, away) => {
      const gap = element - first, at = step === 0 ? 0 : gap / step;
      const [from, to] = step === 0 ? [0, gap === 0 ? length : 0] : Number.isInteger(at) && at >= 0 && at < length ? [at, at + 1] : [0, 0];
      for (let i = from; i < to && found.length < most; i++) found.push([s, pe + i, source, away === 0 ? -1 : pe + i + away]);
    });
  return found;
}

const kinds = { register: ["s-register"], link: ["s-link0", "s-link1", "s-link2", "s-link3", "s-link4", "s-link5"],
  bus: ["s-bus", "s-bus1"] };
const memories = [["s-memory1"], ["s-memory1", "s-memory2"], ["s-memory0", "s-memory1", "s-memory2"]]; // the farther, the darker
// The name of each source's colour; those that nothing comes from take none away.
export function sourceColors(w) {
  const used = {}, all = totals(w);
  const far = w.sources.map((s, k) => k).filter((k) => w.sources[k].kind === "memory" && all.some((row) => row[k] > 0));
  const shades = memories[Math.min(Math.max(far.length, 1), memories.length) - 1], order = data.archs[data.results[w.result].arch].levels.map((l) => l.name);
  far.sort((a, b) => order.indexOf(w.sources[b].name) - order.indexOf(w.sources[a].name));
  return w.sources.map((s, k) => {
    if (s.kind === "memory") return shades[Math.min(Math.max(far.indexOf(k), 0), shades.length - 1)];
    const i = used[s.kind] ?? 0;
    if (all.some((row) => row[k] > 0)) used[s.kind] = i + 1;
    return kinds[s.kind][i % kinds[s.kind].length];
  });
}

// Where to begin: the first stamp with half as much to see as the fullest.
export function firstToSee(w) {
  const sums = totals(w).map((row) => row.reduce((a, b) => a + b, 0)), most = sums.reduce((a, b) => Math.max(a, b), 0);
  return sums.findIndex((n) => 2 * n >= most);
}
export const sourceText = (w, i) => { const s = w.sources[i];
  return s.kind === "register" ? "kept in its register" : s.kind === "link" ? `over link ${s.name}` :
    s.kind === "bus" ? `shared on ${s.name}` : `from ${s.name}`; };
export const sourceLabel = (s) => s.kind === "register" ? "register" : s.kind === "memory" ? s.name : `${s.name} (${s.kind})`;

// The loop nest: at each memory the loops above its tile, what the tile fills, and how often its words are used again.
import { scaleLinear, sum } from "d3";
import { archOf, canvas, color, count, data, design, el, figure, hover, layer, legend, narrow, num, number, percent, result, room,
  series, table, tensorLabel } from "./base.js";

import { edges } from "./summary.js";

const loopText = (d, name, i) => d.least === undefined ? `${name}${i} = ${d.text}` : `for ${name}${i} = ${d.text} in ${d.least} .. ${d.greatest}`;

// Blocks from the outside in: loops in time down to each memory's cut, arrays between.
function blocks(json, arch, nest) {
  const list = [];
  let time = 0, space = 0, memory = 0;
  for (const level of arch.levels) {
    if (level.kind === "array") {
      const n = level.shape.length;
      list.push({ kind: "array", level, loops: nest.space.slice(space, space + n).map((d, i) => `parallel p${space + i} = ${d.text} of ${level.shape[i]}`) });
      space += n;
    } else if (level.kind === "memory") {
      const is = json.levels[memory++];
      list.push({ kind: "memory", level, is, loops: nest.time.slice(time, is.time_cut).map((d, i) => loopText(d, "t", time + i)) });
      time = Math.max(time, is.time_cut);
    } else {
      list.push({ kind: "compute", level, loops: nest.time.slice(time).map((d, i) => loopText(d, "t", time + i)) });
    }
  }
  return list;
}

const bitsOf = (json, t) => json.tensors.find((x) => x.name === t.name).word_bits;

// A bar of the capacity with the tiles in it.
function fill(json, b) {
  const width = Math.min(room(), narrow() ? 380 : 520), cap = b.is, bytes = cap.capacity_bytes !== null;
  const used = new Map(); // the larger of the two roles of a tensor counts
  b.is.tensors.forEach((t) => {
    const size = num(t.tile_words) * (bytes ? bitsOf(json, t) / 8 : 1);
    if (!used.has(t.name) || used.get(t.name) < size) used.set(t.name, size);
  });
  const all = sum(used.values()), own = b.level.capacities.filter((c) => c.tensor !== null);
  const capacity = bytes ? cap.capacity_bytes : cap.capacity_words !== null ? cap.capacity_words : own.length > 0 ? sum(own, (c) => c.words ?? c.bytes) : null;
  const usable = capacity === null ? null : b.level.double_buffered ? capacity / 2 : capacity;
  const unit = bytes ? "bytes" : "words", x = scaleLinear([0, Math.max(usable ?? all, all) || 1], [0, width - 2]);
  const svg = canvas(width, 26, `Fill of ${b.level.name}`);
  svg.append("rect").attr("x", 1).attr("y", 1).attr("width", width - 2).attr("height", 24).attr("rx", 5).attr("fill", color("idle"));
  let at = 0;
  const parts = [...used].map(([name, size]) => ({ name, size, from: (at += size) - size }));
  const names = [...new Set(json.tensors.map((t) => t.name))];
  hover(svg.append("g").selectAll("rect").data(parts).join("rect").attr("x", (p) => 1 + x(p.from)).attr("width", (p) => Math.max(p.size > 0 ? 1.5 : 0, x(p.size) - 1)).attr("y", 1).attr("height", 24)
    .attr("fill", (p) => series(names.indexOf(p.name))), (p) => `${p.name}: ${count(p.size)} ${unit}`);
  const text = usable === null ? `${count(all)} ${unit} held, no capacity is given` :
    `${count(all)} of ${count(usable)} ${unit} (${percent(all / usable)})${b.level.double_buffered ? ", half of it for the next tile" : ""}`;
  return figure(`fill-${b.level.name}`, svg.node(), text, () => [["tensor", unit], ...used]);
}

export function nestPage() {
  const json = result(), arch = archOf(design()), nest = data.results[layer().result].nest, out = [];
  const names = [...new Set(json.tensors.map((t) => t.name))];
  out.push(el("p", { class: "faint" }, `${nest.loops.map((l) => `${l.name} ${number(l.upper - l.lower)}`).join(", ")}: ${count(json.instances)} instances. ` +
    "A memory holds one tile at a time: the loops above it choose the tile, those below run inside it. Uses a word: how often a word that comes in or goes out is read, or added to, in between."));
  out.push(legend(names.map((n, i) => [n, series(i)])));
  const all = edges(json);
  let depth = 0;
  for (const b of blocks(json, arch, nest)) {
    const box = el("div", { class: "details", tabindex: "0", role: "group", "aria-label": b.level.name });
    if (b.loops.length > 0) {
      const loops = el("div", {}, b.loops.map((l) => { const line = el("div", {}, el("code", {}, l)); line.style.paddingLeft = `${(depth++) * (narrow() ? 4 : 14)}px`; return line; }));
      out.push(loops);
    }
    if (b.kind === "memory") {
      box.append(el("h3", {}, `${b.level.name}${num(b.is.instances) > 1 ? `, ${count(b.is.instances)} of them` : ""}`), el("div", {}, el("span", { class: "faint" },
        b.is.cut_declared ? "its tile is the dataflow's choice" : "its tile follows from what fits")), fill(json, b),
        table(`Words of all instances of ${b.level.name}`, ["tensor", "tile", "fills", "writes", "reads", "updates", "uses a word"], b.is.tensors.map((t) => {
          const crossed = all.find((e) => e.name === tensorLabel(json, t) && json.levels[e.to] === b.is);
          const uses = t.role === "write" ? num(t.updates) : num(t.reads), words = crossed ? Math.max(crossed.up, crossed.down) : 0;
          return [tensorLabel(json, t), count(t.tile_words), count(t.fills), count(t.writes), count(t.reads), count(t.updates), words > 0 ? number(uses / words) : "-"];
        })));
      out.push(box);
    } else if (b.kind === "compute") {
      out.push(el("div", {}, el("code", {}, `${b.level.name}: ${json.tensors.filter((t) => t.role === "write").map((t) => t.name).join(", ")} from ${json.tensors.filter((t) => t.role === "read").map((t) => t.name).join(", ")}`)));
    }
  }
  return out;
}

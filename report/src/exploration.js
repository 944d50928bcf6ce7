// The points of an exploration: two figures against each other, the Pareto front, a brush that selects, parallel
// coordinates over what is selected. Many points are drawn as density.
import { axisBottom, axisLeft, brush, scaleLinear, scaleLog, scalePoint } from "d3";
import { canvas, choice, clip, color, command, data, el, figure, narrow, number, realColor, room, showTip, table } from "./base.js";

const many = 4000; // above, pixels count points
const at = { x: null, y: null, box: null, point: null };

const columns = () => data.points.columns;
const numeric = () => columns().filter((c) => !c.words && !["hardware", "point"].includes(c.name) && c.items.some((v) => v !== null));
const column = (name) => columns().find((c) => c.name === name);
const value = (c, row) => c.words ? c.words[c.items[row]] : c.items[row];

function bounds(c) {
  if (c.bounds) return c.bounds;
  let low = Infinity, high = -Infinity;
  for (const v of c.items) if (v !== null) { if (v < low) low = v; if (v > high) high = v; }
  c.bounds = [low, high];
  return c.bounds;
}
function scale(c, range) {
  const [low, high] = bounds(c);
  if (low > 0 && high / low > 20) return scaleLog([low / 1.05, high * 1.05], range);
  const pad = (high - low) * 0.03 || Math.abs(high) * 0.1 || 1;
  return scaleLinear([low >= 0 ? Math.max(0, low - pad) : low - pad, high + pad], range);
}
const higherIsBetter = (name) => /^(utilization|macs_per_cycle|active_pes|max_active_pes|tensors\..*reuse)/.test(name);

// Rows that no other beats in both figures, along the first.
export function front(x, y) {
  const sx = higherIsBetter(x.name) ? -1 : 1, sy = higherIsBetter(y.name) ? -1 : 1;
  const rows = new Uint32Array(data.points.rows).map((_, i) => i);
  const usable = rows.filter((r) => x.items[r] !== null && y.items[r] !== null);
  // the best y for each x first, so that sorting is of few
  const order = usable.length > 50000 ? candidates(x, y, usable, sx, sy) : usable;
  order.sort((a, b) => sx * (x.items[a] - x.items[b]) || sy * (y.items[a] - y.items[b]));
  const found = [];
  let best = Infinity;
  for (const r of order) if (sy * y.items[r] < best) { best = sy * y.items[r]; found.push(r); }
  return found;
}

// In each of some thousand slices of x only the best y can be on the front, or what beats it within the slice.
function candidates(x, y, rows, sx, sy) {
  const [low, high] = bounds(x), n = 4096, best = new Float64Array(n).fill(Infinity), slice = (v) => Math.min(n - 1, Math.floor((v - low) / (high - low || 1) * n));
  for (const r of rows) { const s = slice(x.items[r]), v = sy * y.items[r]; if (v < best[s]) best[s] = v; }
  const before = new Float64Array(n + 1).fill(Infinity); // the best of all better slices
  if (sx > 0) for (let s = 1; s <= n; s++) before[s] = Math.min(before[s - 1], best[s - 1]);
  else for (let s = n - 2; s >= 0; s--) before[s] = Math.min(before[s + 1], best[s + 1]);
  return rows.filter((r) => sy * y.items[r] < before[slice(x.items[r])]);
}

// A scale of logarithms leaves ticks out by itself when it is given the text, one of numbers takes a number of ticks.
const ticks = (axis, s, n, text) => s.base === undefined ? axis.ticks(n).tickFormat(text) : axis.ticks(n, text);

function scatter(x, y, again) {
  const width = room(900), height = narrow() ? 340 : 470, m = { left: 66, right: 16, top: 12, bottom: 46 };
  const svg = canvas(width, height, `${y.name} against ${x.name} of ${number(data.points.rows)} points`);
  const sx = scale(x, [m.left, width - m.right]), sy = scale(y, [height - m.bottom, m.top]), rows = data.points.rows;
  const cell = rows > many ? 3 : 1, nx = Math.ceil((width - m.left - m.right) / cell), ny = Math.ceil((height - m.top - m.bottom) / cell), bins = new Uint32Array(nx * ny), first = new Int32Array(nx * ny).fill(-1);
  const px = place(x, sx), py = place(y, sy);
  for (let r = 0; r < rows; r++) {
    if (x.items[r] === null || y.items[r] === null) continue;
    const i = Math.floor((px(x.items[r]) - m.left) / cell), j = Math.floor((py(y.items[r]) - m.top) / cell);
    if (i < 0 || j < 0 || i >= nx || j >= ny) continue;
    if (bins[j * nx + i]++ === 0) first[j * nx + i] = r;
  }
  svg.append("image").attr("x", m.left).attr("y", m.top).attr("width", nx * cell).attr("height", ny * cell).attr("href", paint(bins, nx, ny, rows > many)).attr("preserveAspectRatio", "none").style("image-rendering", "pixelated");
  const plain = (v) => v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential(1).replace("e+", "e") : String(+v.toPrecision(3));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - m.bottom})`).call(ticks(axisBottom(sx), sx, narrow() ? 3 : 7, plain));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${m.left},0)`).call(ticks(axisLeft(sy), sy, 6, plain));
  svg.append("text").attr("class", "faint").attr("font-size", 12).attr("x", width - m.right).attr("y", height - 8).attr("text-anchor", "end").text(x.name);
  svg.append("text").attr("class", "faint").attr("font-size", 12).attr("transform", `translate(13,${m.top}) rotate(-90)`).attr("text-anchor", "end").text(y.name);
  if (rows <= many) svg.append("g").selectAll("circle").data(Array.from({ length: rows }, (_, r) => r).filter((r) => x.items[r] !== null && y.items[r] !== null)).join("circle")
    .attr("cx", (r) => sx(x.items[r])).attr("cy", (r) => sy(y.items[r])).attr("r", rows > 500 ? 2.5 : 4).attr("fill", color("t0")).attr("fill-opacity", rows > 500 ? 0.45 : 0.7);
  const best = front(x, y);
  const step = best.map((r, i) => `${i === 0 ? "M" : "L"}${sx(x.items[r])},${sy(y.items[r])}`).join("");
  svg.append("path").attr("d", step).attr("fill", "none").attr("stroke", color("t1")).attr("stroke-width", 1.5);
  svg.append("g").selectAll("circle").data(best.length <= 500 ? best : []).join("circle").attr("class", "front").attr("cx", (r) => sx(x.items[r])).attr("cy", (r) => sy(y.items[r])).attr("r", 4.5).attr("fill", color("t1")).attr("stroke", color("back"));
  const mark = svg.append("circle").attr("r", 8).attr("fill", "none").attr("stroke", color("ink")).attr("stroke-width", 2).attr("display", "none").attr("pointer-events", "none");
  const nearest = (event) => { const box = svg.node().getBoundingClientRect(), ux = (event.clientX - box.left) * width / box.width, uy = (event.clientY - box.top) * height / box.height;
    let found = -1, far = 144;
    const look = (r) => { const d = (sx(x.items[r]) - ux) ** 2 + (sy(y.items[r]) - uy) ** 2; if (d < far) { far = d; found = r; } };
    best.forEach(look);
    const i0 = Math.floor((ux - m.left) / cell), j0 = Math.floor((uy - m.top) / cell), reach = Math.ceil(12 / cell);
    for (let j = j0 - reach; j <= j0 + reach; j++) for (let i = i0 - reach; i <= i0 + reach; i++) if (i >= 0 && j >= 0 && i < nx && j < ny && first[j * nx + i] >= 0) look(first[j * nx + i]);
    return found; };
  const tool = brush().extent([[m.left, m.top], [width - m.right, height - m.bottom]]).on("end", (event) => {
    if (!event.sourceEvent) return;
    if (event.selection) { const [[x0, y0], [x1, y1]] = event.selection; at.box = { x: [sx.invert(x0), sx.invert(x1)], y: [sy.invert(y1), sy.invert(y0)] }; } else at.box = null;
    again.selection();
  });
  const layer = svg.append("g").attr("class", "brush").call(tool);
  layer.select(".overlay").style("cursor", "crosshair");
  svg.on("click", (event) => { const r = nearest(event); if (r >= 0) again.point(r); })
    .on("pointermove", (event) => { const r = nearest(event); showTip(event, r < 0 ? null : `${x.name} ${number(x.items[r])}\n${y.name} ${number(y.items[r])}\npoint ${value(column("point") ?? { items: { [r]: r } }, r)}`); })
    .on("pointerleave", (event) => showTip(event, null));
  again.mark = (r) => mark.attr("display", null).attr("cx", sx(x.items[r])).attr("cy", sy(y.items[r]));
  at.front = best;
  return figure("pareto", svg.node(), `${number(rows)} points${rows > many ? ", drawn as density" : ""}; the line is the front of ${best.length} that no other beats in both. Drag to select, click a point for its dataflow.`,
    () => [["point", x.name, y.name], ...best.map((r) => [value(column("point") ?? { items: best }, r), x.items[r], y.items[r]])]);
}

// The same as the scale, without its checks: a million are placed.
function place(c, s) {
  const [d0, d1] = s.domain(), [r0, r1] = s.range(), log = s.base !== undefined, k = log ? (r1 - r0) / Math.log(d1 / d0) : (r1 - r0) / (d1 - d0);
  return log ? (v) => r0 + Math.log(v / d0) * k : (v) => r0 + (v - d0) * k;
}

function paint(bins, nx, ny, shown) {
  const board = document.createElement("canvas");
  board.width = nx;
  board.height = ny;
  if (!shown) return board.toDataURL();
  const c = board.getContext("2d"), image = c.createImageData(nx, ny), css = realColor("t0"), rgb = [1, 3, 5].map((i) => Number.parseInt(css.slice(i, i + 2), 16));
  let most = 1;
  for (const n of bins) if (n > most) most = n;
  for (let i = 0; i < bins.length; i++) if (bins[i] > 0) {
    for (let k = 0; k < 3; k++) image.data[4 * i + k] = rgb[k];
    image.data[4 * i + 3] = 70 + 185 * Math.log(1 + bins[i]) / Math.log(1 + most);
  }
  c.putImageData(image, 0, 0);
  return board.toDataURL();
}

function selected(x, y) {
  if (!at.box) return null;
  const rows = [], { x: bx, y: by } = at.box;
  for (let r = 0; r < data.points.rows; r++) {
    const a = x.items[r], b = y.items[r];
    if (a !== null && b !== null && a >= bx[0] && a <= bx[1] && b >= by[0] && b <= by[1]) rows.push(r);
  }
  return rows;
}

const axes = ["settings", "bound_by", "active_pes", "utilization.average", "unique_volume", "bandwidth_bits_per_cycle.scratchpad", "bandwidth_bits_per_cycle.interconnect",
  "latency_cycles.total", "energy_pj.total", "edp", "area_um2.total"];

// What tells words apart: without the path that all have, and of what is left the end.
function ending(words, most) {
  let same = 0;
  while (words.every((w) => same < w.length && w[same] === words[0][same])) same++;
  const path = words[0].slice(0, same).search(/[^.=]*$/);
  return (w) => { const rest = w.slice(path); return rest.length > most ? `…${rest.slice(1 - most)}` : rest || "-"; };
}

// Lines through the figures and choices of some rows; of many a few hundred, evenly taken.
function parallel(rows, best) {
  const shown = axes.map(column).filter((c) => c && (c.words ? c.words.length > 1 && c.words.length <= 40 : c.items.some((v) => v !== null) && bounds(c)[0] < bounds(c)[1])).slice(0, narrow() ? 4 : 8);
  if (shown.length < 2) return null;
  const width = room(), height = 300, most = 600, every = Math.max(1, Math.ceil(rows.length / most)), taken = rows.filter((_, i) => i % every === 0);
  const svg = canvas(width, height, "Parallel coordinates of the selected points"), x = scalePoint(shown.map((c) => c.name), [narrow() ? 60 : 104, width - 46]);
  const scales = shown.map((c) => c.words ? scalePoint(c.words, [height - 34, 34]) : scale(c, [height - 34, 34]));
  const path = (r) => shown.map((c, i) => value(c, r) === null ? null : `${x(c.name)},${scales[i](value(c, r))}`).filter((p) => p).map((p, i) => (i ? "L" : "M") + p).join("");
  svg.append("g").attr("fill", "none").attr("stroke", color("t0")).attr("stroke-opacity", taken.length > 100 ? 0.15 : 0.45).selectAll("path").data(taken).join("path")
    .attr("d", (r) => path(r));
  svg.append("g").attr("fill", "none").attr("stroke", color("t1")).attr("stroke-width", 1.8).attr("stroke-opacity", 0.9).selectAll("path").data(best.slice(0, 50)).join("path").attr("d", path);
  shown.forEach((c, i) => {
    const g = svg.append("g").attr("class", "axis").attr("transform", `translate(${x(c.name)},0)`);
    g.call(c.words ? axisLeft(scales[i]).tickValues(c.words.filter((w, k) => k % Math.ceil(c.words.length / 12) === 0)).tickFormat(ending(c.words, narrow() ? 8 : 15)) : ticks(axisLeft(scales[i]), scales[i], 4, (v) => Math.abs(v) >= 1e4 ? v.toExponential(0).replace("e+", "e") : String(+v.toPrecision(2))));
    svg.append("text").attr("x", i === shown.length - 1 ? width - 2 : x(c.name)).attr("y", i % 2 ? height - 6 : 18).attr("text-anchor", i === shown.length - 1 ? "end" : "middle").attr("font-size", 12).text(clip(c.name.replace("bandwidth_bits_per_cycle", "bandwidth"), narrow() ? 16 : 30));
  });
  return figure("parallel", svg.node(), `${number(rows.length)} point${rows.length === 1 ? "" : "s"}${every > 1 ? `, ${number(taken.length)} of them drawn` : ""}, a line each; the front stands out.`, () => [columns().map((c) => c.name), ...taken.map((r) => columns().map((c) => value(c, r)))]);
}

function details(r) {
  const point = column("point") ? value(column("point"), r) : null, hardware = column("hardware") ? value(column("hardware"), r) : 0;
  const make = data.points.make && point !== null ? `${data.points.make} --point ${point}${hardware ? ` --hardware ${hardware}` : ""}` : null;
  const space = column("space"), time = column("time");
  const maps = space && time ? `--space '${bare(value(space, r))}' --time '${bare(value(time, r))}'` : null;
  return el("div", { class: "details", tabindex: "0", role: "group", "aria-label": "The chosen point" }, el("h3", {}, `Point ${point ?? r}`),
    maps ? command(maps) : null, make ? command(make) : null,
    table("Its figures", ["figure", "value"], columns().filter((c) => value(c, r) !== null && value(c, r) !== "" && !c.name.startsWith("tensors.")).map((c) => [c.name, typeof value(c, r) === "number" ? number(value(c, r), 4) : value(c, r)])));
}
const bare = (map) => String(map).replace(/^\w*\[/, "").replace(/\]$/, "");

// All rows, of many evenly some.
function someRows() {
  const every = Math.max(1, Math.ceil(data.points.rows / 20000));
  return Array.from({ length: Math.ceil(data.points.rows / every) }, (_, i) => i * every);
}

export function explorationPage() {
  const all = numeric();
  if (all.length === 0 || data.points.rows === 0) return [el("p", {}, "No result has a figure to show.")];
  const by = (name, i) => column(name) && all.includes(column(name)) ? column(name) : all[Math.min(i, all.length - 1)];
  const x = by(at.x ?? "latency_cycles.total", 0), y = by(at.y ?? "energy_pj.total", 1);
  const plot = el("div"), chosen = el("div"), lines = el("div"), note = el("p", { class: "faint", role: "status" });
  const again = {
    point: (r) => { at.point = r; again.mark(r); chosen.replaceChildren(details(r)); },
    selection: () => { const rows = selected(x, y); note.textContent = rows === null ? "Nothing is selected: all points are below." : `${number(rows.length)} points are selected.`;
      const made = rows === null ? parallel(someRows(), at.front) : parallel(rows, rows.filter((r) => at.front.includes(r)).slice(0, 50)); lines.replaceChildren(...(made ? [made] : [])); },
  };
  const redraw = (key) => (i) => { at[key] = all[i].name; at.box = null; document.getElementById("page-exploration").replaceChildren(el("h2", { id: "h-exploration" }, "Exploration"), ...explorationPage()); };
  const names = all.map((c) => c.name);
  plot.append(scatter(x, y, again));
  again.selection();
  const words = columns().filter((c) => c.words && c.words.length > 1 && c.words.length <= 40 && c.name !== "space" && c.name !== "time");
  const front = table("The front, up to 20 of it", ["point", x.name, y.name, ...words.map((c) => c.name)], at.front.slice(0, 20).map((r) => [
    el("button", { type: "button", onclick: () => again.point(r) }, String(column("point") ? value(column("point"), r) : r)), number(x.items[r]), number(y.items[r]), ...words.map((c) => value(c, r))]));
  return [el("div", { class: "choices" }, choice("Across", names, names.indexOf(x.name), redraw("x")), choice("up", names, names.indexOf(y.name), redraw("y"))), plot, note, chosen, front, lines];
}

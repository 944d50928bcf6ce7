// The array, alive: a grid of PEs a tensor, stamp by stamp. Colour says where each PE's word comes from, arrows which
// neighbour had it. Small arrays have text; large ones are pixels. One picture of the whole window is the bar to scrub.
import { area, max, scaleLinear, stack } from "d3";
import { canvas, color, count, data, el, figure, layer, legend, narrow, number, realColor, result, room, showTip, state,
  tensorLabel } from "./base.js";
import { countStamp, eachRun, eachWord, elementOf, elementText, firstToSee, peText, places, sourceColors, sourceLabel, sourceText,
  stampText, totals, trace, windowOf } from "./window.js";

let view = null; // what is drawn: window, grids, controls

export function arrayAddress() {
  if (view) goTo(view, state.stamp ?? firstToSee(view.w), false);
}

function goTo(v, stamp, write = true) {
  state.stamp = Math.max(0, Math.min(v.w.n - 1, stamp));
  v.scrub.value = state.stamp;
  v.label.textContent = `${stampText(v.w, state.stamp)}`;
  v.place.textContent = `${state.stamp + 1} of ${v.w.n}`;
  drawStamp(v);
  if (write) state.address();
}

// ---- playing ----

function stop(v) {
  cancelAnimationFrame(v.frame);
  v.frame = 0;
  v.button.textContent = "▶";
  v.button.setAttribute("aria-label", "Play");
  state.address();
}

function play(v) {
  if (v.frame) { stop(v); return; }
  if (state.stamp === v.w.n - 1) state.stamp = -1;
  v.button.textContent = "❚❚";
  v.button.setAttribute("aria-label", "Pause");
  let last = 0;
  const step = (now) => {
    if (!v.root.isConnected || v.root.closest("section") && !v.root.closest("section").classList.contains("shown")) { stop(v); return; }
    if (now - last >= 1000 / v.speed - 2) {
      last = now;
      v.frames = (v.frames ?? 0) + 1;
      goTo(v, state.stamp + 1, false);
      if (state.stamp >= v.w.n - 1) { stop(v); return; }
    }
    v.frame = requestAnimationFrame(step);
  };
  v.frame = requestAnimationFrame(step);
}

function keys(v, event) {
  if (["INPUT", "SELECT"].includes(event.target.tagName) && event.target.type !== "range") return;
  const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -v.w.n, End: v.w.n }[event.key];
  if (by !== undefined) { event.preventDefault(); goTo(v, state.stamp + by); }
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play(v); }
  if (event.key === "Escape") follow(v, null);
}

function controls(v) {
  const speeds = [1, 2, 5, 10, 30, 60];
  v.speed = v.w.n > 60 ? 10 : 2;
  v.button = el("button", { type: "button", "aria-label": "Play", onclick: () => play(v) }, "▶");
  v.scrub = el("input", { type: "range", min: 0, max: v.w.n - 1, value: state.stamp, "aria-label": "Time-stamp",
    oninput: () => goTo(v, Number(v.scrub.value)) });
  v.label = el("output", { "aria-live": "off" });
  v.place = el("span", { class: "faint" });
  const step = (by, text, name) => el("button", { type: "button", "aria-label": name, onclick: () => goTo(v, state.stamp + by) }, text);
  const speed = el("select", { "aria-label": "Stamps per second", onchange: (e) => { v.speed = speeds[e.target.selectedIndex]; } },
    speeds.map((s) => { const o = el("option", {}, `${s} a second`); o.selected = s === v.speed; return o; }));
  return el("div", { class: "play" }, step(-v.w.n, "|◀", "First stamp"), step(-1, "◀", "Step back"), v.button,
    step(1, "▶▏", "Step"), step(v.w.n, "▶|", "Last stamp"), v.scrub, v.label, v.place, speed);
}

// ---- the window as a whole ----

function overview(v) {
  const w = v.w, width = room(), height = 84, left = narrow() ? 4 : 56;
  const rows = totals(w), used = w.sources.map((s, i) => i).filter((i) => rows.some((r) => r[i] > 0));
  const svg = canvas(width, height, "Words of each stamp by where they come from").attr("class", "overview");
  const x = scaleLinear([0, w.n], [left, width - 4]), top = max(rows, (r) => r.reduce((a, b) => a + b)) || 1;
  const y = scaleLinear([0, top], [height - 18, 6]);
  const layers = stack().keys(used).value((r, key) => r[key])(rows);
  const shape = area().x((d) => x(d.i)).y0((d) => y(d[0])).y1((d) => y(d[1]));
  const bars = (l) => l.flatMap((d, i) => [Object.assign([d[0], d[1]], { i }), Object.assign([d[0], d[1]], { i: i + 1 })]);
  svg.selectAll("path").data(layers).join("path").attr("d", (l) => shape(bars(l))).attr("fill", (l) => color(v.colors[l.key]));
  if (!narrow()) {
    svg.append("text").attr("x", 0).attr("y", 14).attr("class", "faint").attr("font-size", 12).text(count(top));
    svg.append("text").attr("x", 0).attr("y", 28).attr("class", "faint").attr("font-size", 12).text("words");
  }
  const axis = (at, text, anchor) => svg.append("text").attr("x", at).attr("y", height - 3).attr("class", "faint")
    .attr("font-size", 12).attr("text-anchor", anchor).text(text);
  axis(left, stampText(w, 0) + (w.at_start ? " (the first)" : ""), "start");
  axis(width - 4, stampText(w, w.n - 1) + (w.at_end ? " (the last)" : ""), "end");
  v.cursor = svg.append("rect").attr("y", 2).attr("height", height - 18).attr("fill", "none").attr("stroke", color("ink")).attr("stroke-width", 1.5);
  v.cursorX = x;
  const scrubTo = (event) => { const box = svg.node().getBoundingClientRect();
    goTo(v, Math.floor(x.invert((event.clientX - box.left) * width / box.width))); };
  svg.style("cursor", "pointer").on("pointerdown", (event) => { v.dragging = true; scrubTo(event); })
    .on("pointermove", (event) => { if (v.dragging) scrubTo(event); });
  window.addEventListener("pointerup", () => { v.dragging = false; });
  const head = ["stamp", ...w.sources.map((s) => s.name)];
  return figure("window", svg.node(), "All stamps of the window: words by where they come from. Click or drag to go there.",
    () => [head, ...rows.map((r, s) => [stampText(w, s), ...r])]);
}

// ---- a grid a tensor ----

function makeGrid(v, t, index) {
  const w = v.w, per = narrow() ? 1 : Math.min(w.tensors.length, room() > 1000 ? 3 : 2);
  const wide = Math.floor((room() - (per - 1) * 24) / per), l = w.layout;
  const cell = Math.max(1, Math.min(110, Math.floor(wide / l.columns), Math.max(2, Math.floor(520 / l.rows))));
  const small = cell >= 14 && w.pes <= 1024;
  const scale = small ? cell : Math.min(wide / l.columns, 620 / l.rows, 12);
  const grid = { t, index, small, scale, width: Math.max(1, Math.round(l.columns * scale)), height: Math.max(1, Math.round(l.rows * scale)) };
  grid.note = el("figcaption");
  const name = `${t.name} (${t.role})`;
  if (small) {
    grid.svg = canvas(grid.width + 2, grid.height + 2, `PEs with their words of ${name}`);
    grid.node = grid.svg.node();
    grid.cells = grid.svg.append("g").attr("transform", "translate(1,1)");
    // a seam in the page's colour tells arrows from the cells they lie on
    grid.arrows = grid.svg.append("g").attr("transform", "translate(1,1)").style("filter", "drop-shadow(0 0 1px var(--back)) drop-shadow(0 0 1px var(--back))");
    grid.marks = grid.svg.append("g").attr("transform", "translate(1,1)");
    const at = places(w);
    grid.rects = grid.cells.selectAll("rect").data(Array.from({ length: w.pes }, (_, p) => p)).join("rect")
      .attr("x", (p) => at.columns[p] * cell + 1).attr("y", (p) => at.rows[p] * cell + 1).attr("width", cell - 2).attr("height", cell - 2)
      .attr("rx", Math.min(4, cell / 6)).style("cursor", "pointer")
      .on("click", (event, p) => choose(v, grid, p, event.shiftKey))
      .on("pointermove", (event, p) => showTip(event, describe(v, grid, p))).on("pointerleave", (event) => showTip(event, null));
    grid.texts = grid.cells.selectAll("text").data(cell >= 30 ? Array.from({ length: w.pes }, (_, p) => p) : []).join("text")
      .attr("x", (p) => at.columns[p] * cell + cell / 2).attr("y", (p) => at.rows[p] * cell + cell / 2).attr("dy", "0.35em")
      .attr("text-anchor", "middle").attr("pointer-events", "none");
  } else {
    const paint = el("canvas", { width: grid.width * 2, height: grid.height * 2, role: "img", "aria-label": `PEs with their words of ${name}` });
    paint.style.width = `${grid.width}px`;
    paint.style.height = `${grid.height}px`;
    grid.node = paint;
    grid.context = paint.getContext("2d");
    grid.image = new ImageData(l.columns, l.rows);
    grid.pixels = new Uint32Array(grid.image.data.buffer);
    grid.copy = el("canvas", { width: l.columns, height: l.rows });
    const peAt = (event) => { const box = paint.getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / box.width * l.columns), row = Math.floor((event.clientY - box.top) / box.height * l.rows);
      return peOfPlace(w, row, column); };
    paint.addEventListener("click", (event) => choose(v, grid, peAt(event), event.shiftKey));
    paint.addEventListener("pointermove", (event) => { const p = peAt(event); showTip(event, p < 0 ? null : describe(v, grid, p)); });
    paint.addEventListener("pointerleave", (event) => showTip(event, null));
  }
  grid.figure = figure(`array-${t.name}-${t.role}`, grid.node, null,
    () => [["pe", "element", "source", "provider"], ...wordsOf(w, t, state.stamp)]);
  if (!small) grid.figure.querySelector(".tools").append(el("button", { type: "button", onclick: () => savePicture(`array-${t.name}.png`, grid.node) }, "Save PNG"));
  grid.figure.prepend(el("h3", {}, tensorLabel(result(), t)));
  grid.figure.insertBefore(grid.note, grid.node.nextSibling);
  return grid;
}

function savePicture(name, board) {
  const link = el("a", { href: board.toDataURL("image/png"), download: name });
  link.click();
}

function peOfPlace(w, row, column) {
  if (row < 0 || column < 0 || row >= w.layout.rows || column >= w.layout.columns) return -1;
  const at = new Array(w.shape.length).fill(0), { fold } = w.layout;
  if (fold) [row, column] = [0, row * fold + column];
  if (fold && column >= w.pes) return -1;
  for (const [dims, n] of [[w.layout.down, row], [w.layout.across, column]]) {
    let rest = n;
    for (let i = dims.length - 1; i >= 0; i--) { at[dims[i]] = rest % w.shape[dims[i]]; rest = Math.floor(rest / w.shape[dims[i]]); }
  }
  return at.reduce((p, x, d) => p * w.shape[d] + x, 0);
}

function wordsOf(w, t, s) {
  const rows = [];
  eachWord(t, s, (pe, source, element, provider) => rows.push([peText(w, pe), elementText(t, element), w.sources[source].name,
    provider < 0 ? "" : peText(w, provider)]));
  return rows;
}

function wordsAt(t, s, pe) {
  const found = [];
  eachWord(t, s, (p, source, element, provider) => { if (p === pe) found.push({ source, element, provider }); });
  return found;
}

function describe(v, grid, pe) {
  const words = wordsAt(grid.t, state.stamp, pe);
  return `${peText(v.w, pe)}\n` + (words.length === 0 ? "idle" : words.slice(0, 8).map((x) =>
    `${elementText(grid.t, x.element)} ${sourceText(v.w, x.source)}${x.provider < 0 ? "" : ` from ${peText(v.w, x.provider)}`}`).join("\n") +
    (words.length > 8 ? `\nand ${words.length - 8} more` : ""));
}

// ---- following ----

function choose(v, grid, pe, isPe) {
  if (pe < 0) return;
  const words = wordsAt(grid.t, state.stamp, pe);
  if (isPe || v.mode === "pe" || words.length === 0) follow(v, { pe });
  else follow(v, { t: grid.t, element: words[0].element });
}

function follow(v, what) {
  v.followed = what;
  v.trace = what?.t ? trace(v.w, what.t, what.element) : null;
  drawStamp(v);
}

function followDetails(v) {
  const w = v.w, f = v.followed;
  if (!f) return [el("span", { class: "faint" }, "Click a cell to follow its element through the array; hold Shift, or choose “a PE”, to follow a PE.")];
  const clear = el("button", { type: "button", onclick: () => follow(v, null) }, "Clear");
  if (f.t) {
    const here = v.trace.filter((x) => x[0] === state.stamp);
    const path = v.trace.slice(0, 12).map(([s, p, source]) => `${stampText(w, s)} ${peText(w, p)} ${sourceText(w, source)}`);
    return [el("b", {}, elementText(f.t, f.element)), ` is used ${v.trace.length}${v.trace.length === 400 ? " or more" : ""} times in the window, ` +
      `now by ${here.length === 0 ? "no PE" : here.slice(0, 6).map((x) => peText(w, x[1])).join(", ")}${here.length > 6 ? " ..." : ""}. `, clear,
      el("ol", {}, path.map((x) => el("li", {}, x)), v.trace.length > 12 ? el("li", {}, "...") : null)];
  }
  const lines = [];
  for (let s = Math.max(0, state.stamp - 3); s <= Math.min(w.n - 1, state.stamp + 3); s++) {
    const words = w.tensors.flatMap((t) => wordsAt(t, s, f.pe).slice(0, 4).map((x) => `${elementText(t, x.element)} ${sourceText(w, x.source)}`));
    const item = el("li", {}, `${stampText(w, s)}: ${words.join("; ") || "idle"}`);
    if (s === state.stamp) item.replaceChildren(el("b", {}, item.textContent));
    lines.push(item);
  }
  return [el("b", {}, peText(w, f.pe)), " around this stamp. ", clear, el("ul", {}, lines)];
}

// ---- a stamp ----

// Black or white, whichever is read better on the colour.
function inkOn(css) {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(css.slice(i, i + 2), 16) / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#1b1f24" : "#ffffff";
}

function drawSmall(v, grid, first, more) {
  const w = v.w, t = grid.t, s = state.stamp, at = places(w), cell = grid.scale;
  const sources = new Int16Array(w.pes).fill(-1), elements = new Float64Array(w.pes), several = new Int32Array(w.pes), arrows = [];
  eachWord(t, s, (p, source, element, provider) => {
    if (several[p]++ === 0 || v.ranks[source] > v.ranks[sources[p]]) { sources[p] = source; elements[p] = element; }
    if (provider >= 0) arrows.push([provider, p, source]);
  });
  grid.rects.attr("fill", (p) => sources[p] < 0 ? color("idle") : v.paints[sources[p]]);
  grid.texts.attr("fill", null).style("fill", (p) => sources[p] < 0 ? color("faint") : v.inks[sources[p]]).text((p) => {
    if (sources[p] < 0) return "";
    const text = cell >= 80 ? elementText(t, elements[p]) : elementOf(t, elements[p]).join(",");
    return several[p] > 1 ? `${text} +${several[p] - 1}` : text;
  }).attr("font-size", function () { const n = this.textContent.length; return Math.max(8, Math.min(cell >= 80 ? 16 : 13, (cell - 6) / (0.6 * Math.max(n, 1)))); })
    .attr("display", function () { return this.textContent.length * 8 * 0.6 > cell - 3 ? "none" : null; });
  const line = (d) => {
    const x0 = (at.columns[d[0]] + 0.5) * cell, y0 = (at.rows[d[0]] + 0.5) * cell, x1 = (at.columns[d[1]] + 0.5) * cell, y1 = (at.rows[d[1]] + 0.5) * cell;
    const far = Math.hypot(x1 - x0, y1 - y0) || 1, ux = (x1 - x0) / far, uy = (y1 - y0) / far;
    const near = far < cell * 1.5, half = Math.min(9, cell * 0.22), head = Math.min(6, cell / 6);
    const from = near ? far / 2 - half : cell * 0.3, tip = near ? far / 2 + half : far - cell * 0.3;
    const hx = x0 + ux * tip, hy = y0 + uy * tip;
    return `M${x0 + ux * from},${y0 + uy * from}L${hx},${hy}M${hx - ux * head - uy * head * 0.6},${hy - uy * head + ux * head * 0.6}L${hx},${hy}` +
      `L${hx - ux * head + uy * head * 0.6},${hy - uy * head - ux * head * 0.6}`;
  };
  grid.arrows.selectAll("path").data(arrows.length <= 2000 ? arrows : []).join("path").attr("d", line).attr("fill", "none")
    .attr("stroke", color("ink")).attr("stroke-width", Math.max(1, Math.min(1.8, cell / 24))).attr("pointer-events", "none");
  grid.marks.selectAll("rect").data(marked(v, t)).join("rect").attr("x", (p) => at.columns[p] * cell).attr("y", (p) => at.rows[p] * cell)
    .attr("width", cell).attr("height", cell).attr("fill", "none").attr("stroke", color("ink")).attr("stroke-width", 3).attr("rx", 4).attr("pointer-events", "none");
}

function marked(v, t) {
  if (!v.followed) return [];
  if (v.followed.pe !== undefined) return [v.followed.pe];
  return v.followed.t === t ? v.trace.filter((x) => x[0] === state.stamp).map((x) => x[1]) : [];
}

function drawLarge(v, grid) {
  const w = v.w, l = w.layout, at = places(w), c = grid.context;
  grid.pixels.fill(v.idlePixel);
  const shown = grid.shown ??= new Int8Array(w.pes);
  shown.fill(-1);
  eachRun(grid.t, state.stamp, (first, length, source) => {
    const end = first + length, rank = v.ranks[source], pixel = v.pixels[source];
    for (let p = first; p < end; p++) if (rank > shown[p]) {
      shown[p] = rank;
      grid.pixels[at.rows[p] * l.columns + at.columns[p]] = pixel;
    }
  });
  grid.copy.getContext("2d").putImageData(grid.image, 0, 0);
  c.imageSmoothingEnabled = grid.scale < 1;
  c.drawImage(grid.copy, 0, 0, grid.width * 2, grid.height * 2);
  if (grid.scale >= 6) drawGaps(v, grid);
  c.strokeStyle = v.inkColor;
  c.lineWidth = 2;
  const size = Math.max(10, 2 * grid.scale);
  for (const p of marked(v, grid.t))
    c.strokeRect((at.columns[p] + 0.5) * 2 * grid.scale - size / 2, (at.rows[p] + 0.5) * 2 * grid.scale - size / 2, size, size);
}

// PEs that are large enough are told apart by gaps.
function drawGaps(v, grid) {
  const c = grid.context, l = v.w.layout, step = 2 * grid.scale;
  c.fillStyle = v.backColor;
  for (let x = 1; x < l.columns; x++) c.fillRect(Math.round(x * step) - 1, 0, 2, grid.height * 2);
  for (let y = 1; y < l.rows; y++) c.fillRect(0, Math.round(y * step) - 1, grid.width * 2, 2);
}

function drawStamp(v) {
  const w = v.w;
  for (const grid of v.grids) {
    if (grid.small) drawSmall(v, grid);
    else drawLarge(v, grid);
    const n = countStamp(w, grid.t, state.stamp), all = n.reduce((a, b) => a + b, 0);
    grid.counts = n;
    grid.note.textContent = all === 0 ? "no words in this stamp" :
      `${number(all)} word${all === 1 ? "" : "s"}: ` + n.map((x, i) => x > 0 ? `${number(x)} ${sourceLabel(w.sources[i])}` : null).filter((x) => x).join(", ");
  }
  v.cursor.attr("x", v.cursorX(state.stamp)).attr("width", Math.max(2, v.cursorX(1) - v.cursorX(0)));
  v.details.replaceChildren(...followDetails(v));
}

const pixelOf = (css) => { const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(css.slice(i, i + 2), 16)); return (255 << 24 | b << 16 | g << 8 | r) >>> 0; };

function otherWindow(v) {
  const line = data.command ?? "sator report ...";
  const bare = line.replace(/ (--from|--stamps|-o|--output)[ =]('[^']*'|\S+)/g, "");
  return `${bare} --from '${stampText(v.w, v.w.n - 1)}' --stamps ${v.w.n} -o next.html`;
}

function windowNote(w, r) {
  const all = count(r.time_stamps);
  const where = w.at_start && w.at_end ? "all of the run" : w.at_start ? "the first of the run" : w.at_end ? "the last of the run" : "from within the run";
  return `${number(w.n)} of ${all} time-stamps, ${where}${w.is_short ? " (as many as fit the default of words)" : ""}. ` +
    "A PE's colour says where its word comes from in this stamp; an arrow, which neighbour had it before. Of several words the one from farthest away shows." +
    (w.layout.fold ? ` The row of PEs is folded: ${w.layout.fold} in a line.` : "");
}

export function arrayPage() {
  const w = windowOf(layer().window), r = result();
  view = null;
  if (!w) return [el("p", {}, `The stamps of this layer cannot be shown: ${data.results[layer().result].no_window ?? "no window"}.`)];
  const v = { w, grids: [], colors: sourceColors(w), followed: null, trace: null, mode: "element", frame: 0 };
  state.stamp = state.stamp === null ? firstToSee(w) : Math.min(state.stamp, w.n - 1);
  v.ranks = w.sources.map((s) => ["register", "link", "bus", "memory"].indexOf(s.kind)); // of several words the farthest shows
  v.hexes = v.colors.map(realColor);
  v.paints = v.colors.map(color);
  v.inks = v.hexes.map(inkOn);
  v.pixels = v.hexes.map(pixelOf);
  v.idlePixel = pixelOf(realColor("idle"));
  v.inkColor = realColor("ink");
  v.backColor = realColor("back");
  const play = controls(v), over = overview(v);
  v.grids = w.tensors.map((t, i) => makeGrid(v, t, i));
  v.details = el("div", { class: "details", tabindex: "0", role: "group", "aria-label": "What is followed" });
  const mode = (name, text) => { const b = el("button", { type: "button", "aria-pressed": String(v.mode === name), onclick: () => {
    v.mode = name; for (const x of modes) x.setAttribute("aria-pressed", String(x === b)); } }, text); return b; };
  const modes = [mode("element", "an element"), mode("pe", "a PE")];
  const used = w.sources.map((s, i) => i).filter((i) => totals(w).some((x) => x[i] > 0));
  v.root = el("div", { onkeydown: (event) => keys(v, event) },
    el("p", { class: "faint" }, windowNote(w, r)),
    legend([...used.map((i) => [sourceLabel(w.sources[i]), color(v.colors[i])]), ["idle", color("idle")]]),
    play, el("div", { class: "grids" }, v.grids.map((g) => g.figure)),
    el("div", { class: "play" }, el("span", {}, "A click follows"), modes), v.details, over,
    el("p", { class: "faint" }, "Keys: space plays, arrows step, Page Up and Page Down go ten stamps, Home and End to the ends, Escape stops following."),
    w.at_end ? null : el("div", {}, el("h3", {}, "Another window"), el("div", { class: "command" }, el("code", {}, otherWindow(v)))));
  view = v;
  goTo(v, state.stamp, false);
  window.satorView = v;
  return [v.root];
}

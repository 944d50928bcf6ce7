// What all pages share: the data, numbers as text, elements, pictures with their tools.
import { format as d3format, select } from "d3";

export const data = JSON.parse(document.getElementById("data").textContent);
for (const c of data.points?.columns ?? []) c.items ??= c.at ? c.at.map((i) => c.values[i]) : new Array(data.points.rows).fill(c.same);
export const state = { design: 0, layer: 0, stamp: null, redraw: () => {}, address: () => {} };

export const design = () => data.designs[state.design];
export const layer = () => design().layers[Math.min(state.layer, design().layers.length - 1)];
export const resultOf = (l) => data.results[l.result].json;
export const result = () => resultOf(layer());
export const archOf = (d) => data.archs[d.arch];
// Designs that differ in their machine alone are called by it.
const oneEach = data.archs.length > 1 && data.designs.length === data.archs.length && new Set(data.designs.map((d) => d.arch)).size === data.archs.length &&
  new Set(data.designs.map((d) => d.summary)).size === 1;
export const designName = (d) => oneEach ? archOf(d).name : data.archs.length > 1 ? `${archOf(d).name}, ${d.summary}` : d.summary;
export const designsText = () => data.designs.length === 1 ? `${design().summary}; machine ${archOf(design()).name}` :
  oneEach ? `${data.designs.length} machines: ${design().summary}` : `${data.designs.length} designs`;

// ---- numbers ----
const grouped = d3format(",");
export const count = (x) => x === null || x === undefined ? "-" :
  String(x).replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));
export const number = (x, digits = 2) => {
  if (x === null || x === undefined || !isFinite(x)) return "-";
  if (digits === 0) x = Math.round(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return grouped(x);
  return Math.abs(x) >= 1e6 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toPrecision(4) : d3format(`,.${digits}f`)(x);
};
export const short = (x) => x === null || !isFinite(x) ? "-" : Math.abs(x) < 1000 ? String(+x.toPrecision(3)) :
  d3format(".3~s")(x).replace("G", "G");
export const percent = (x, digits = 1) => x === null || !isFinite(x) ? "-" : `${(100 * x).toFixed(digits)} %`;
export const energy = (pj) => {
  if (pj === null || pj === undefined || !isFinite(pj)) return "-";
  const [size, unit] = pj >= 1e12 ? [1e12, "J"] : pj >= 1e9 ? [1e9, "mJ"] : pj >= 1e6 ? [1e6, "µJ"] : pj >= 1e3 ? [1e3, "nJ"] : [1, "pJ"];
  return `${number(pj / size)} ${unit}`;
};
// Which time "total" is, as an addition to "cycles": see timing of doc/output.md.
export const timingOf = (results) => {
  const kinds = new Set(results.map((r) => r.timing));
  return kinds.size > 1 ? "scheduled and rooflines mixed" : kinds.has("scheduled") ? "as scheduled" : "of the roofline";
};

// What the latency is made of, by name: its parts add up to it. A roofline has one, what decides it.
export function latencyParts(json) {
  if (json.timing !== "scheduled") return new Map([[`bound by ${json.bound_by ?? "-"}`, json.latency_cycles.total ?? 0]]);
  const waiting = json.ports.map((p) => [`waiting for ${p.name}`, (p.exposed ?? 0) + (p.stalled ?? 0)]).filter(([, cycles]) => cycles > 0);
  return new Map([["computing", json.latency_cycles.scheduled_compute], ...waiting]);
}

export const time = (cycles, mhz) => {
  if (cycles === null || !mhz) return null;
  const s = cycles / (mhz * 1e6);
  const [size, unit] = s >= 1 ? [1, "s"] : s >= 1e-3 ? [1e-3, "ms"] : s >= 1e-6 ? [1e-6, "µs"] : [1e-9, "ns"];
  return `${number(s / size, 3)} ${unit}`;
};
export const num = (x) => x === null || x === undefined ? NaN : Number(x);

// ---- elements ----
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return made;
}

export function choice(label, options, chosen, change) {
  const box = el("select", { onchange: (e) => change(e.target.selectedIndex, e.target.value) },
    options.map((o, i) => { const x = el("option", { value: i }, o); x.selected = i === chosen; return x; }));
  return el("label", {}, label, box);
}

export function table(caption, head, rows, { total = 0, best = null } = {}) {
  const body = rows.map((row, r) => el("tr", { class: r >= rows.length - total ? "total" : null },
    row.map((cell, c) => el(c === 0 ? "th" : "td", { scope: c === 0 ? "row" : null, class: best && best[c] === r ? "best" : null },
      cell instanceof Node ? cell : String(cell)))));
  const isText = (c) => rows.some((row) => row[c] instanceof Node && row[c].classList.contains("left"));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, head.map((h, c) => el("th", { scope: "col", class: isText(c) ? "text" : null }, h)))), el("tbody", {}, body)));
}

export function command(text) {
  return el("div", { class: "command" }, el("code", {}, text), copyButton("Copy command", () => text));
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = el("textarea", { "aria-hidden": "true" });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}
export const copied = { last: "" };
export function copyButton(label, text) {
  const button = el("button", { type: "button", onclick: async () => {
    copied.last = text();
    await toClipboard(copied.last);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1200);
  } }, label);
  return button;
}

export const csv = (rows) => rows.map((row) => row.map((cell) => {
  const text = cell === null || cell === undefined || (typeof cell === "number" && isNaN(cell)) ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",")).join("\n") + "\n";

// A picture as a file of its own: what the style sheet gives is written into the elements.
export function svgText(svg) {
  const copy = svg.cloneNode(true);
  const theirs = [svg, ...svg.querySelectorAll("*")], ours = [copy, ...copy.querySelectorAll("*")];
  theirs.forEach((from, i) => {
    const style = getComputedStyle(from);
    for (const key of ["fill", "stroke", "stroke-width", "font-size", "font-family", "font-weight", "opacity", "text-anchor"])
      ours[i].setAttribute(key, style.getPropertyValue(key));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function save(name, text, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A figure with what belongs to it: a caption, its data, the picture as a file.
export function figure(name, picture, caption, rows) {
  const svg = picture instanceof SVGElement ? picture : null;
  return el("figure", { "data-picture": name }, picture,
    caption ? el("figcaption", {}, caption) : null,
    el("div", { class: "tools" }, rows ? copyButton("Copy data as CSV", () => csv(rows())) : null,
      svg ? el("button", { type: "button", onclick: () => save(`${name}.svg`, svgText(svg), "image/svg+xml") }, "Save SVG") : null));
}

export function canvas(width, height, label) {
  return select(document.createElementNS("http://www.w3.org/2000/svg", "svg"))
    .attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height)
    .attr("role", "img").attr("aria-label", label);
}

export const color = (name) => `var(--${name})`;
export const realColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const series = (i) => color(`t${i % 8}`);

export function legend(items) {
  return el("ul", { class: "legend" }, items.map(([name, paint, text]) => {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = paint;
    return el("li", {}, swatch, name, text === undefined ? null : el("span", { class: "faint" }, text));
  }));
}

// ---- hovering ----
const tip = el("div", { class: "tip", hidden: true, role: "status" });
document.body.append(tip);
export function hover(selection, text) {
  selection.on("pointermove", (event, d) => {
    tip.textContent = text(d);
    tip.hidden = false;
    const wide = document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, Math.min(event.pageX + 14, wide - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.pageY + 16}px`;
  }).on("pointerleave", () => { tip.hidden = true; });
  return selection;
}
export function showTip(event, text) {
  tip.hidden = text === null;
  if (text === null) return;
  tip.textContent = text;
  const wide = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(event.pageX + 14, wide - tip.offsetWidth - 8))}px`;
  tip.style.top = `${event.pageY + 16}px`;
}

export const room = (most = 1280) => Math.min(most, Math.max(300, document.getElementById("page").clientWidth - 40));
export const narrow = () => room() < 700;
export const clip = (text, n) => text.length <= n ? text : text.slice(0, n - 1) + "…";
export const tensorLabel = (json, t) => json.tensors.filter((o) => o.name === t.name).length > 1 ? `${t.name} (${t.role})` : t.name;

// Energy by component and latency by layer: which layers, and which parts, matter.
import { axisBottom, max, scaleLinear, stack, sum } from "d3";
import { canvas, clip, color, count, data, design, designName, el, energy, figure, hover, latencyParts, legend, narrow, number, percent, resultOf, room,
  series, short, state, table, timingOf } from "./base.js";

// Rows: the layers of a network, else all designs of the page.
export function rowsOf(d) {
  if (d.layers.length > 1) return d.layers.map((l) => ({ name: l.repeat > 1 ? `${l.name} (${l.repeat} times)` : l.name, repeat: l.repeat, json: resultOf(l) }));
  return data.designs.filter((o) => o.layers.length === 1).map((o) => ({ name: designName(o), repeat: 1, json: resultOf(o.layers[0]) }));
}

export function componentsOf(rows) {
  const sums = new Map();
  for (const row of rows)
    for (const [name, pj] of Object.entries(row.json.energy_pj.by_component)) sums.set(name, (sums.get(name) ?? 0) + (pj ?? 0) * row.repeat);
  return [...sums].sort((a, b) => b[1] - a[1]).map((x) => x[0]);
}

// Horizontal stacked bars: values[row][part].
export function bars(name, label, rows, parts, value, show, paint, note) {
  const width = room(), left = narrow() ? 134 : 210, line = 26, height = rows.length * line + 34;
  const svg = canvas(width, height, label);
  const x = scaleLinear([0, max(rows, (r) => sum(parts, (p) => value(r, p))) || 1], [left, width - 70]);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 28})`).call(axisBottom(x).ticks(narrow() ? 3 : 7).tickFormat((v) => v === 0 ? "0" : show(v, true)));
  const groups = svg.selectAll("g.part").data(stack().keys(parts).value(value)(rows)).join("g").attr("fill", (d) => paint(d.key));
  const rects = groups.selectAll("rect").data((d) => d.map((s) => ({ part: d.key, row: s.data, from: s[0], to: s[1] }))).join("rect")
    .attr("x", (d) => x(d.from)).attr("width", (d) => Math.max(0, x(d.to) - x(d.from))).attr("y", (d, i) => i * line + 3).attr("height", line - 6)
    .attr("stroke", color("back")).attr("stroke-width", 0.7);
  hover(rects, (d) => `${d.row.name}\n${d.part}: ${show(d.to - d.from)}, ${percent((d.to - d.from) / (sum(parts, (p) => value(d.row, p)) || 1))} of this bar`);
  svg.append("g").selectAll("text").data(rows).join("text").attr("x", left - 8).attr("y", (d, i) => i * line + line / 2).attr("dy", "0.35em").attr("text-anchor", "end")
    .attr("font-size", 12.5).text((d) => clip(d.name, narrow() ? 18 : 30));
  svg.append("g").selectAll("text").data(rows).join("text").attr("x", (d) => x(sum(parts, (p) => value(d, p))) + 5).attr("y", (d, i) => i * line + line / 2).attr("dy", "0.35em")
    .attr("font-size", 12).attr("class", "faint").text((d) => show(sum(parts, (p) => value(d, p)), true));
  return figure(name, svg.node(), note, () => [["row", ...parts], ...rows.map((r) => [r.name, ...parts.map((p) => value(r, p))])]);
}

const most = 8;
export const partPaint = (parts) => (p) => p === "others" ? color("s-register") : series(parts.indexOf(p));

// Terms of one component and figure, of several tensors, as one.
function together(terms) {
  const sums = new Map();
  for (const t of terms) {
    const key = JSON.stringify([t.component, t.pj_per_action, t.source]), known = sums.get(key);
    if (known) { known.actions = String(BigInt(known.actions) + BigInt(t.actions)); known.pj = known.pj === null ? null : known.pj + t.pj; }
    else sums.set(key, { ...t });
  }
  return [...sums.values()];
}

export function energyPage() {
  const d = design(), rows = rowsOf(d), network = d.layers.length > 1, known = rows.filter((r) => r.json.energy_pj.total !== null);
  const all = componentsOf(rows), parts = all.slice(0, all.length > most ? most - 1 : most);
  const value = (r, p) => r.repeat * (p === "others" ? sum(all.slice(most - 1), (c) => r.json.energy_pj.by_component[c] ?? 0) : r.json.energy_pj.by_component[p] ?? 0);
  if (all.length > most) parts.push("others");
  const paint = partPaint(parts);
  const total = d.totals, out = [];
  if (network) out.push(el("p", {}, `${d.layers.length} layers, repeats included: ${number(total.cycles, 0)} cycles, ${energy(total.energy_pj)}.`));
  out.push(el("h3", {}, "Energy"));
  if (known.length === 0) out.push(el("p", { class: "faint" }, "The architecture does not say what an action costs (energy_pj): no energy is known."));
  else out.push(legend(parts.map((p) => [p, paint(p)])), bars("energy", "Energy by component", known, parts, value, (v) => energy(v), paint,
    network ? "Energy of each layer, repeats included, by component." : "Energy by component."));
  const spent = [...new Set(rows.flatMap((r) => [...latencyParts(r.json).keys()]))];
  const cyclesOf = (r, p) => (latencyParts(r.json).get(p) ?? 0) * r.repeat;
  const timing = timingOf(rows.map((r) => r.json));
  out.push(el("h3", {}, "Latency"), legend(spent.map((p, i) => [p, series(i)])),
    bars("latency", "Latency by what it is made of", rows, spent, cyclesOf, (v) => short(v), (p) => series(spent.indexOf(p)), `Cycles ${timing}: what ${timing === "of the roofline" ? "decides them" : "they are made of"}.`));
  const pick = (row) => network ? row : row.filter((_, i) => i !== 2 && i !== 8); // shares are of a network
  const heads = pick([network ? "layer" : "design", "cycles", "share", "compute", "read", "write", "bound by", "energy", "share"]);
  const cycles = sum(rows, (r) => (r.json.latency_cycles.total ?? 0) * r.repeat), pj = sum(rows, (r) => (r.json.energy_pj.total ?? 0) * r.repeat);
  const lines = rows.map((r) => { const t = r.json.latency_cycles; return pick([r.name, number(t.total * r.repeat, 0), network ? percent(t.total * r.repeat / cycles) : "",
    number(t.compute * r.repeat, 0), t.read === null ? "-" : number(t.read * r.repeat, 0), t.write === null ? "-" : number(t.write * r.repeat, 0), r.json.bound_by,
    energy(r.json.energy_pj.total === null ? null : r.json.energy_pj.total * r.repeat), network && r.json.energy_pj.total !== null ? percent(r.json.energy_pj.total * r.repeat / pj) : ""]); });
  if (network) lines.push(["all layers", number(total.cycles, 0), "", "", "", "", "", energy(total.energy_pj), ""]);
  out.push(table(network ? "Layers, repeats included" : "Designs", heads, lines, { total: network ? 1 : 0 }),
    el("p", { class: "faint" }, `Cycles ${timing}; compute, read and write take as many if nothing waits for anything: the longest is the roofline.`));
  const shown = resultOf(d.layers[Math.min(state.layer, d.layers.length - 1)]);
  out.push(el("h3", {}, `Each action${network ? ` of ${d.layers[state.layer].name}` : ""}`), table("Energy terms", ["component", "actions", "pJ each", "energy", "where the figure comes from"],
    together(shown.energy_pj.terms).map((t) => [t.component, count(t.actions), number(t.pj_per_action, 3), energy(t.pj), el("span", { class: "left" }, t.source ?? "-")])));
  return out;
}

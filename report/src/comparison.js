// Designs side by side, and the difference between two of them explained by component.
import { axisBottom, max, scaleLinear } from "d3";
import { canvas, choice, clip, color, data, designName, el, energy, figure, hover, latencyParts, narrow, number, percent, resultOf, room, short,
  table, timingOf } from "./base.js";

const pick = { base: 0, other: 1 };

function figures(d) {
  const one = d.layers.length === 1 ? resultOf(d.layers[0]) : null;
  return { name: designName(d), timing: timingOf(d.layers.map(resultOf)), cycles: d.totals.cycles, pj: d.totals.energy_pj, edp: d.totals.cycles !== null && d.totals.energy_pj !== null ? d.totals.cycles * d.totals.energy_pj : null,
    macs: d.totals.cycles ? d.totals.instances / d.totals.cycles : null, use: one?.utilization.average ?? null, bound: one?.bound_by ?? "", unique: one?.unique_volume ?? null };
}

function parts(d) {
  const sums = new Map();
  for (const l of d.layers) for (const [name, pj] of Object.entries(resultOf(l).energy_pj.by_component)) sums.set(name, (sums.get(name) ?? 0) + (pj ?? 0) * l.repeat);
  return sums;
}

const scheduled = (f) => f.timing === "as scheduled";

// Cycles by what they are spent on: of scheduled times the parts of the latency; else the delays of the compute units and
// of each port, of which one is the latency.
function delays(d, asScheduled) {
  const sums = new Map();
  for (const l of d.layers) {
    const json = resultOf(l);
    if (asScheduled) {
      for (const [name, cycles] of latencyParts(json)) sums.set(name, (sums.get(name) ?? 0) + cycles * l.repeat);
      continue;
    }
    sums.set("compute", (sums.get("compute") ?? 0) + json.latency_cycles.compute * l.repeat);
    for (const p of json.ports) if (p.cycles !== null) sums.set(p.name, (sums.get(p.name) ?? 0) + p.cycles * l.repeat);
  }
  return sums;
}

function differences(name, label, a, b, show, note) {
  const rest = [...new Set([...a.keys(), ...b.keys()])].map((k) => ({ k, from: a.get(k) ?? 0, to: b.get(k) ?? 0 })).map((r) => ({ ...r, by: r.to - r.from }))
    .filter((r) => r.from !== 0 || r.to !== 0);
  const equal = rest.filter((r) => r.by === 0).map((r) => r.k), keys = rest.filter((r) => r.by !== 0).sort((p, q) => Math.abs(q.by) - Math.abs(p.by)).slice(0, 14);
  const width = room(900), left = narrow() ? 134 : 190, line = 24, height = keys.length * line + 34, svg = canvas(width, height, label);
  const most = max(keys, (r) => Math.abs(r.by)) || 1, x = scaleLinear([-most, most], [left + 34, width - 34]);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 28})`).call(axisBottom(x).ticks(narrow() ? 3 : 7).tickFormat((v) => v === 0 ? "equal" : `${v > 0 ? "+" : "-"}${show(Math.abs(v))}`));
  svg.append("line").attr("x1", x(0)).attr("x2", x(0)).attr("y1", 0).attr("y2", height - 28).attr("stroke", color("faint"));
  const rows = svg.selectAll("g.row").data(keys).join("g").attr("transform", (r, i) => `translate(0,${i * line})`);
  rows.append("rect").attr("x", (r) => Math.min(x(0), x(r.by))).attr("width", (r) => Math.abs(x(r.by) - x(0))).attr("y", 3).attr("height", line - 7).attr("rx", 2).attr("fill", (r) => r.by > 0 ? color("t1") : color("t2"));
  rows.append("text").attr("x", left).attr("y", line / 2).attr("dy", "0.3em").attr("text-anchor", "end").attr("font-size", 12.5).text((r) => clip(r.k, narrow() ? 18 : 28));
  hover(rows, (r) => `${r.k}: ${show(r.from)} against ${show(r.to)}`);
  return figure(name, svg.node(), equal.length > 0 ? `${note} Equal: ${equal.join(", ")}.` : note, () => [["component", "first", "second", "difference"], ...[...keys, ...rest.filter((r) => r.by === 0)].map((r) => [r.k, r.from, r.to, r.by])]);
}

export function comparisonPage() {
  const all = data.designs.map(figures), low = (key) => all.reduce((best, f, i) => f[key] !== null && (best < 0 || f[key] < all[best][key]) ? i : best, -1);
  const high = (key) => all.reduce((best, f, i) => f[key] !== null && (best < 0 || f[key] > all[best][key]) ? i : best, -1);
  const again = (key) => (i) => { pick[key] = i; document.getElementById("page-comparison").replaceChildren(el("h2", { id: "h-comparison" }, "Comparison"), ...comparisonPage()); };
  const names = all.map((f) => f.name), a = data.designs[pick.base], b = data.designs[pick.other], fa = all[pick.base], fb = all[pick.other];
  const ratio = (p, q) => p === null || q === null || !p ? "-" : q === p ? "equal" : Math.abs(q / p - 1) < 0.005 ? `${(100 * Math.abs(q / p - 1)).toPrecision(2)} % ${q < p ? "less" : "more"}` :
    q < p ? `${number(p / q)}x less` : `${number(q / p)}x more`;
  const both = scheduled(fa) && scheduled(fb);
  const columns = [["design", (f) => f.name, null], ["cycles", (f) => number(f.cycles, 0), low("cycles")], ["cycles are", (f) => all.every(scheduled) ? "" : f.timing, null], ["energy", (f) => energy(f.pj), low("pj")],
    ["pJ x cycles", (f) => f.edp === null ? "-" : f.edp.toPrecision(4), low("edp")], ["MACs a cycle", (f) => number(f.macs), high("macs")],
    ["PEs busy", (f) => f.use === null ? "-" : percent(f.use), high("use")], ["bound by", (f) => f.bound, null]]
    .filter(([, text]) => all.some((f) => !["", "-"].includes(text(f))));
  const out = [table("Designs; the best of each column is bold", columns.map(([name]) => name), all.map((f) => columns.map(([, text]) => text(f))),
    { best: columns.map(([, , best]) => best) }),
    el("h3", {}, "The difference, explained"),
    el("div", { class: "choices" }, choice("From", names, pick.base, again("base")), choice("to", names, pick.other, again("other"))),
    el("p", {}, `${fb.name} takes ${ratio(fa.cycles, fb.cycles).replace("less", "fewer")} cycles and ${ratio(fa.pj, fb.pj)} energy than ${fa.name}.`.replace("equal cycles", "as many cycles").replace("equal energy", "as much energy"))];
  if (fa.pj !== null && fb.pj !== null) out.push(el("h3", {}, "Energy"), differences("energy-difference", "Difference of energy by component", parts(a), parts(b), energy,
    "Energy by component, second less first: bars to the left save."));
  out.push(el("h3", {}, "Cycles"), differences("latency-difference", "Difference of cycles", delays(a, both), delays(b, both), short, both ?
    "What the cycles are spent on, second less first: the bars add up to the difference of the two." :
    "Delay of the compute units and of each port in cycles, second less first: the longest delay of a layer is its roofline."));
  return out;
}

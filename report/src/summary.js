// The machine with what crosses each edge, the figures that matter, and what to change.
import { max, scaleSqrt } from "d3";
import { archOf, canvas, color, count, data, design, el, energy, figure, hover, layer, narrow, num, number, percent,
  result, resultOf, room, series, short, table, tensorLabel, time, timingOf } from "./base.js";

// For each tensor the memories that hold it, outermost first, and the words that cross from one to the next.
export function edges(json) {
  const found = [];
  json.tensors.forEach((t, i) => {
    const held = json.levels.map((l, at) => ({ at, is: l.tensors.find((x) => x.name === t.name && x.role === t.role) })).filter((x) => x.is);
    held.forEach((h, k) => {
      const next = held[k + 1];
      const down = next ? num(next.is.fills) : num(h.is.reads), up = t.role === "write" ? num(h.is.updates) : 0;
      found.push({ tensor: i, name: tensorLabel(json, t), from: h.at, to: next ? next.at : json.levels.length, down, up, words: down + up });
    });
  });
  return found;
}

function machine(json, arch) {
  const width = room(narrow() ? 600 : 760), boxes = [];
  let memory = 0;
  for (const level of arch.levels) boxes.push({ level, memory: level.kind === "memory" ? memory++ : level.kind === "compute" ? json.levels.length : -1 });
  const height = 66, gap = 30, all = edges(json);
  const svg = canvas(width, boxes.length * (height + gap) - gap + 8, `Machine ${arch.name} and the words that cross its edges`);
  const lane = Math.min(150, (width * (narrow() ? 0.5 : 0.56)) / json.tensors.length), left = width - lane * json.tensors.length - 4;
  const y = (i) => 4 + i * (height + gap);
  const yOf = (at) => y(boxes.findIndex((b) => b.memory === at));
  const thick = scaleSqrt([0, max(all, (e) => e.words) || 1], [1.5, Math.min(26, lane * (narrow() ? 0.18 : 0.24))]);
  const boundBy = json.ports.find((p) => p.name === json.bound_by);
  const isBound = (b) => b.level.kind === "compute" ? json.bound_by === "compute" : boundBy?.level === b.level.name;

  const box = svg.append("g").selectAll("g").data(boxes).join("g").attr("transform", (d, i) => `translate(4,${y(i)})`);
  box.append("rect").attr("width", width - 8).attr("height", height).attr("rx", 8).attr("fill", (b) => b.level.kind === "array" ? color("back") : color("panel"))
    .attr("stroke", (b) => isBound(b) ? color("hot") : color("line")).attr("stroke-width", (b) => isBound(b) ? 2.5 : 1).attr("stroke-dasharray", (b) => b.level.kind === "array" ? "5 4" : null);
  box.append("text").attr("x", 12).attr("y", 23).attr("font-weight", 650).attr("font-size", 14).text((b) => b.level.name);
  box.append("text").attr("class", "faint").attr("x", 12).attr("y", 41).attr("font-size", narrow() ? 11 : 12).text((b) => about(b, json)[0]);
  box.append("text").attr("x", 12).attr("y", 57).attr("font-size", narrow() ? 11 : 12).attr("class", "faint").text((b) => about(b, json)[1])
    .style("fill", (b) => isBound(b) ? color("hot") : null).attr("font-weight", (b) => isBound(b) ? 650 : null);

  const x = (e) => left + lane * (e.tensor + (narrow() ? 0.16 : 0.4));
  const line = svg.append("g").selectAll("g").data(all).join("g");
  const top = (e) => yOf(e.from) + height / 2 + 9, bottom = (e) => yOf(e.to) + height / 2 - 15;
  line.append("line").attr("x1", x).attr("x2", x).attr("y1", top).attr("y2", bottom).attr("stroke", (e) => series(e.tensor))
    .attr("stroke-width", (e) => e.words === 0 ? 1 : thick(e.words)).attr("stroke-dasharray", (e) => e.words === 0 ? "2 4" : null).attr("stroke-linecap", "butt");
  hover(line, (e) => `${e.name}: ${count(e.down)} words inward${e.up ? `, ${count(e.up)} outward` : ""}`);
  const label = line.append("g").attr("transform", (e) => `translate(${x(e) + thick(e.words) / 2 + 5},${yOf(e.to) - gap / 2})`);
  label.append("text").attr("dy", "0.35em").attr("font-size", narrow() ? 11 : 12).text((e) => `${e.up > e.down ? "↑" : e.words ? "↓" : ""}${narrow() ? "" : " "}${short(e.words)}`);
  const heads = svg.append("g").selectAll("g").data(all.filter((e, i) => all.findIndex((o) => o.tensor === e.tensor) === i)).join("g")
    .attr("transform", (e) => `translate(${x(e)},${yOf(e.from) + height / 2})`);
  heads.append("circle").attr("r", 9).attr("fill", (e) => series(e.tensor));
  heads.append("text").attr("y", -14).attr("text-anchor", "middle").attr("font-weight", 650).attr("font-size", 13).text((e) => e.name);
  const stops = svg.append("g").selectAll("circle").data(all.filter((e) => e.to < json.levels.length)).join("circle");
  stops.attr("cx", x).attr("cy", (e) => yOf(e.to) + height / 2).attr("r", 5).attr("fill", (e) => series(e.tensor));
  return figure("machine", svg.node(), "Words that cross between the memories that hold a tensor, and into the compute units; width grows with the root of their number. What decides the latency is framed.",
    () => [["tensor", "from", "to", "words inward", "words outward"], ...all.map((e) => [e.name, json.levels[e.from].name, json.levels[e.to]?.name ?? "compute", e.down, e.up])]);
}

function about(b, json) {
  const level = b.level;
  if (level.kind === "array")
    return [`${level.shape.join(" x ")} PEs`, [...level.links.map((l) => l.name), ...level.buses.map((x) => x.name)].join(", ").slice(0, 44)];
  if (level.kind === "compute") return [`${number(num(json.pes))} units, ${number(num(json.max_active_pes))} busy at most`, `${number(json.latency_cycles.compute)} cycles`];
  const memory = json.levels[b.memory], ports = json.ports.filter((p) => p.level === level.name && p.cycles !== null);
  const slowest = ports.sort((p, q) => q.cycles - p.cycles)[0];
  const size = memory.capacity_bytes !== null ? `, ${short(memory.capacity_bytes)}B each` : memory.capacity_words !== null ? `, ${short(memory.capacity_words)} words each` : "";
  const n = num(memory.instances);
  const many = narrow() && size ? `${number(n)} x ${size.slice(2).replace(" each", "")}` : `${number(n)} instances${size}`;
  return [n === 1 ? `1 instance${size.replace(" each", "")}` : many, slowest ? `${slowest.name.replace(`${level.name} `, "").replace(`${level.name}.`, "")}: ${narrow() ? short(slowest.cycles) : `${number(slowest.cycles, 0)} cycles`}` : ""];
}

function tile(value, text, hot) {
  // names of ports may be broken after a dot
  return el("div", { class: hot ? "tile hot" : "tile" }, el("b", {}, value.split(/(?<=[a-z]\.)(?=[a-z])/).flatMap((x, i) => i === 0 ? [x] : [el("wbr"), x])), el("span", {}, text));
}

export function summaryPage() {
  const json = result(), arch = archOf(design()), advice = data.results[layer().result].advice;
  const clock = json.clock_mhz, t = time(json.latency_cycles.total, clock);
  const tops = clock ? 2 * json.macs_per_cycle * clock / 1e6 : null;
  const { roofline, scheduled, unscheduled } = json.latency_cycles;
  const other = json.timing === "scheduled" ? tile(number(roofline, 0), "cycles of the roofline, if nothing waited") :
    typeof scheduled === "number" ? tile(number(scheduled, 0), "cycles as scheduled") : null;
  const tiles = el("div", { class: "tiles" },
    tile(`${number(json.latency_cycles.total, 0)}`, `cycles ${timingOf([json])}${t ? `, ${t} at ${number(clock)} MHz` : ""}`),
    other,
    tile(json.bound_by ?? "-", "bounds the latency", true),
    tops ? tile(number(tops, 3), "TOPS (two operations a MAC)") : tile(number(json.macs_per_cycle), "MACs per cycle"),
    tile(energy(json.energy_pj.total), "energy"),
    tile(percent(json.utilization.average), `PEs busy on average, ${percent(json.utilization.max)} at most`),
    tile(count(json.instances), "MACs"));
  const words = advice.length === 0 ? [el("p", { class: "faint" }, "Nothing single stands out: no port or component can be widened alone to any effect.")] :
    [el("ul", { class: "advice" }, advice.map((a) => el("li", {}, `${a.text} `, el("b", {}, `${number(a.gain)}x ${a.of === "energy" ? "less energy" : "faster"}`))))];
  const volumes = table("Volumes in words", ["tensor", "accesses", "kept", "passed on", "from memory", "reuse"], json.tensors.map((x) =>
    [tensorLabel(json, x), count(x.access_volume), count(x.temporal_reuse), count(x.spatial_reuse), count(x.unique_volume), number(x.reuse_factor)]));
  const flow = el("dl", { class: "maps" }, [["space", json.dataflow.space], ["time", json.dataflow.time]].flatMap(([a, b]) => [el("dt", {}, a), el("dd", {}, el("code", {}, b ?? "-"))]));
  const d = design(), whole = d.layers.length === 1 ? null : el("p", {}, `All ${d.layers.length} layers together, repeats included: `, el("b", {}, `${number(d.totals.cycles, 0)} cycles`), ` ${timingOf(d.layers.map(resultOf))}`,
    time(d.totals.cycles, clock) ? ` (${time(d.totals.cycles, clock)})` : "", ", ", el("b", {}, energy(d.totals.energy_pj)), `. Below: layer ${layer().name}.`);
  const why = unscheduled ? el("p", { class: "faint" }, `No scheduled time is counted: ${unscheduled}`) : null;
  return [whole, tiles, why, el("div", { class: "columns" }, el("div", {}, machine(json, arch)),
    el("div", {}, el("h3", {}, "What to change"), ...words, el("h3", {}, "Reuse"), volumes, el("h3", {}, "Dataflow"), flow))];
}

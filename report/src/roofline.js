// The roofline: for a port, what its bandwidth allows at each intensity, and where the designs or layers are.
import { axisBottom, axisLeft, extent, max, min, scaleLog } from "d3";
import { archOf, canvas, choice, clip, color, data, design, designName, el, figure, hover, narrow, num, number, percent, resultOf, room,
  series, table } from "./base.js";

let port = null;

// All layers of the chosen design when it is a network, else all designs.
function points() {
  const d = design();
  if (d.layers.length > 1) return d.layers.map((l) => ({ name: l.name, json: resultOf(l), arch: archOf(d) }));
  return data.designs.filter((o) => o.layers.length === 1).map((o) => ({ name: designName(o), json: resultOf(o.layers[0]), arch: archOf(o) }));
}

export function intensity(json, name) {
  const p = json.ports.find((x) => x.name === name);
  return p && p.bits !== null && num(p.bits) > 0 ? num(json.instances) / num(p.bits) : null;
}
const bandwidth = (json, name) => json.ports.find((x) => x.name === name)?.bandwidth_bits ?? null;
const peak = (p) => num(p.json.pes) / (p.arch.levels.find((l) => l.kind === "compute")?.cycles ?? 1);

export function rooflinePage() {
  const all = points(), names = [...new Set(all.flatMap((p) => p.json.ports.filter((x) => x.bandwidth_bits !== null && num(x.bits) > 0).map((x) => x.name)))];
  if (names.length === 0) return [el("p", {}, "No memory of this machine states a bandwidth: there is no roof to draw but the PEs' own, ",
    `${number(peak(all[0]))} MACs per cycle; the design does ${number(all[0].json.macs_per_cycle)}.`)];
  const bounds = all.map((p) => p.json.bound_by).filter((b) => names.includes(b));
  const chosen = names.includes(port) ? port : bounds[0] ?? names[0];
  const shown = all.filter((p) => intensity(p.json, chosen) !== null);
  const width = room(980), height = narrow() ? 340 : 460, m = { left: 62, right: 14, top: 14, bottom: 46 };
  const svg = canvas(width, height, `Roofline over ${chosen}`);
  const roofs = [...new Map(all.map((p) => [`${p.arch.name}/${bandwidth(p.json, chosen)}`, p])).values()].filter((p) => bandwidth(p.json, chosen));
  const knees = roofs.map((p) => peak(p) / bandwidth(p.json, chosen));
  const xs = extent([...shown.map((p) => intensity(p.json, chosen)), ...knees]), top = max(roofs.length ? roofs : all, peak);
  const x = scaleLog([xs[0] / 3, xs[1] * 3], [m.left, width - m.right]);
  const y = scaleLog([Math.min(min(shown, (p) => p.json.macs_per_cycle) ?? top, top) / 3, top * 1.8], [height - m.bottom, m.top]);
  svg.append("g").attr("class", "grid").attr("transform", `translate(0,${height - m.bottom})`).call(axisBottom(x).ticks(narrow() ? 3 : 6).tickSize(-(height - m.top - m.bottom)).tickFormat(""));
  svg.append("g").attr("class", "grid").attr("transform", `translate(${m.left},0)`).call(axisLeft(y).ticks(4).tickSize(-(width - m.left - m.right)).tickFormat(""));
  const plain = (v) => v >= 1e4 || v < 1e-3 ? v.toExponential(0) : String(+v.toPrecision(2));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - m.bottom})`).call(axisBottom(x).ticks(narrow() ? 3 : 6, plain));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${m.left},0)`).call(axisLeft(y).ticks(5, plain));
  svg.append("text").attr("class", "faint").attr("font-size", 12).attr("x", width - m.right).attr("y", height - 8).attr("text-anchor", "end").text(`MACs per bit through ${clip(chosen, 34)}`);
  svg.append("text").attr("class", "faint").attr("font-size", 12).attr("transform", `translate(14,${m.top}) rotate(-90)`).attr("text-anchor", "end").text("MACs per cycle");
  roofs.forEach((p, i) => {
    const bits = bandwidth(p.json, chosen), knee = peak(p) / bits, from = Math.max(x.domain()[0], y.domain()[0] / bits);
    svg.append("path").attr("fill", "none").attr("stroke", roofs.length > 1 ? series(i) : color("ink")).attr("stroke-width", 2.2)
      .attr("d", `M${x(from)},${y(from * bits)}L${x(knee)},${y(peak(p))}L${width - m.right},${y(peak(p))}`);
    svg.append("text").attr("font-size", 12).attr("x", width - m.right - 4).attr("y", y(peak(p)) - 6).attr("text-anchor", "end").text(`${roofs.length > 1 ? `${p.arch.name}: ` : ""}${number(peak(p))} MACs a cycle`);
    const mid = Math.sqrt(from * knee), angle = Math.atan2(y(knee * bits) - y(from * bits), x(knee) - x(from)) * 180 / Math.PI;
    svg.append("text").attr("font-size", 12).attr("text-anchor", "middle").attr("transform", `translate(${x(mid)},${y(mid * bits) - 7}) rotate(${angle})`).text(`${number(bits)} bits a cycle`);
  });
  const dots = svg.append("g").selectAll("circle").data(shown).join("circle").attr("cx", (p) => x(intensity(p.json, chosen))).attr("cy", (p) => y(p.json.macs_per_cycle)).attr("r", 7)
    .attr("fill", (p) => series(all.indexOf(p))).attr("stroke", color("back")).attr("stroke-width", 1.5).attr("fill-opacity", 0.9);
  hover(dots, (p) => `${p.name}\n${number(p.json.macs_per_cycle)} MACs per cycle\n${number(intensity(p.json, chosen), 4)} MACs per bit\nbound by ${p.json.bound_by}`);
  const numbered = shown.length > 8, name = (p) => numbered ? String(shown.indexOf(p) + 1) : p.name;
  const roofBoxes = roofs.flatMap((p) => [[x(peak(p) / bandwidth(p.json, chosen)), y(peak(p)) - 2, width, 4], [width - m.right - 120 - 7 * (roofs.length > 1 ? p.arch.name.length : 0), y(peak(p)) - 18, width, 16]]);
  labels(svg, shown, roofBoxes, (p) => [x(intensity(p.json, chosen)), y(p.json.macs_per_cycle)], name, width);
  const select = choice("Port", names, names.indexOf(chosen), (i) => { port = names[i]; document.getElementById("page-roofline").replaceChildren(el("h2", { id: "h-roofline" }, "Roofline"), ...rooflinePage()); });
  return [el("p", { class: "faint" }, "A design lies under the roof: the slope is the port's bandwidth, the flat part all PEs at work. A point on the roof can only be moved by other words or a wider port.",
    all.some((p) => p.json.timing === "scheduled") ? " Points are at their scheduled times: below the roof, PEs and ports wait for each other, or another port decides." : ""),
    el("div", { class: "choices" }, select), figure("roofline", svg.node(), `Over the port ${chosen}.${numbered ? " Numbers are those of the table; of points that lie together some have none." : ""}`, () => [["name", "MACs per bit", "MACs per cycle", "bound by"], ...shown.map((p) => [p.name, intensity(p.json, chosen), p.json.macs_per_cycle, p.json.bound_by])]),
    table("Points", ["name", "MACs per bit", "MACs per cycle", "of the roof", "bound by"], shown.map((p) => { const b = bandwidth(p.json, chosen), roof = Math.min(peak(p), b ? b * intensity(p.json, chosen) : Infinity);
      return [numbered ? `${name(p)}  ${p.name}` : p.name, number(intensity(p.json, chosen), 4), number(p.json.macs_per_cycle), percent(p.json.macs_per_cycle / roof), p.json.bound_by]; }))];
}

// Names beside their points, where none lies on another or on a wall; one that finds no place near its point is left out.
function labels(svg, shown, walls, at, name, width) {
  const taken = [...shown.map((p) => [at(p)[0] - 7, at(p)[1] - 7, 14, 14]), ...walls];
  for (const p of [...shown].sort((a, b) => at(a)[1] - at(b)[1] || at(a)[0] - at(b)[0])) {
    const [px, py] = at(p), text = clip(name(p), narrow() ? 18 : 34), wide = text.length * 6.8, own = taken[shown.indexOf(p)];
    const spots = [[px + 11, py + 4, "start"], [px, py - 12, "middle"], [px, py + 20, "middle"], [px - 11, py + 4, "end"],
      ...[1, 2, 3, 4, 5, 6].flatMap((i) => [[px + 11, py + 4 + 7 * i, "start"], [px, py + 20 + 7 * i, "middle"], [px - 11, py + 4 + 7 * i, "end"]])];
    const box = ([x, y, anchor]) => [anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2, y - 11, wide, 14];
    const isFree = (spot) => { const [x0, y0, w, h] = box(spot);
      return x0 > 4 && x0 + w < width - 4 && !taken.some((o) => { const [a, b, c, d] = o; return o !== own && x0 < a + c && a < x0 + w && y0 < b + d && b < y0 + h; }); };
    const spot = spots.find(isFree);
    if (!spot) continue;
    taken.push(box(spot));
    svg.append("text").attr("class", "halo").attr("font-size", 12).attr("x", spot[0]).attr("y", spot[1]).attr("text-anchor", spot[2]).text(text);
  }
}

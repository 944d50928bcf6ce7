// Reports in a browser: node report.mjs SATOR FOLDER. Every page of every report opens without a message, says what
// --json says, and its controls do what they are for.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openBrowser, workedMs } from "./browser.mjs";

const [sator, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(folder, { recursive: true });
const run = (...words) => execFileSync(sator, words, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
let failed = 0, checks = 0;
const check = (what, holds, more = "") => { checks++; if (!holds) { failed++; console.log(`FAILED: ${what} ${more}`); } };
const same = (what, a, b) => check(what, JSON.stringify(a) === JSON.stringify(b), `\n  ${JSON.stringify(a)?.slice(0, 300)}\n  ${JSON.stringify(b)?.slice(0, 300)}`);

// ---- what is looked at: the words of sator report, and of sator analyze that gives the same results ----

const systolic = ["--arch", "systolic-2d-8x8"];
const skewed = ["--space", "i%8, j%8", "--time", "i/8, j/8, i%8 + j%8 + k"];
const evil = "<script>window.evil=1</script><img src=x onerror=evil=1>";
const yaml = JSON.stringify(evil);
writeFileSync(join(folder, "evil-work.yaml"), `name: ${yaml}\nsizes: {i: 4, j: 4, k: 4}\nop: "Y[i,j] += A[i,k] * B[k,j]"\n`);
writeFileSync(join(folder, "evil-flow.yaml"), `name: ${yaml}\nspace: "PE[i, j]"\ntime: "T[i + j + k]"\n`);
writeFileSync(join(folder, "evil-arch.yaml"), run("show", "systolic-2d-8x8").replace(/^name: .*$/m, `name: ${yaml}`)
  .replace(/^( *)source: .*/gm, `$1source: ${yaml}`));

const given = {
  fig3: ["gemm:i=2,j=2,k=4", ...systolic, "--set", "levels.PE.shape=[2,2]", "--space", "i,j", "--time", "i+j+k"],
  fig1: ["tenet-fig1", "--arch", "tenet-fig1", "-d", "tenet/fig1"],
  gemm: ["gemm", ...systolic, "-q", "-d", "gemm/*"],
  eyeriss: ["alexnet", "--layer", "conv3", "--arch", "eyeriss", "-q", "-d", "conv2d/*-p_*"],
  tpu: ["gemm:i=1024,j=1024,k=1024", "--arch", "tpu-256x256", "--space", "i%256, j%256", "--time", "i/256, j/256, i%256 + j%256 + k"],
  maeri: ["alexnet", "--layer", "conv3", "--arch", "maeri-64", "-q", "-d", "conv2d/reduction-64"],
  network: ["alexnet", "--arch", "mesh-8x8", "-q", "-d", "conv2d/oyox-p_oy-ox-t"],
  window: ["gemm", ...systolic, ...skewed, "--from", "T[3,1,100]", "--stamps", "20"],
  names: [join(folder, "evil-work.yaml"), "--arch", join(folder, "evil-arch.yaml"), "-d", join(folder, "evil-flow.yaml")],
};
const file = (name) => join(folder, `${name}.html`);
const reports = {};
for (const [name, words] of Object.entries(given)) {
  try {
    run("report", ...words, "-o", file(name));
    const plain = words.filter((w, i) => !["--from", "--stamps"].includes(w) && !["--from", "--stamps"].includes(words[i - 1]));
    reports[name] = JSON.parse(run("analyze", ...plain, "--json", "--schema", "1"));
  } catch (error) { check(`report ${name} is written`, false, String(error.stderr ?? error)); }
}
run("report", "resnet18", "--arch", "conventional", "--arch", "simba-like", "-q", "-o", file("mapped"));
run("map", "gemm:i=64,j=64,k=64", "--arch", "conventional", "--html", "-o", file("map"));
run("explore", "gemm:i=64,j=64,k=64", ...systolic, "--vary", "scratchpad.bandwidth_bits=64:256:64", "--quiet", "--html", "-o", file("explored"));
const all = [...Object.keys(reports), "mapped", "map", "explored"];

// ---- opening ----

const browser = await openBrowser();
async function dress(page, width, dark) {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
}
async function open(name, address = "", { width = 1280, dark = false } = {}) {
  const page = await browser.newPage();
  page.said = [];
  page.asked = [];
  page.on("console", (m) => page.said.push(m.text()));
  page.on("pageerror", (e) => page.said.push(String(e.stack)));
  page.on("request", (r) => { if (!/^(data|blob):/.test(r.url())) page.asked.push(r.url()); });
  await dress(page, width, dark);
  const begin = Date.now();
  await page.goto(`file://${file(name)}${address}`);
  await page.waitForSelector("html[data-ready]", { timeout: 60000 });
  page.opened = Date.now() - begin;
  return page;
}
const pages = (page) => page.$$eval("nav a", (links) => links.map((l) => l.hash.slice(1).split("/")[0]));
const goto = (page, hash) => page.evaluate((h) => new Promise((done) => { if (location.hash === h) return done(); addEventListener("hashchange", () => setTimeout(done, 30), { once: true }); location.hash = h; }), hash);
const documentOf = (page) => page.evaluate(() => JSON.parse(document.getElementById("data").textContent));

async function checkAxe(page, what) {
  // axe is brought in by the debugger, once a page: the page's own policy lets no other script in
  const client = await page.createCDPSession();
  if (await page.evaluate(() => !("axe" in window))) await client.send("Runtime.evaluate", { expression: axe });
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary?.slice(0, 200)}`)));
  check(`axe: ${what}`, found.length === 0, `\n  ${found.join("\n  ")}`);
  await client.detach();
}

async function checkPages(page, name, width, dark) {
  for (const one of await pages(page)) {
    await goto(page, `#${one}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`${name} ${one} ${width}: nothing sticks out`, wide <= 0, `${wide} pixels`);
    const shown = await page.$eval("section.shown", (s) => s.textContent.length);
    check(`${name} ${one} ${width}: has something to say`, shown > 40);
    await checkAxe(page, `${name} ${one} ${width} ${dark ? "dark" : "light"}`);
  }
  same(`${name} ${width}: no message`, page.said, []);
  check(`${name} ${width}: no request`, page.asked.length === 1, page.asked.join(" "));
  check(`${name}: no markup from names`, !(await page.evaluate(() => window.evil)) && (await page.$$("main img, header img, main script")).length === 0);
  const size = await page.evaluate(() => document.documentElement.outerHTML.length - document.getElementById("data").textContent.length);
  check(`${name}: small but for its data`, readFileSync(file(name)).length - (await page.$eval("#data", (d) => d.textContent.length)) < 2e6, size);
}

// ---- numbers ----

async function checkNumbers(page, name, json) {
  const doc = await documentOf(page);
  const bare = ({ layer, repeat, same_as, advice, ...rest }) => rest; // advice is asked for where a page is
  const expected = (json.results ?? [json]).flatMap((r) => (r.layers ?? [r]).map(bare)), got = doc.designs.flatMap((d) => d.layers.map((l) => bare(doc.results[l.result].json)));
  same(`${name}: results are those of --json`, got, expected);
  if (json.totals) same(`${name}: totals`, [doc.designs[0].totals.cycles, doc.designs[0].totals.energy_pj], [json.totals.latency_cycles.total, json.totals.energy_pj.total]);
  const tile = await page.$eval(".tile b", (b) => b.textContent.replaceAll(",", ""));
  same(`${name}: the first tile`, Number(tile), Math.round(expected[0].latency_cycles.total));
  const said = await page.$eval(".tile span", (s) => s.textContent);
  same(`${name}: the first tile says which time it is`, said.startsWith(expected[0].timing === "scheduled" ? "cycles as scheduled" : "cycles of the roofline"), true);
  for (const r of expected.filter((x) => x.timing === "scheduled"))
    same(`${name}: computing and waiting are the latency`, r.ports.reduce((sum, p) => sum + (p.exposed ?? 0) + (p.stalled ?? 0), r.latency_cycles.scheduled_compute), r.latency_cycles.total);
  const rows = await page.$$eval("#page-summary table tr", (trs) => trs.slice(1).map((tr) => [...tr.children].map((c) => c.textContent)));
  expected[0].tensors.forEach((t, i) => same(`${name}: words of ${t.name}`, rows[i].slice(1, 5).map((x) => x.replaceAll(",", "")), [t.access_volume, t.temporal_reuse, t.spatial_reuse, t.unique_volume]));
  for (const w of doc.windows) {
    if (!w.at_start || !w.at_end) continue;
    w.tensors.forEach((t, i) => {
      const n = { register: 0, link: 0, bus: 0, memory: 0 };
      for (const p of t.patterns)
        for (let r = 6 * t.starts[p]; r < 6 * t.starts[p + 1]; r += 6) n[w.sources[t.runs[r + 2]].kind] += t.runs[r + 1];
      const is = doc.results[w.result].json.tensors[i];
      same(`${name}: arrows of ${t.name} add up`, [n.register, n.link + n.bus, n.memory].map(String), [is.temporal_reuse, is.spatial_reuse, is.unique_volume]);
    });
  }
}

// Each report is one process of the browser: opened as it is usually looked at, and again narrow and dark.
for (const name of all) {
  const page = await open(name);
  if (name in reports) await checkNumbers(page, name, reports[name]);
  await checkPages(page, name, 1280, false);
  page.said = [];
  page.asked = [];
  await dress(page, 400, true);
  await page.reload();
  await page.waitForSelector("html[data-ready]", { timeout: 60000 });
  await checkPages(page, name, 400, true);
  await page.close();
}

// Pictures are well-formed whatever the names are.
{
  const page = await open("names");
  for (const picture of ["machine", "array", "roofline", "energy", "tree"]) {
    const svg = run("report", ...given.names, "--svg", picture);
    const wrong = await page.evaluate((text) => { const made = new DOMParser().parseFromString(text, "image/svg+xml"); return made.querySelector("parsererror, script, img")?.outerHTML ?? ""; }, svg);
    same(`--svg ${picture} of wild names`, wrong, "");
  }
  await page.close();
}

// The page's cells are what --show stamps says.
{
  const page = await open("fig3", "#array/0/0/0"), lines = run("analyze", ...given.fig3, "--show", "stamps").trimEnd().split("\n").map((l) => l.trim().split(/ {2,}/));
  for (let s = 0; s < 6; s++) {
    await goto(page, `#array/0/0/${s}`);
    const cells = await page.$$eval(".grids figure", (figures) => figures.map((f) => [...f.querySelectorAll("svg text")].map((t) => t.textContent)));
    const fills = await page.$$eval(".grids figure", (figures) => figures.map((f) => [...f.querySelectorAll("svg g:first-of-type rect")].map((r) => r.getAttribute("fill"))));
    const arrows = await page.$$eval(".grids figure", (figures) => figures.map((f) => f.querySelectorAll("svg g:nth-of-type(2) path").length));
    const words = lines[s + 1].slice(1).map((c) => c === "-" ? [] : c.split(" "));
    ["A", "B", "Y"].forEach((t, i) => {
      const told = words.map((w) => w.find((x) => x.startsWith(`${t}[`)) ?? "");
      same(`fig3 stamp ${s} ${t}: elements`, cells[i], told.map((x) => x.replace(/[=<].*/, "")));
      same(`fig3 stamp ${s} ${t}: arrows`, arrows[i], told.filter((x) => /<(east|south)/.test(x)).length);
      told.forEach((x, p) => check(`fig3 stamp ${s} ${t} PE ${p}: colour`, fills[i][p].includes(x === "" ? "idle" : x.endsWith("=") ? "register" : x.includes("<") ? "link" : "memory"), `${x} is ${fills[i][p]}`));
    });
  }
  await page.close();
}

// ---- controls ----
{
  const page = await open("gemm", "#array/0/0/5"), stamp = () => page.$eval(".play output", (o) => o.textContent), at = () => page.evaluate(() => Number(document.querySelector("input[type=range]").value));
  same("deep link: stamp", await stamp(), "T[0,0,5]");
  await page.click("button[aria-label=Step]");
  same("step", await stamp(), "T[0,0,6]");
  await page.click('button[aria-label="Step back"]');
  same("step back", await stamp(), "T[0,0,5]");
  await page.$eval("input[type=range]", (r) => { r.value = 100; r.dispatchEvent(new Event("input", { bubbles: true })); });
  same("scrub", await stamp(), "T[0,0,100]");
  check("scrub: address", page.url().endsWith("#array/0/0/100"), page.url());
  await page.focus('button[aria-label="Last stamp"]');
  for (const [key, to] of [["ArrowRight", 101], ["ArrowLeft", 100], ["PageDown", 110], ["PageUp", 100], ["Home", 0], ["End", 511]]) {
    await page.keyboard.press(key);
    same(`key ${key}`, await at(), to);
  }
  await goto(page, "#array/0/0/0");
  await page.click("button[aria-label=Play]");
  await new Promise((done) => setTimeout(done, 600));
  await page.click("button[aria-label=Pause]");
  const reached = await at();
  check("play moves on", reached >= 2 && reached <= 20, reached);
  await goto(page, "#array/0/0/5");
  await page.$eval(".grids figure svg rect", (r) => r.dispatchEvent(new MouseEvent("click", { bubbles: true })));
  check("follow an element", (await page.$eval(".details", (d) => d.textContent)).startsWith("A[0,5] is used 16 times"), await page.$eval(".details", (d) => d.textContent));
  check("follow: a frame", (await page.$$(".grids figure svg g:nth-of-type(3) rect")).length === 1);
  await page.keyboard.press("Escape");
  await page.$eval(".grids figure svg rect", (r) => r.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true })));
  check("follow a PE", (await page.$eval(".details", (d) => d.textContent)).startsWith("PE[0,0] around this stamp"));
  const cell = await (await page.$(".grids figure svg rect")).boundingBox();
  await page.mouse.move(cell.x + 10, cell.y + 10);
  check("hover", /A\[0,5\] from scratchpad/.test(await page.$eval(".tip", (t) => t.textContent)), await page.$eval(".tip", (t) => t.textContent));
  await page.$eval(".grids .tools button", (b) => b.click());
  await new Promise((done) => setTimeout(done, 100));
  check("copy as CSV", (await page.$eval(".grids .tools button", (b) => b.textContent)) === "Copied");
  await goto(page, "#roofline");
  await page.select("#page-roofline select", "1");
  check("roofline: another port", /scratchpad writes/.test(await page.$eval("#page-roofline figcaption", (f) => f.textContent)));
  await goto(page, "#comparison");
  const before = await page.$eval("#page-comparison", (s) => s.textContent);
  await page.select("#page-comparison label:nth-child(2) select", "0");
  check("comparison: another design", before !== await page.$eval("#page-comparison", (s) => s.textContent));
  const pdf = await page.pdf({ format: "A4" });
  check("print", (Buffer.from(pdf).toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length >= 6);
  await page.emulateMediaType("print");
  same("print: all pages", await page.$$eval("main > section", (s) => s.every((x) => getComputedStyle(x).display === "block")), true);
  same("controls: no message", page.said, []);
  await page.close();
}
{
  const page = await open("explored");
  const box = await (await page.$("#page-exploration .brush .overlay")).boundingBox();
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  check("brush selects", /^[\d,]+ points are selected/.test(await page.$eval("#page-exploration p[role=status]", (p) => p.textContent)), await page.$eval("#page-exploration p[role=status]", (p) => p.textContent));
  await page.$eval("#page-exploration td button, #page-exploration th button", (b) => b.click());
  const line = await page.$$eval("#page-exploration .details code", (codes) => codes.map((c) => c.textContent));
  check("a point's command", line.some((l) => /--point \d+/.test(l)) && line.some((l) => /^--space '.*' --time '.*'$/.test(l)), line.join(" | "));
  const words = line.find((l) => l.includes("--point")).replace(/^sator /, "").split(/ (?=(?:[^']*'[^']*')*[^']*$)/).map((w) => w.replaceAll("'", ""));
  const shown = await page.$$eval("#page-exploration .details tr", (rows) => rows.map((r) => [...r.children].map((c) => c.textContent)));
  same("the command gives the point", Number(shown.find((r) => r[0] === "latency_cycles.total")[1].replaceAll(",", "")), JSON.parse(run(...words, "--json")).latency_cycles.total);
  same("exploration: no message", page.said, []);
  await page.close();
}

// ---- speed ----
{
  const page = await open("tpu", "#array/0/0/0");
  const measure = () => page.evaluate(() => new Promise((done) => {
    const slider = document.querySelector("input[type=range]"), begin = performance.now();
    let n = 0;
    const step = () => { slider.value = (n * 3) % Number(slider.max); slider.dispatchEvent(new Event("input", { bubbles: true })); n++;
      if (performance.now() - begin < 2000) requestAnimationFrame(step); else done({ n, rate: n / ((performance.now() - begin) / 1000) }); };
    requestAnimationFrame(step);
  }));
  const tries = [];
  for (let i = 0; i < 4 && (i === 0 || tries.every(({ rate, ms }) => rate < 30 && ms > 33)); i++) { // a busy machine gets another try, or is asked how long it worked
    const before = workedMs(browser), { n, rate } = await measure();
    tries.push({ rate, ms: (workedMs(browser) - before) / n });
  }
  const best = { rate: Math.max(...tries.map((t) => t.rate)), ms: Math.min(...tries.map((t) => t.ms)) };
  console.log(`256 x 256 PEs: ${best.rate.toFixed(0)} frames a second, ${best.ms.toFixed(0)} ms of work each`);
  check("256 x 256 PEs at 30 frames a second", best.rate >= 30 || best.ms <= 33, JSON.stringify(tries));
  await page.close();
}
{
  const text = readFileSync(file("explored"), "utf8"), [head, rest] = text.split('<script type="application/json" id="data">'), end = rest.indexOf("</script>");
  const doc = JSON.parse(rest.slice(0, end)), n = 1000000, keep = ["layer", "hardware", "point", "bound_by", "active_pes", "unique_volume", "utilization.average",
    "bandwidth_bits_per_cycle.interconnect", "bandwidth_bits_per_cycle.scratchpad", "energy_pj.total", "latency_cycles.total", "edp"];
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  doc.points.rows = n;
  doc.points.columns = doc.points.columns.filter((c) => keep.includes(c.name));
  for (const c of doc.points.columns) if (c.items) c.items = Array.from({ length: n }, (_, i) => c.words ? i % c.words.length : c.name === "point" ? i : Math.round(1e4 * Math.exp(8 * random())));
  writeFileSync(file("million"), `${head}<script type="application/json" id="data">${JSON.stringify(doc)}${rest.slice(end)}`);
  const times = [];
  for (let i = 0; i < 4 && (i === 0 || Math.min(...times) >= 3000); i++) { // a busy machine gets another try, or is asked how long it worked
    const before = workedMs(browser), page = await open("million");
    times.push(page.opened, workedMs(browser) - before);
    same("a million points: no message", page.said, []);
    await page.close();
  }
  console.log(`a million points: open after ${Math.min(...times)} ms`);
  check("a million points open in 3 s", Math.min(...times) < 3000, times.join(", "));
}
// ---- colours ----

// The colours of the sources as somebody sees them: squares of each, photographed, and read in a page without a policy.
const reader = await browser.newPage();
const sources = ["idle", "s-register", "s-link0", "s-link1", "s-bus", "s-memory1"];
async function seen(page) {
  await page.evaluate((names) => {
    const row = document.createElement("div");
    row.id = "squares";
    Object.assign(row.style, { position: "fixed", left: "0", top: "0", zIndex: "99", display: "flex" });
    for (const name of names) {
      const square = document.createElement("div");
      Object.assign(square.style, { width: "20px", height: "20px", background: `var(--${name})` });
      row.append(square);
    }
    document.body.append(row);
  }, sources);
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 20 * sources.length, height: 20 }, encoding: "base64" });
  await page.$eval("#squares", (row) => row.remove());
  const colors = await reader.evaluate(async (data, n) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const board = document.createElement("canvas").getContext("2d");
    board.drawImage(image, 0, 0);
    return Array.from({ length: n }, (_, i) => [...board.getImageData(20 * i + 10, 10, 1, 1).data.slice(0, 3)]);
  }, picture, sources.length);
  return colors;
}

// CIELAB, in which 2 is just to be seen side by side.
function lab(rgb) {
  const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const f = (t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883].map(f);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

for (const dark of [false, true]) {
  const page = await open("gemm", "#array/0/0/9", { dark });
  let plain;
  for (const kind of ["none", "achromatopsia", "deuteranopia", "protanopia", "tritanopia"]) {
    await page.emulateVisionDeficiency(kind);
    const rgb = await seen(page), colors = rgb.map(lab);
    plain ??= JSON.stringify(rgb);
    let least = Infinity, pair = "";
    colors.forEach((p, i) => colors.slice(0, i).forEach((q, j) => {
      const apart = Math.hypot(...p.map((x, k) => x - q[k]));
      if (apart < least) [least, pair] = [apart, `${sources[j]} and ${sources[i]}`];
    }));
    console.log(`${kind}, ${dark ? "dark" : "light"}: nearest are ${pair}, ${least.toFixed(1)}`);
    check(`${kind}, ${dark ? "dark" : "light"}: sources stay apart`, least >= 8, `${pair}: ${least.toFixed(1)}`);
    if (kind !== "none") check(`${kind}: is simulated`, JSON.stringify(rgb) !== plain);
  }
  await page.close();
}

await browser.close();
console.log(`${checks} checks of ${all.length} reports, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

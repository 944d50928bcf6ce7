// The page: a header that says what is shown, seven pages behind links, deep links such as #array/12.
import { choice, command, data, design, designName, designsText, el, resultOf, state } from "./base.js";
import { arrayPage, arrayAddress } from "./array.js";
import { comparisonPage } from "./comparison.js";
import { energyPage } from "./energy.js";
import { explorationPage } from "./exploration.js";
import { nestPage } from "./nest.js";
import { rooflinePage } from "./roofline.js";
import { summaryPage } from "./summary.js";

const has = data.designs.length > 0;
const pages = [
  ["summary", "Summary", summaryPage, has],
  ["array", "The array, alive", arrayPage, has],
  ["energy", "Energy and time", energyPage, has],
  ["nest", "Loop nest", nestPage, has],
  ["roofline", "Roofline", rooflinePage, has],
  ["comparison", "Comparison", comparisonPage, data.designs.length > 1],
  ["exploration", "Exploration", explorationPage, data.points !== null],
].filter((p) => p[3]);

const sections = new Map();
const links = new Map();
const drawn = new Map();
let current = null;

function title() {
  if (!has) {
    const layers = data.points.columns.find((c) => c.name === "layer")?.words ?? [];
    return layers.length === 0 ? "Exploration" : `Exploration of ${layers.length > 3 ? `${layers.length} layers` : layers.join(", ")}`;
  }
  const names = [...new Set(data.designs.map((d) => d.layers.length === 1 ? resultOf(d.layers[0]).workload : d.workload))];
  const workload = names.join(", ");
  const archs = data.archs.map((a) => a.name).join(", ");
  return `${workload} on ${archs}`;
}

function draw(name) {
  const key = `${state.design}/${state.layer}/${document.getElementById("page").clientWidth}`;
  if (drawn.get(name) === key) return;
  drawn.set(name, key);
  const [, heading, make] = pages.find((p) => p[0] === name);
  const section = sections.get(name);
  section.replaceChildren(el("h2", { id: `h-${name}` }, heading), ...make().filter((x) => x !== null));
}

function show(name) {
  current = name;
  for (const [key, section] of sections) section.classList.toggle("shown", key === name);
  for (const [key, link] of links) {
    if (key === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  draw(name);
}

// #page/design/layer/stamp; what is 0 at the end may be missing.
function readAddress() {
  const [name, d, l, s] = decodeURIComponent(location.hash.slice(1)).split("/");
  const at = (text, n) => Math.max(0, Math.min(n - 1, Number.parseInt(text ?? "0", 10) || 0));
  if (has) {
    state.design = at(d, data.designs.length);
    state.layer = at(l, design().layers.length);
    state.stamp = /^\d+$/.test(s ?? "") ? Number(s) : null;
  }
  refreshChoices();
  show(pages.some((p) => p[0] === name) ? name : pages[0][0]);
  if (name === "array") arrayAddress();
}

function address(name) {
  return `#${[name, state.design, state.layer].join("/")}`;
}
state.address = () => {
  const stamp = current === "array" ? `/${state.stamp}` : "";
  history.replaceState(null, "", address(current) + stamp);
  for (const [key, link] of links) link.href = address(key);
};

const choices = el("div", { class: "choices" });
function refreshChoices() {
  if (!has) return;
  const change = (what) => (i) => { state[what] = i; if (what === "design") state.layer = Math.min(state.layer, design().layers.length - 1);
    state.stamp = null; refreshChoices(); draw(current); state.address(); };
  const items = [];
  if (data.designs.length > 1) items.push(choice("Design", data.designs.map(designName), state.design, change("design")));
  if (design().layers.length > 1) items.push(choice("Layer", design().layers.map((l) => l.name), state.layer, change("layer")));
  choices.replaceChildren(...items);
}

function start() {
  document.title = `${title()} - Sator`;
  const nav = el("nav", { "aria-label": "Pages" });
  const main = el("main");
  for (const [name, heading] of pages) {
    const link = el("a", { href: `#${name}` }, heading);
    links.set(name, link);
    nav.append(link);
    const section = el("section", { id: `page-${name}`, "aria-labelledby": `h-${name}` });
    sections.set(name, section);
    main.append(section);
  }
  const summary = has ? designsText() : `${data.points.rows.toLocaleString("en")} points`;
  document.getElementById("page").replaceChildren(el("header", {}, el("h1", {}, title()),
    el("p", { class: "faint" }, `${summary}. Made by ${data.program}${data.command ? " with" : "."}`),
    data.command ? command(data.command) : null, choices), nav, main);
  window.addEventListener("hashchange", readAddress);
  window.addEventListener("beforeprint", () => pages.forEach((p) => draw(p[0])));
  let wait = 0;
  window.addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(() => draw(current), 150); });
  state.redraw = () => { drawn.clear(); draw(current); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", state.redraw);
  readAddress();
  document.documentElement.dataset.ready = "true";
}
start();

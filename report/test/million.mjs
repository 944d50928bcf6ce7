// A real database of a million points, made, written as a page and opened: node million.mjs SATOR FOLDER. Takes minutes;
// the test in report.mjs opens a page of as many made-up points.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, workedMs } from "./browser.mjs";

const [sator, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const database = join(folder, "million.db"), file = join(folder, "million-real.html");
function timed(what, ...words) {
  const begin = Date.now();
  execFileSync(sator, words, { stdio: ["ignore", "ignore", "inherit"] });
  console.log(`${what}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}
rmSync(database, { force: true });
timed("explored", "explore", "conv2d:k=16,c=16,ox=14,oy=14,rx=3,ry=3", "--arch", "mesh-8x8", "--vary", "scratchpad.bandwidth_bits=32:1952:32", "--db", database, "--quiet", "--top", "1");
timed("written", "query", database, "--html", "-q", "-o", file);
console.log(`database ${(statSync(database).size / 1e6).toFixed(0)} MB, page ${(statSync(file).size / 1e6).toFixed(0)} MB`);
const browser = await openBrowser();
for (let i = 0; i < 3; i++) {
  const before = workedMs(browser), begin = Date.now(), page = await browser.newPage();
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready]", { timeout: 120000 });
  const rows = await page.$eval("header p", (p) => p.textContent);
  console.log(`opened after ${Date.now() - begin} ms, ${workedMs(browser) - before} ms of work: ${rows}`);
  await page.close();
}
await browser.close();

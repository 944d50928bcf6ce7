// Screenshots of every page of a report, to be looked at: node shots.mjs REPORT.html FOLDER [WIDTH] [light|dark] [PAGE...]
import { mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { openBrowser } from "./browser.mjs";

const [file, folder, width = "1280", scheme = "light", ...only] = process.argv.slice(2);
const browser = await openBrowser();
const page = await browser.newPage();
page.on("pageerror", (error) => console.log(`error: ${error.stack}`));
page.on("console", (message) => console.log(`console: ${message.text()}`));
await page.setViewport({ width: Number(width), height: 900, deviceScaleFactor: 1 });
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
await page.goto(`file://${resolve(file)}`);
await page.waitForSelector("html[data-ready]", { timeout: 15000 });
mkdirSync(folder, { recursive: true });
const names = only.length > 0 ? only : await page.$$eval("nav a", (links) => links.map((l) => l.hash.slice(1).split("/")[0]));
for (const name of names) {
  await page.goto(`file://${resolve(file)}#${name}`);
  await new Promise((done) => setTimeout(done, 200));
  const path = join(folder, `${basename(file, ".html")}-${name.replaceAll("/", "_")}-${width}-${scheme}.png`);
  await page.screenshot({ path, fullPage: true });
  console.log(path);
}
await browser.close();

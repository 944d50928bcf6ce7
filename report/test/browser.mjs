// The installed Chromium, headless.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

export const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));

export const openBrowser = () => puppeteer.launch({ executablePath: chromium, headless: true, protocolTimeout: 120000,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] });

// Milliseconds that all processes of the browser have worked, whatever else the machine does.
export function workedMs(browser) {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8"), fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), parent: Number(fields[1]), ms: 10 * (Number(fields[11]) + Number(fields[12])) }];
    } catch { return []; }
  });
  const mine = new Set([browser.process().pid]);
  for (let n = 0; n !== mine.size;) { n = mine.size; for (const p of all) if (mine.has(p.parent)) mine.add(p.pid); }
  return all.filter((p) => mine.has(p.pid)).reduce((sum, p) => sum + p.ms, 0);
}

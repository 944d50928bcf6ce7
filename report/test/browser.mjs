// The installed Chromium, headless.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

export const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path && existsSync(path));

export const openBrowser = () => puppeteer.launch({ executablePath: chromium, headless: true, protocolTimeout: 120000,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] });

// Bundle src/ into bundle/page.html, the one file that the program embeds; with --check say whether it is what the
// sources make. Scripts and styles stand in the page by the hashes of its Content-Security-Policy: nothing else runs,
// and nothing is fetched.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

async function bundle(entry) {
  const made = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, format: "iife",
    target: ["chrome100", "firefox100", "safari15"], charset: "ascii", legalComments: "none",
  });
  return made.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
}

const script = await bundle("main.js");
const style = await bundle("page.css");
const notices = readFileSync(join(here, "NOTICES"), "utf8").trim();
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; ` +
  "base-uri 'none'; form-action 'none'";
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Sator report</title>
<!--
${notices}
-->
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This report is drawn by the script inside it; please allow it to run.</noscript></div>
<script type="application/json" id="data">@SATOR_DATA@</script>
<script>${script}</script>
</body>
</html>
`;

const file = join(here, "bundle", "page.html");
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== page) {
    console.error("report/bundle/page.html is not what report/src makes: run npm run build in report/");
    process.exit(1);
  }
  console.log("report/bundle/page.html matches its sources");
} else {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  console.log(`report/bundle/page.html: ${page.length} bytes`);
}

// Opens a report in headless Chromium and prints, as JSON, all that is wrong with it: `node check.mjs PAGE.html MODULES [SHOTS]`.
// MODULES is a folder with playwright-core and axe-core. With SHOTS, screenshots and a PDF go there.
import {mkdtempSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [page_, modules, shots] = process.argv.slice(2);
const require = createRequire(resolve(modules) + "/");
const {chromium} = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");
const profile = mkdtempSync(join(tmpdir(), "report-"));
const wrong = [];
const facts = {};
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true, bypassCSP: false, viewport: {width: 1280, height: 900},
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
try {
  const page = context.pages()[0] ?? await context.newPage();
  const url = pathToFileURL(resolve(page_)).href;
  page.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push("console: " + message.text()));
  page.on("pageerror", error => wrong.push("script: " + error.message));
  page.on("request", request => request.url() !== url && wrong.push("network: " + request.url()));
  page.on("dialog", dialog => { wrong.push("dialog: " + dialog.message()); return dialog.dismiss(); });
  await page.goto(url);

  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  for (const [name, width, scheme] of [["light", 1280, "light"], ["dark", 1280, "dark"], ["phone", 380, "light"]]) {
    await page.setViewportSize({width, height: 900});
    await page.emulateMedia({colorScheme: scheme});
    if (await overflow() > 0) wrong.push(`${name}: the page is wider than the window by ${await overflow()} pixels`);
    if (shots) await page.screenshot({path: join(shots, name + ".png"), fullPage: true});
    if (shots) await page.screenshot({path: join(shots, name + "-first.png")});
  }
  await page.setViewportSize({width: 1280, height: 900});

  // The slider, by the keyboard alone.
  const slider = page.locator("#lambda");
  if (await slider.count()) {
    const words = () => page.locator("[data-topic='0'] tbody th").allTextContents();
    facts.first = await words();
    await slider.focus();
    for (const [key, to] of [["Home", "least"], ["End", "most"]]) {
      await page.keyboard.press(key);
      facts[to] = await words();
    }
    facts.value = await page.locator("#value").textContent();
    facts.said = await page.locator("#said").textContent();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowLeft");
    facts.again = await words();
  }
  facts.text = await page.evaluate(() => document.body.innerText);
  facts.foreign = await page.evaluate(() => document.querySelectorAll("img, iframe, object, embed, link, base, script[src]").length);
  facts.scripts = await page.evaluate(() => document.scripts.length);

  // axe needs a script in the page, which the page's policy forbids: it runs in a copy without the policy.
  const copy = await context.newPage();
  await copy.route("**/*", route => route.abort());
  await copy.setContent((await (await import("node:fs/promises")).readFile(page_, "utf8"))
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
  await copy.addScriptTag({path: axe});
  for (const scheme of ["light", "dark"]) {
    await copy.emulateMedia({colorScheme: scheme});
    const {violations, passes} = await copy.evaluate(() => axe.run(document, {resultTypes: ["violations", "passes"]}));
    for (const {id, help, nodes} of violations) {
      wrong.push(`axe, ${scheme}: ${id}: ${help}: ${nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")}`);
    }
    facts.rules = passes.map(({id}) => id);
  }
  if (shots) await page.pdf({path: join(shots, "print.pdf"), format: "A4"});
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}
console.log(JSON.stringify({wrong, facts}));

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
  const folds = open => page.evaluate(open => document.querySelectorAll("details").forEach(fold => { fold.open = open; }), open);
  for (const [name, width, scheme] of [["light", 1280, "light"], ["dark", 1280, "dark"], ["phone", 400, "light"], ["phone-dark", 400, "dark"]]) {
    await page.setViewportSize({width, height: 900});
    await page.emulateMedia({colorScheme: scheme});
    for (const open of [true, false]) {
      await folds(open);
      const state = name + (open ? "-open" : "");
      if (await overflow() > 0) wrong.push(`${state}: the page is wider than the window by ${await overflow()} pixels`);
      if (shots) await page.screenshot({path: join(shots, state + ".png"), fullPage: true});
    }
    if (shots) await page.screenshot({path: join(shots, name + "-first.png")});
  }

  // On a phone the first topic and its words are on the first screen.
  const first = page.locator(".topics > li").first();
  if (await first.count()) {
    const box = await first.boundingBox();
    facts.topicsEnd = Math.round(box.y + box.height);
    facts.topicsRight = await page.evaluate(() => Math.max(...[...document.querySelectorAll(".topics .word")].map(w => w.getBoundingClientRect().right)));
  }
  await page.setViewportSize({width: 1280, height: 900});

  // Search, and words under the pointer and under the focus.
  const find = page.locator("#find");
  if (await find.count()) {
    const hint = page.locator("#hint"), said = page.locator("#found"), word = page.locator(".topics .word").first();
    const marked = () => page.locator(".topics > li.has").count();
    await find.fill(await word.textContent());
    facts.searched = [await said.textContent(), await marked()];
    await find.fill("no such word");
    facts.missed = [await said.textContent(), await marked()];
    await find.fill("");
    await word.hover();
    facts.hovered = [await hint.textContent(), await hint.isVisible()];
    await page.keyboard.press("Escape");
    facts.dismissed = await hint.isHidden();
    await find.focus();
    await page.keyboard.press("Tab");
    facts.focused = [await hint.textContent(), await hint.isVisible()];
    await page.keyboard.press("Enter");
    facts.chosen = await find.inputValue();
    await find.fill("");
  }

  // A link opens the fold of its target.
  const link = page.locator(".topics .further a").last();
  if (await link.count()) {
    await link.click();
    facts.opened = await page.locator("#words").isVisible();
  }
  await folds(true);

  // The head of a column sorts its table.
  const share = page.locator("#numbers button.sort", {hasText: "Share"});
  if (await share.count()) {
    const shares = () => page.locator("#numbers tbody tr").evaluateAll(rows => rows.map(row => parseFloat(row.cells[2].textContent)));
    await share.click();
    facts.down = await shares();
    await share.press("Enter");
    facts.up = await shares();
  }

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

  // Without scripts the page has the same words, and no search that would do nothing.
  const still = await context.newPage();
  await (await context.newCDPSession(still)).send("Emulation.setScriptExecutionDisabled", {value: true});
  await still.goto(url);
  facts.still = await still.locator("#find:visible, button").count();
  facts.stillWords = await still.locator("[data-topic='0'] tbody th").allTextContents();
  await still.close();

  // axe needs a script in the page, which the page's policy forbids: it runs in a copy without the policy.
  const copy = await context.newPage();
  await copy.route("**/*", route => route.abort());
  await copy.setContent((await (await import("node:fs/promises")).readFile(page_, "utf8"))
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "").replaceAll("<details", "<details open"));
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

// Checks pages of rfvm in a real browser: node check.mjs CHROMIUM OUT PAGE...
// Any page of the crate's shell can be given; what a page has of tables and charts is tried. Pictures go to OUT.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, out, ...files] = process.argv.slice(2);
assert(files.length > 0, "usage: node check.mjs CHROMIUM OUT PAGE...");
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const start = () => chromium.launch({ executablePath, args: flags, timeout: 120_000 });
let browser = await start();
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

// A page whose console is silent and which asks for nothing but itself, in a browser without network.
async function open(file, options, then) {
  const url = pathToFileURL(resolve(file)).href;
  // Axe is put in by the test; the page's own policy would refuse it.
  const context = await browser.newContext({ acceptDownloads: true, bypassCSP: true, reducedMotion: "reduce", ...options });
  await context.setOffline(true);
  // Whole pages are drawn without a graphics card, which a busy machine may take long for.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.split("#")[0] !== url && !asked.startsWith("data:") && !asked.startsWith("blob:")) wrong.push(`request: ${asked}`);
  });
  await page.goto(url);
  await then(page);
  assert.deepEqual(wrong, [], `${file}: console errors or requests`);
  await context.close();
}

async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(told, [], "accessibility");
}

async function words(page) {
  const text = await page.evaluate(() => document.body.innerText + Array.from(document.querySelectorAll("svg"), (s) => s.outerHTML).join());
  for (const word of ["NaN", "undefined", "Infinity", "[object"]) assert(!text.includes(word), `the page says ${word}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert(overflow <= 0, `the page is ${overflow} pixels too wide`);
}

// A page that scrolls hides the pointer's tooltip, and says so a frame later: what comes next waits for two.
const still = (page) => page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));

async function charts(page) {
  const pictures = await page.locator(".picture").filter({ visible: true }).all();
  assert(pictures.length > 0, "no charts");
  const tip = page.locator("#tip");
  for (const picture of pictures) {
    const svg = picture.locator("svg");
    const what = await svg.getAttribute("aria-label");
    assert(what && (await svg.getAttribute("role")) === "img" && (await svg.locator("desc").textContent()), `chart ${what} has no words`);
    await picture.scrollIntoViewIfNeeded();
    await still(page);
    const marks = svg.locator("[data-tip]");
    const heat = await svg.getAttribute("data-heat");
    if (heat) {
      const { left, top, width, height, rows } = JSON.parse(heat);
      const scale = await svg.evaluate((node) => node.getScreenCTM().a);
      await svg.hover({ position: { x: (left + width / 2) * scale, y: (top + height / 2) * scale } });
      assert((await tip.textContent()).startsWith(`${rows[0]}: `), `heat map ${what}: tooltip`);
    } else if ((await marks.count()) > 0) {
      const mark = marks.first();
      await mark.scrollIntoViewIfNeeded();
      await still(page);
      await mark.hover({ force: true });
      const tips = await marks.evaluateAll((all) => all.map((m) => m.dataset.tip));
      assert(await tip.isVisible(), `chart ${what}: no tooltip`);
      // Marks may lie over each other; the tooltip must be that of one of them.
      assert(tips.includes(await tip.textContent()), `chart ${what}: tooltip ${await tip.textContent()}`);
    } else {
      assert.fail(`chart ${what} has no marks`);
    }
    await picture.focus();
    await page.keyboard.press("ArrowRight");
    assert(await tip.isVisible(), `chart ${what}: no tooltip by keyboard`);
    assert.equal(await page.locator("#said").textContent(), await tip.textContent());
    const before = await tip.boundingBox();
    const scrolled = await page.evaluate(() => { const from = scrollY; scrollBy(0, from > 40 ? -40 : 40); return scrollY - from; });
    await still(page);
    assert(await tip.isVisible(), `chart ${what}: the tooltip by keyboard goes when the page scrolls`);
    const after = await tip.boundingBox();
    if (scrolled !== 0) assert.notEqual(after.y, before.y, `chart ${what}: the tooltip does not scroll with its mark`);
    await page.keyboard.press("Escape");
    assert(await tip.isHidden(), `chart ${what}: the tooltip stays`);
  }
  return pictures.length;
}

const shown = (table, column) => table.locator("tbody tr").evaluateAll((rows, i) => rows.map((row) => row.cells[i].textContent), column);

function ordered(values, numeric, descending) {
  const filled = values.filter((value) => value !== "");
  // What is empty comes last.
  assert(values.slice(0, filled.length).every((value) => value !== ""), "empty cells are not last");
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const compare = numeric ? (a, b) => Number(a) - Number(b) : order;
  for (let i = 1; i < filled.length; i += 1) {
    const step = compare(filled[i - 1], filled[i]);
    assert(descending ? step >= 0 : step <= 0, `${filled[i - 1]} before ${filled[i]}`);
  }
}

async function tables(page) {
  const all = await page.locator(".table").all();
  assert(all.length > 0, "no tables");
  for (const table of all) {
    const data = JSON.parse(await table.locator("script").textContent());
    const heads = await table.locator("th button").all();
    for (const [i, head] of heads.entries()) {
      const numeric = data.columns[i][1] !== null;
      await head.click();
      ordered(await shown(table, i), numeric, numeric);
      await head.click();
      ordered(await shown(table, i), numeric, !numeric);
      assert.equal(await table.locator("th").nth(i).getAttribute("aria-sort"), numeric ? "ascending" : "descending");
    }
    const search = table.locator("input");
    const wanted = String(data.rows[Math.floor(data.rows.length / 2)][0]);
    await search.fill(wanted);
    const found = await table.locator("tbody tr").allTextContents();
    assert(found.length > 0 && found.every((row) => row.toLowerCase().includes(wanted.toLowerCase())), `search for ${wanted}`);
    const [download] = await Promise.all([page.waitForEvent("download"), table.locator(".download").click()]);
    assert.equal(download.suggestedFilename(), data.file);
    const lines = readFileSync(await download.path(), "utf8").trimEnd().split("\r\n");
    const count = lines.length - 1;
    assert(found.length < data.shown ? count === found.length : count >= found.length, "the download is what was found");
    // A number may be found in a cell that shows it rounded, while the download has all its digits.
    const named = data.columns[0][1] === null;
    assert(!named || lines.slice(1).every((line) => line.toLowerCase().includes(wanted.toLowerCase())), "the download has the names found");
    await search.fill("no such words anywhere");
    assert.equal(await table.locator("tbody tr").count(), 0);
    await search.fill("");
    const whole = Promise.all([page.waitForEvent("download"), table.locator(".download").click()]);
    const text = readFileSync(await (await whole)[0].path(), "utf8");
    assert.equal(text.trimEnd().split("\r\n").length, data.rows.length + 1, "the whole table is downloaded");
    if (data.rows.length > data.shown) {
      const before = await shown(table, 0);
      await table.locator(".on").click();
      assert.notDeepEqual(await shown(table, 0), before);
      await table.locator(".back").click();
      assert.deepEqual(await shown(table, 0), before);
    }
  }
  return all.length;
}

// A page that computes, with what the engine says of some rows in a file beside it: NAME.json and NAME.csv.
async function calculator(page, file) {
  const beside = (ending) => readFileSync(file.replace(/\.html$/, ending), "utf8");
  const { predictions } = JSON.parse(beside(".json"));
  const [head, ...lines] = beside(".csv").trimEnd().split("\n").map((line) => line.split(","));
  const labels = await page.locator("#calculator label").allTextContents();
  const columns = labels.map((label) => head.indexOf(label));
  assert(columns.every((column) => column >= 0), "a field of no column");
  const near = (found, known, what) => assert(Math.abs(found - known) <= 1e-12, `${what}: ${found} where the engine says ${known}`);
  const inputs = await page.locator("#calculator input").all();
  const said = new Set();
  for (const [n, known] of predictions.entries()) {
    for (const [at, input] of inputs.entries()) await input.fill(lines[n][columns[at]]);
    const found = JSON.parse(await page.locator("#answer").getAttribute("data-found"));
    near(found.predicted, known.probability, `${known.sample}: probability`);
    found.interval.forEach((end, at) => near(end, known.interval[at], `${known.sample}: interval`));
    assert.equal(found.abstain, known.abstain, `${known.sample}: abstention`);
    said.add(found.abstain);
    const parts = new Map(found.parts.map((part) => [part.feature, part.adds]));
    for (const { part, feature, contribution } of known.explanation) {
      near(part === "base" ? found.base : parts.get(feature), contribution, `${known.sample}: ${feature}`);
    }
    const words = await page.locator("#answer").innerText();
    assert(words.includes(`${(100 * known.probability).toFixed(1)} %`) && words.includes("abstains") === known.abstain, words);
    assert.equal(await page.locator("#why tbody tr").count(), inputs.length + 1);
  }
  assert.equal(said.size, 2, "rows that the model abstains on, and others");
  await words(page);
  await accessible(page);
  await inputs[0].fill("not a number");
  assert.equal(await inputs[0].getAttribute("aria-invalid"), "true");
  assert(await page.locator("#why").isHidden());
  await page.locator("#calculator button").click();
  await page.waitForFunction(() => document.getElementById("answer").innerText === "Enter values.");
  for (const [at, input] of inputs.entries()) await input.fill(lines[0][columns[at]].replace(".", ","));
  near(JSON.parse(await page.locator("#answer").getAttribute("data-found")).predicted, predictions[0].probability, "decimal commas");
  return predictions.length;
}

async function check(file) {
  const name = basename(file, ".html");
  const counts = {};
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await open(file, { colorScheme, viewport, hasTouch: size === "phone" }, async (page) => {
        await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
        await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}-whole.png`), fullPage: true });
        const computes = (await page.locator("#calculator").count()) > 0;
        await words(page);
        await accessible(page);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(ground[0] < 128, colorScheme === "dark", `${colorScheme} ground ${ground}`);
        if (colorScheme === "light") {
          await page.keyboard.press("Tab");
          assert.equal(await page.evaluate(() => document.activeElement.className), "skip", "the skip link comes first");
          if (!computes) counts.charts = await charts(page);
        }
        if (computes) {
          counts.rows = await calculator(page, file);
          await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}-filled.png`), fullPage: true });
        } else if (size === "desktop" && colorScheme === "light") {
          counts.tables = await tables(page);
          await page.emulateMedia({ media: "print" });
          assert(await page.locator("nav").isHidden(), "contents on paper");
          await page.pdf({ path: join(out, `${name}.pdf`), printBackground: true });
        }
      });
    }
  }
  if (counts.rows) {
    console.log(`${file}: computes what the engine does for ${counts.rows} rows, light and dark, desktop and phone; axe finds nothing`);
    return;
  }
  await open(file, { javaScriptEnabled: false }, async (page) => {
    assert((await page.locator("table tbody tr").count()) > 0, "without script there are no rows");
  });
  console.log(`${file}: ${counts.charts} charts and ${counts.tables} tables work, light and dark, desktop and phone; axe finds nothing`);
}

// A machine that does other work at the same time may not draw a frame for long, and a browser may go: what fails is tried
// once more in a new one, and both tries are told. What is wrong with a page fails twice.
for (const file of files) {
  try {
    await check(file);
  } catch (error) {
    console.log(`${file}: failed, and is tried once more: ${error.stack}`);
    await browser.close().catch(() => {});
    browser = await start();
    await check(file);
  }
}
await browser.close();

/* Opens the pages that `run` made and does what readers do. Usage: node pages.js FOLDER */
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core"), "utf8");

const folder = process.argv[2];
const json = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/* A page without errors and requests, of a browser context with these options. */
async function open(context, name) {
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => page.problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => page.problems.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && request.url() !== page.address) page.problems.push(`request: ${request.url()}`);
  });
  page.address = "file://" + path.join(folder, name);
  await page.goto(page.address);
  return page;
}

const cards = (page, section) => page.$$eval(`#${section} ul.cards > li:not([hidden])`, (list) => list.map((card) => ({ ...card.dataset, text: card.textContent })));
const descending = (values) => values.every((value, i) => i === 0 || values[i - 1] >= value);

/* The numbers on the page are those of `dltf evaluate` and `dltf top`. */
async function checkNumbers(page, name) {
  const facts = await page.$eval("#facts", (element) => JSON.parse(element.textContent));
  const evaluation = json(`${name}.evaluate.json`);
  delete evaluation.seconds;
  for (const [key, value] of Object.entries(evaluation)) assert.deepEqual(facts[key], value, `${name}: ${key}`);
  const shown = await page.$eval("#overview dl", (list) => list.textContent);
  assert.ok(shown.includes(evaluation.explained_variance.toPrecision(4).replace(/0+$/, "")), `${name}: explained variance`);
  const found = new Map((await cards(page, "atoms")).map((card) => [Number(card.atom), card]));
  const atoms = json(`${name}.top.json`).atoms;
  assert.equal(found.size, atoms.length);
  for (const atom of atoms) {
    const card = found.get(atom.atom);
    assert.equal(Number(card.use), atom.uses);
    assert.ok(Math.abs(Number(card.mean) - atom.mean) <= 1e-6 * atom.mean);
    if (atom.top.length === 0) continue;
    const values = await page.$eval(`#atom-${atom.atom} ul.strip`, (list) => [...list.children].map((item) => item.textContent));
    assert.equal(values.length, atom.top.length);
    values.forEach((text, i) => assert.ok(text.endsWith(`(${Number(atom.top[i].value.toPrecision(4))})`), `${text}: ${atom.top[i].value}`));
  }
}

async function checkSorting(page) {
  for (const key of ["use", "energy", "mean", "coherence"]) {
    await page.selectOption("#atoms select[name=sort]", key);
    assert.ok(descending((await cards(page, "atoms")).map((card) => Number(card[key]))), `sorted by ${key}`);
  }
  await page.selectOption("#atoms select[name=direction]", "smallest first");
  assert.ok(descending((await cards(page, "atoms")).map((card) => -Number(card.coherence))));
  await page.selectOption("#atoms select[name=direction]", "largest first");
  await page.selectOption("#atoms select[name=sort]", "use");
  await page.selectOption("#samples select[name=sort]", "error");
  await page.selectOption("#samples select[name=direction]", "largest first");
  assert.ok(descending((await cards(page, "samples")).map((card) => Number(card.error))), "the worst samples first");
}

async function checkFilters(page) {
  const all = await cards(page, "atoms");
  await page.fill("#atoms input[name=text]", "ATOM 7");
  const named = await cards(page, "atoms");
  assert.deepEqual(named.map((card) => card.atom), all.filter((card) => card.text.toLowerCase().includes("atom 7")).map((card) => card.atom));
  assert.ok(named.length > 0 && named.length < all.length);
  await page.fill("#atoms input[name=text]", "");
  const bound = Number(all[Math.floor(all.length / 2)].use);
  await page.fill("#atoms input[name=from]", String(bound));
  assert.deepEqual((await cards(page, "atoms")).map((card) => card.atom), all.filter((card) => Number(card.use) >= bound).map((card) => card.atom));
  await page.fill("#atoms input[name=from]", "");
  if (await page.$("#atoms select[name=label]")) {
    const label = all[0].label;
    await page.selectOption("#atoms select[name=label]", label);
    assert.ok((await cards(page, "atoms")).every((card) => card.label === label));
    await page.selectOption("#atoms select[name=label]", "");
  }
  assert.equal((await cards(page, "atoms")).length, all.length);
}

async function checkOpening(page) {
  const card = page.locator("#atoms ul.cards > li a").nth(3);
  const target = await card.getAttribute("href");
  await card.click();
  assert.ok(await page.isVisible(target));
  assert.ok(!(await page.isVisible("#atoms")), "the opened atom takes the place of the sections");
  await page.goBack();
  assert.ok(await page.isVisible("#atoms"));
  assert.ok(!(await page.isVisible(target)));
  await page.locator("#atoms ul.cards > li a").nth(3).focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible(target));
  const link = page.locator(`${target} ul.bars a`).first();
  if (await link.count()) {
    const other = await link.getAttribute("href");
    await link.click();
    assert.ok(await page.isVisible(other));
  }
  await page.keyboard.press("Escape");
  assert.ok(await page.isVisible("#atoms"));
}

/* axe-core finds nothing serious, with an atom open and without; nothing is wider than the window. */
async function checkAccess(page) {
  await page.evaluate(axe);
  for (const hash of ["#overview", await page.locator("#atoms ul.cards > li a").first().getAttribute("href")]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    const { violations } = await page.evaluate(() => axe.run());
    const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the window");
  }
}

async function checkHostileNames(page) {
  const names = fs.readFileSync(path.join(folder, "names.txt"), "utf8").split("\n").slice(0, 7);
  const shown = await page.$$eval("bdi.name", (list) => list.map((element) => ({ text: element.textContent, children: element.childElementCount })));
  assert.ok(shown.every((element) => element.children === 0));
  for (const name of names.map((text) => (text.length > 1000 ? text.slice(0, 400) + "\u2026" : text)))
    assert.ok(shown.some((element) => element.text === name), `text on the page: ${name}`);
  assert.equal(await page.title(), "What names.model.safetensors has learned");
  assert.equal(await page.$$eval("script", (list) => list.length), 2);
  assert.equal(await page.$$eval("[onerror], [onmouseover]", (list) => list.length), 0);
}

async function checkPage(browser, name) {
  for (const [width, colorScheme] of [[1400, "light"], [400, "dark"]]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
    const page = await open(context, `${name}.html`);
    if (name === "model") {
      assert.ok((await cards(page, "atoms")).length > 0);
      assert.equal(await page.$("#samples"), null);
    } else {
      await checkNumbers(page, name);
      await checkSorting(page);
      await checkFilters(page);
      await checkOpening(page);
    }
    if (name === "names") await checkHostileNames(page);
    await checkAccess(page);
    assert.deepEqual(page.problems, []);
    await context.close();
  }
  console.log(`${name}.html: good`);
}

/* Without scripts the page has its tables and pictures, and atoms open. */
async function checkWithoutScripts(browser) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await open(context, "images.html");
  assert.ok(await page.isVisible("#overview dl"));
  assert.ok(await page.isVisible("#overview .chart svg"));
  const link = page.locator("#atoms ul.cards > li a").first();
  await link.click();
  assert.ok(await page.isVisible(await link.getAttribute("href")));
  assert.deepEqual(page.problems, []);
  await context.close();
  console.log("without scripts: good");
}

(async () => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags, env: { ...process.env, HOME: profile } });
  try {
    for (const name of ["images", "names", "table", "model"]) await checkPage(browser, name);
    await checkWithoutScripts(browser);
  } finally {
    await browser.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startSession } from '../../src/core/auth/session-service.js';
import { root } from '../structure/source-files.js';
import { world } from '../support/world.js';

/** A page view's width, colours and language. */
export interface Look {
  width?: 360 | 1440;
  scheme?: 'light' | 'dark';
  language?: string;
}

/** Every page view that the matrices go through. */
export const looks: readonly Required<Look>[] = ([360, 1440] as const).flatMap((width) =>
  (['light', 'dark'] as const).flatMap((scheme) => ['en', 'de'].map((language) => ({ width, scheme, language }))),
);

/** A person's tab, with its pages' errors. */
export interface Tab {
  page: Page;
  /** Opens the service's path, and waits until the page has its heading and nothing is loading. */
  open(path: string): Promise<void>;
  /** What was written to the console as an error or warning, but for the one 401 before signing in. */
  complaints: string[];
  close(): Promise<void>;
}

const heights = { 360: 740, 1440: 900 } as const;

/** Opens `person`'s tab, or without a sign-in. */
export async function openTab(
  browser: Browser,
  person: { chatUserId: string; username: string } | null,
  { width = 1440, scheme = 'light', language = 'en' }: Look = {},
): Promise<Tab> {
  const { url } = await world();
  const context = await browser.newContext({
    viewport: { width, height: heights[width] },
    colorScheme: scheme,
    locale: language,
    reducedMotion: 'reduce',
    baseURL: url,
  });
  if (person !== null) {
    const { chatUserId, username } = person;
    const id = await startSession({ chatUserId, username, avatarUrl: null, managedGuilds: [] });
    await context.addCookies([{ name: 'rolelink_session', value: id, url }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url: source } = message.location();
    const isOurs = source === '' || source.startsWith(url);
    if (isOurs && ['error', 'warning'].includes(message.type()) && !isUnsigned(message.text(), source))
      complaints.push(`${message.text()} (${source})`);
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(path);
      await settled(page);
    },
    close: () => context.close(),
  };
}

const isUnsigned = (text: string, url: string): boolean => text.includes('401') && url.endsWith('/api/auth/me');

/** Waits until the page has a heading, nothing on it is loading any more, and a dialog on it has its name. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[data-waiting]').first().waitFor({ state: 'detached' });
  // Mantine names a dialog only after it has drawn it.
  await page.locator('[role=dialog]:not([aria-labelledby])').first().waitFor({ state: 'detached' });
}

// What runs in the page stands as text: the tests are compiled without a browser's types.

/** The labels, links and headings that don't fit where they stand. */
const cutLabels = `[...document.querySelectorAll('button, a, .mantine-Button-label, .mantine-Badge-label, h1, h2, th')]
  .filter((element) => {
    const { position, display } = getComputedStyle(element);
    const isShown = element.getClientRects().length > 0 && position !== 'absolute' && display !== 'inline';
    return isShown && element.scrollWidth > element.clientWidth + 1;
  })
  .map((element) => 'cut: ' + element.textContent)`;

/** Words that a narrow column breaks in the middle; long ones, and codes, may break. */
const brokenWords = `(() => {
  const [found, range] = [[], document.createRange()];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (text.parentElement.closest('pre, code, textarea, select, script') !== null) continue;
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}_]{2,20}(?![\\p{L}\\p{N}_])/gu)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
      if (lines.size > 1) found.push('broken: ' + word);
    }
  }
  return found;
})()`;

/** The buttons in a list's rows that read the same in several rows, so that nobody hears what they act on (DASH-92). */
const namelessButtons = `[...document.querySelectorAll('main ul, main ol, main tbody')].flatMap((list) => {
  const names = [...list.children].flatMap((row) => [
    ...new Set(
      [...row.querySelectorAll('button.mantine-Button-root, a.mantine-Button-root')].map(
        (button) => button.getAttribute('aria-label') ?? button.textContent,
      ),
    ),
  ]);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => 'in several rows: ' + name);
})`;

/** The page's letters are its own, and not the system's. */
const foreignLetters = `document.fonts.ready.then((fonts) =>
  [...fonts].some(({ family, status }) => family === 'Inter' && status === 'loaded') ? [] : ['the letters of the system'])`;

/** What axe finds, each with the markup that it is about. */
const axeViolations = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`;

/** Faults in a page's layout, and in its use by assistive technology. */
export async function faultsOf(page: Page, width: number): Promise<string[]> {
  // A dialog can open after the page had come to rest.
  await settled(page);
  const cut = await page.evaluate<string[]>(cutLabels);
  const broken = await page.evaluate<string[]>(brokenWords);
  const nameless = await page.evaluate<string[]>(namelessButtons);
  const letters = await page.evaluate<string[]>(foreignLetters);
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  await page.evaluate(axe.source);
  const violations = await page.evaluate<string[]>(axeViolations);
  return [...cut, ...broken, ...nameless, ...letters, ...(wide > width ? [`${wide} px wide`] : []), ...violations];
}

/**
 * With `SCREENSHOTS` in the environment: keeps a picture of the whole page, or of the part that a window shows, for
 * people to look at. No test depends on it: Chromium can refuse one on a busy machine.
 */
export async function keepPicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  const folder = join(root, 'dist/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

/** No error in the console, which also reports broken policies and errors in scripts. */
export function expectQuiet({ complaints }: Tab): void {
  expect(complaints).to.deep.equal([]);
}

/** Chooses from the list behind a label: the browser's own, or one that is searched by typing. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  const box = page.getByRole('combobox', { name: label, exact: true });
  if ((await box.getAttribute('aria-autocomplete')) === null) return void (await box.selectOption({ label: option }));
  await box.click();
  await box.fill(option);
  await page.getByRole('option', { name: option, exact: true }).click();
}

import type { Page, Route } from 'playwright-core';
import { settled } from './web-page.js';

/** The places of a page's headings and its main part's height, in px. */
export interface Outline {
  /** Empty while there is none. */
  title: string;
  titleTop: number;
  /** The second-level headings' tops, by their text. */
  headings: Readonly<Record<string, number>>;
  height: number;
  /** How many links a server's menu has. */
  links: number;
}

/** A page in each loading step. */
export interface HeldLoad {
  /** Neither the page's script nor any data is there. */
  atFirst: Outline;
  /** The person and the server are known. */
  framed: Outline;
  /** The page's script is there, and its data are not. */
  scripted: Outline;
  whole: Outline;
  /** The browser's layout shifts, summed. */
  shift: number;
}

// What runs in the page stands as text: the tests are compiled without a browser's types.

const outline = `(() => {
  const topOf = (element) => Math.round(element.getBoundingClientRect().top + scrollY);
  const title = document.querySelector('h1');
  return {
    title: title?.textContent ?? '',
    titleTop: title === null ? 0 : topOf(title),
    headings: Object.fromEntries([...document.querySelectorAll('main h2')].map((h2) => [h2.textContent, topOf(h2)])),
    height: Math.round(document.querySelector('main')?.getBoundingClientRect().height ?? 0),
    links: document.querySelectorAll('aside nav a').length,
  };
})()`;

const countShifts = `
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) globalThis.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Whether a request asks who the person is, and what the server is. */
const isOfFrame = (path: string): boolean => /^\/api\/(auth\/me|guilds\/?|guilds\/\d+)$/.test(path);

/** A gate that requests wait at until it opens. */
class Gate {
  private opened: () => void = () => undefined;
  readonly passed = new Promise<void>((resolve) => {
    this.opened = resolve;
  });
  open(): void {
    this.opened();
  }
}

/** Holds back what a page loads, and lets it go in three steps. */
export async function holdLoads(page: Page) {
  const gates = { frame: new Gate(), script: new Gate(), data: new Gate() };
  await page.addInitScript(countShifts);
  const after = (gateOf: (path: string) => Gate) => async (route: Route) => {
    await gateOf(new URL(route.request().url()).pathname).passed;
    await route.continue();
  };
  await page.route(
    '**/api/**',
    after((path) => (isOfFrame(path) ? gates.frame : gates.data)),
  );
  await page.route(
    '**/assets/*-page-*.js',
    after(() => gates.script),
  );
  return gates;
}

/** Long enough for React to draw what has arrived. */
const drawnMs = 300;

/** Opens a page step by step; `look` is called when everything but data is there. */
export async function loadHeld(page: Page, path: string, look?: () => Promise<unknown>): Promise<HeldLoad> {
  const gates = await holdLoads(page);
  const read = async () => {
    await page.waitForTimeout(drawnMs);
    return page.evaluate<Outline>(outline);
  };
  await page.goto(path, { waitUntil: 'load' });
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const atFirst = await read();
  gates.frame.open();
  const framed = await read();
  gates.script.open();
  const scripted = await read();
  await look?.();
  gates.data.open();
  await settled(page);
  await page.waitForLoadState('networkidle');
  const whole = await read();
  const shift = await page.evaluate<number>('globalThis.layoutShift');
  return { atFirst, framed, scripted, whole, shift };
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startSession } from '../../src/core/auth/session-service.js';
import { world } from '../support/world.js';
import { settled } from '../web/web-page.js';

/** A document's letters that no service sends. */
const fontFile = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
const font = readFileSync(fileURLToPath(fontFile)).toString('base64');
const ownFont = `@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}) }
  :root { --font: Inter }`;

/** A picture's size and colours. */
export interface Frame {
  width: number;
  height: number;
  scheme?: 'light' | 'dark';
  language?: string;
}

type Person = { chatUserId: string; username: string };

/** Opens a window in the frame's size, signed in as `person` unless it is null. */
export async function openWindow(browser: Browser, person: Person | null, frame: Frame): Promise<Page> {
  const { url } = await world();
  const { width, height, scheme = 'light', language = 'en' } = frame;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: language,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: url,
  });
  if (person !== null) await signIn(context, person, url);
  return context.newPage();
}

async function signIn(context: BrowserContext, { chatUserId, username }: Person, url: string): Promise<void> {
  const id = await startSession({ chatUserId, username, avatarUrl: null, managedGuilds: [] });
  await context.addCookies([{ name: 'rolelink_session', value: id, url }]);
}

/** Shows the service's path, at rest. Throws where the service refused a page part. */
export async function show(page: Page, path: string): Promise<void> {
  const refused: string[] = [];
  page.on('response', (answer) => {
    const isVisitor = answer.status() === 401 && answer.url().endsWith('/api/auth/me');
    if (answer.status() >= 400 && !isVisitor) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await page.goto(path);
  await settled(page);
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  if (refused.length > 0) throw new Error(`no picture of a refusal: ${refused.join(', ')}`);
}

/** Shows a document that a test has written. */
export async function showDocument(page: Page, html: string): Promise<void> {
  await page.setContent(html);
  await page.addStyleTag({ content: ownFont });
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

/** A window's part, in px. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The window’s content, or a part, as WebP in the best quality that fits `mostBytes`; in the last one otherwise. */
export async function takePicture(page: Page, mostBytes: number, part?: Part): Promise<Buffer> {
  const chromium = await page.context().newCDPSession(page);
  let picture = Buffer.alloc(0);
  for (const quality of [80, 65, 50, 35]) {
    const { data } = await chromium.send('Page.captureScreenshot', {
      ...{ format: 'webp', quality },
      ...(part !== undefined && { captureBeyondViewport: true, clip: { ...part, scale: 1 } }),
    });
    picture = Buffer.from(data, 'base64');
    if (picture.length <= mostBytes) break;
  }
  return picture;
}

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium. Its headless shell draws no window around each page, and opens pages in a third of the time. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Another browser is named by CHROMIUM_PATH. */
const executablePath = process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path)) ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** Starts the browser, or skips the tests. Outside CI a missing browser is reported as no failure. */
export async function startChromium(test: Mocha.Context): Promise<Browser> {
  if (!existsSync(executablePath) && process.env.CI === undefined) test.skip();
  return chromium.launch({ executablePath, args });
}

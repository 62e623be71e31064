import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { root } from '../structure/source-files.js';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { platformAdminId } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { openTab } from './web-page.js';

const ofPlatform = ['/admin', '/admin/doctor'];
const ofTeam = ['/config', '/people', '/log', '/webhooks', '/team', '/tokens', '/plan'];

/** What a first page may load, in kB of 1,000 bytes as gzip. */
const most = { script: 195, stylesheet: 25 } as const;

/** Every file that a first visit may take, the page itself included. */
const mostFiles = 10;

// DASH-6
describe('The first load of each page', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
  });
  after(() => browser?.close());

  // First, since the pages below are all the owner's, who has 120 requests a minute (API-30).
  it('The session, the server and the data of a page are asked for together', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    const asked: string[] = [];
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/**', async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      await held;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const wanted = ['/api/auth/me', guild.path, `${guild.path}/overview`, `${guild.path}/logs`];
    await eventually(() => wanted.every((path) => asked.includes(path)), 'the calls');
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.close();
  });

  for (const path of [
    '',
    '/setup',
    '/members',
    '/mappings',
    '/mappings/new',
    '/mappings/import',
    '/groups',
    '/groups/:group/ranks',
    '/groups/:group/requests',
    '/changes',
    '/changes?tab=compare',
    '/changes?tab=made',
    '/move',
    '/settings',
    ...ofTeam,
    ...ofPlatform,
  ]) {
    const isPlatform = ofPlatform.includes(path);
    const name = isPlatform ? path : `/g/…${path}`;
    it(`The first load is at most ${most.script} kB of scripts and ${most.stylesheet} kB of styles: ${name}`, async () => {
      const admin = { chatUserId: platformAdminId, username: 'operator' };
      const tab = await openTab(browser, isPlatform ? admin : guild.owner);
      const asked = new Set<string>();
      tab.page.on('request', (request) => asked.add(new URL(request.url()).pathname));
      await tab.open(isPlatform ? path : `/g/${guild.guildId}${path.replace(':group', guild.groupId)}`);
      await tab.page.waitForLoadState('networkidle');
      // Brotli is smaller: what counts is what the weaker coding needs.
      const sizeOf = (ending: string): number =>
        [...asked]
          .filter((file) => file.endsWith(ending))
          .reduce((sum, file) => sum + statSync(join(root, `dist/dashboard${file}.gz`)).size, 0);
      const [script, stylesheet] = [Math.round(sizeOf('.js') / 1_000), Math.round(sizeOf('.css') / 1_000)];
      process.stdout.write(`      ${script} kB scripts, ${stylesheet} kB styles\n`);
      expect(script).to.be.within(50, most.script);
      expect(stylesheet).to.be.within(5, most.stylesheet);
      await tab.close();
    });
  }

  // DASH-44
  for (const path of ['/', '/g/:guild']) {
    it(`The first visit takes at most ${mostFiles} files: ${path}`, async () => {
      const tab = await openTab(browser, path === '/' ? null : guild.owner);
      const files = new Set<string>();
      tab.page.on('request', (request) => files.add(new URL(request.url()).pathname));
      await tab.open(path.replace(':guild', guild.guildId));
      await tab.page.waitForLoadState('networkidle');
      const loaded = [...files].filter((file) => !file.startsWith('/api/'));
      expect(loaded.length, loaded.join(' ')).to.be.at.most(mostFiles);
      await tab.close();
    });
  }

  // DASH-187
  it('Each picture of the landing page is loaded when its place is reached', async () => {
    const tab = await openTab(browser, null);
    await tab.open('/');
    const places = tab.page.locator('main figure');
    const loaded = '[...document.images].filter(({ naturalWidth }) => naturalWidth > 500).length';
    for (const [before, place] of (await places.all()).entries()) {
      expect(await tab.page.evaluate(loaded)).to.be.at.most(before + 1);
      await place.scrollIntoViewIfNeeded();
      await eventually(async () => (await tab.page.evaluate<number>(loaded)) > before, 'the picture');
    }
    expect(await places.count()).to.equal(4);
    await tab.close();
  });

  it('The data of a server is never requested without a sign-in', async () => {
    const tab = await openTab(browser, null);
    const asked: string[] = [];
    tab.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await tab.open(`/g/${guild.guildId}`);
    await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(asked.filter((path) => path.startsWith('/api/'))).to.deep.equal(['/api/auth/me']);
    await tab.close();
  });
});

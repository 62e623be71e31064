import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { root } from '../structure/source-files.js';
import { startChromium } from '../support/chromium.js';
import { platformAdminId } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { openTab } from './web-page.js';

const ofPlatform = ['/admin', '/admin/doctor'];
const ofTeam = ['/config', '/people', '/log', '/webhooks', '/team', '/tokens', '/plan'];

/** What a first page may load, in kB of 1,000 bytes as gzip. */
const most = { script: 190, stylesheet: 25 } as const;

// DASH-6
describe('The first load of each page', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
  });
  after(() => browser?.close());

  for (const path of [
    '',
    '/setup',
    '/members',
    '/mappings',
    '/mappings/new',
    '/groups',
    '/preview',
    '/resync',
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
      await tab.open(isPlatform ? path : `/g/${guild.guildId}${path}`);
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
});

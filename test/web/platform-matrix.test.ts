import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { checkSetup } from '../../src/edges/operations/doctor.js';
import { adminApi } from '../features/admin/admin-setup.js';
import { buildApplicant } from '../features/verification/verification-setup.js';
import { buildGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { platformAdminId, world } from '../support/world.js';
import { faultsOf, keepPicture, type Look, openTab } from './web-page.js';

/** The platform administrators' pages. */
const adminPages: Readonly<Record<string, string>> = {
  admin: '/admin',
  'admin-none': '/admin?q=nobody-is-called-so',
  'admin-doctor': '/admin/doctor',
};
/** The pages that the service draws itself, which need no script; with the status of those that refuse. */
const drawnPages: Readonly<Record<string, [path: string, status?: number]>> = {
  'verify-words': ['/verify/:words'],
  'verify-roblox': ['/verify/:roblox'],
  'verify-unknown': ['/verify/nobody-has-this', 404],
  'sign-in-failed': ['/api/auth/callback?error=access_denied', 400],
  'billing-return': ['/billing/return?outcome=paid'],
  privacy: ['/privacy'],
  terms: ['/terms', 404],
  docs: ['/docs'],
  nowhere: ['/nowhere', 404],
};

const looks: Required<Look>[] = ([360, 1440] as const).flatMap((width) =>
  (['light', 'dark'] as const).flatMap((scheme) => ['en', 'de'].map((language) => ({ width, scheme, language }))),
);

describe('The pages of the platform, and those without scripts', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
    const { discord } = await world();
    const suspended = await buildGuild({ name: 'Stormy Bay' });
    // Two servers may have one name: each button still names its own.
    for (const name of ['Ranger Base', 'Ranger Base']) await buildGuild({ name });
    await (await adminApi()).suspend(suspended.guildId, 'Sends unwanted messages to whoever joins');
    // Something to mend, while everything else is as it is.
    const { flags } = discord.application;
    discord.application.flags = 0;
    await checkSetup();
    discord.application.flags = flags;
  });
  after(async () => {
    await checkSetup();
    await browser?.close();
  });

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`Every platform page and page without scripts has no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      const faults: Record<string, string[]> = {};
      const admin = await openTab(browser, { chatUserId: platformAdminId, username: 'operator' }, look);
      for (const [pageName, path] of Object.entries(adminPages)) {
        await admin.open(path);
        await keepPicture(admin.page, `${pageName}-${name}`);
        const found = [...(await faultsOf(admin.page, look.width)), ...admin.complaints.splice(0)];
        if (found.length > 0) faults[pageName] = found;
      }
      await admin.close();
      const guild = await buildGuild({ name: 'Café Owls' });
      const [words, roblox] = [await buildApplicant({ guild }), await buildApplicant({ guild, method: 'oauth' })];
      const tabs = {
        words: await openTab(browser, words.person, look),
        roblox: await openTab(browser, roblox.person, look),
      };
      for (const [pageName, [path, status]] of Object.entries(drawnPages)) {
        const tab = path.endsWith(':roblox') ? tabs.roblox : tabs.words;
        await tab.open(path.replace(':words', words.token).replace(':roblox', roblox.token));
        await keepPicture(tab.page, `${pageName}-${name}`, pageName !== 'docs');
        const told = tab.complaints.splice(0).filter((line) => status === undefined || !line.includes(`${status}`));
        const found = [...(await faultsOf(tab.page, look.width)), ...told];
        if (found.length > 0) faults[pageName] = found;
      }
      for (const tab of Object.values(tabs)) await tab.close();
      expect(faults).to.deep.equal({});
    });
  }
});

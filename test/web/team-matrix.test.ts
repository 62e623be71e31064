import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildTeammate } from '../features/team/team-setup.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildLivingTeam, type LivingTeam } from './living-team.js';
import { faultsOf, keepPicture, looks, openTab } from './web-page.js';

/** A team's pages, by their pictures' names. */
const pages: Readonly<Record<string, string>> = {
  config: '/g/:guild/config',
  log: '/g/:guild/log',
  webhooks: '/g/:guild/webhooks',
  webhook: '/g/:guild/webhooks/:webhook',
  delivery: '/g/:guild/webhooks/:webhook/:delivery',
  people: '/g/:guild/people',
  team: '/g/:guild/team',
  tokens: '/g/:guild/tokens',
  plan: '/g/:guild/plan',
  me: '/me',
};

describe('The pages of a team', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let team: LivingTeam;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
    team = await buildLivingTeam(guild);
    const absent = { chatUserId: '100000000000000777', gameUserId: '261' };
    await guild.api.post(`${guild.path}/people/import`, { source: 'list', people: [absent] });
  });
  after(async () => {
    await team?.receiver.close();
    await browser?.close();
  });

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`Every team page has no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      // Each page is opened by another person: together they are more requests than one person has in a minute.
      const tab = await openTab(browser, await buildTeammate(guild, 'admin'), look);
      const faults: Record<string, string[]> = {};
      for (const [pageName, path] of Object.entries(pages)) {
        const { webhookId, deliveryId } = team;
        await tab.open(
          path.replace(':guild', guild.guildId).replace(':webhook', webhookId).replace(':delivery', deliveryId),
        );
        await keepPicture(tab.page, `${pageName}-${name}`);
        const found = [...(await faultsOf(tab.page, look.width)), ...tab.complaints.splice(0)];
        if (found.length > 0) faults[pageName] = found;
      }
      expect(faults).to.deep.equal({});
      await tab.close();
    });
  }
});

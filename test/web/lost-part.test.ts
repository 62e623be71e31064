import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { openTab, settled } from './web-page.js';

const partOfGroups = /\/assets\/groups-page-.*\.js/;

// DASH-25
describe('Parts of the pages that can’t be loaded', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
  });
  after(() => browser?.close());

  /** An overview tab that counts its page loads. */
  async function openOverview() {
    const tab = await openTab(browser, guild.owner);
    await tab.open(`/g/${guild.guildId}`);
    const loads = { count: 0 };
    tab.page.on('domcontentloaded', () => {
      loads.count += 1;
    });
    return { tab, page: tab.page, loads };
  }

  it('A script that can’t be loaded is said in words, without loading the page for ever, and can be tried again', async () => {
    const { tab, page, loads } = await openOverview();
    await page.route(partOfGroups, (route) => route.abort());
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('heading', { level: 1, name: "This page can't be shown" }).waitFor();
    await page.getByText("Part of this page couldn't be loaded").waitFor();
    await page.waitForTimeout(500);
    expect(loads.count).to.equal(0);
    expect(await page.getByRole('link', { name: 'Members' }).isVisible()).to.equal(true);
    await page.unroute(partOfGroups);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    await tab.close();
  });

  it('Another build of the pages is loaded once, automatically', async () => {
    const { tab, page, loads } = await openOverview();
    await page.route(partOfGroups, (route) => route.abort());
    await page.route('**/', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(/\/assets\/index-[^"]+\.js/, '/assets/index-another.js');
      await route.fulfill({ response: answer, body });
    });
    await page.getByRole('link', { name: 'Groups' }).click();
    await eventually(() => loads.count > 0, 'the other build');
    await page.waitForTimeout(2_000);
    expect(loads.count).to.equal(1);
    await tab.close();
  });

  it('Without a network the dashboard stays on the screen, and recovers when the network returns', async () => {
    const { tab, page } = await openOverview();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByText("Part of this page couldn't be loaded").waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForTimeout(500);
    expect(new URL(page.url()).pathname).to.equal(`/g/${guild.guildId}/groups`);
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    await settled(page);
    await tab.close();
  });
});

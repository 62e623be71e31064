import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildGuild, buildPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { expectQuiet, keepPicture, openTab } from './web-page.js';

/** The most that a link with one line of words is high, in px. */
const oneLine = 40;

describe('The frame of the dashboard', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  // DASH-8
  it('The dashboard signs a person in by Discord, shows their servers, and signs them out', async () => {
    const { discord } = await world();
    const guild = await buildGuild({ name: 'Ranger Base' });
    const tab = await openTab(browser, null);
    const { page } = tab;
    await tab.open('/');
    await page.getByRole('link', { name: 'Sign in with Discord' }).click();
    await page.getByRole('link', { name: 'Continue with Discord' }).click();
    await page.getByLabel('Who are you?').selectOption(guild.ownerId);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your servers' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/g');
    await page.getByRole('link', { name: /Ranger Base/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.title()).to.equal('Overview · Rolelink');
    await page.locator('h1:focus').waitFor();
    const { username } = discord.user(guild.ownerId);
    await page.getByRole('button', { name: `Account of ${username}` }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: /Discord roles/ }).waitFor();
    await tab.open(`/g/${guild.guildId}`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('returnTo')).to.equal(`/g/${guild.guildId}`);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-50
  it('A page of no server says that it is offline, until the network is back', async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const tab = await openTab(browser, { chatUserId: guild.ownerId, username: 'owner' });
    const { page } = tab;
    await tab.open('/g');
    await page.context().setOffline(true);
    await page.getByText("You're offline.", { exact: false }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("You're offline.", { exact: false }).waitFor({ state: 'detached' });
    await tab.close();
  });

  it('A page that could not be loaded keeps its margin and the way to the start page', async () => {
    const tab = await openTab(browser, await buildPerson(), { width: 360 });
    const { page } = tab;
    await page.route(/me-page/, (route) => route.abort());
    await tab.open('/me');
    const heading = page.getByRole('heading', { level: 1, name: "This page can't be shown" });
    expect((await heading.boundingBox())?.x).to.be.at.least(16);
    expect(await page.getByRole('link', { name: 'Rolelink' }).getAttribute('href')).to.equal('/');
    await tab.close();
  });

  // DASH-15
  it("Each link of a server's menu takes one line, in every language", async () => {
    const guild = await buildGuild({ name: 'Ranger Base' });
    const broken: string[] = [];
    for (const language of ['en', 'de', 'es', 'fr', 'pl', 'pt-BR', 'tr']) {
      const tab = await openTab(browser, { chatUserId: guild.ownerId, username: 'owner' }, { language });
      await tab.open(`/g/${guild.guildId}/plan`);
      for (const link of await tab.page.locator('aside nav a').all()) {
        const height = (await link.boundingBox())?.height ?? 0;
        if (height > oneLine) broken.push(`${language}: ${await link.textContent()}`);
      }
      await keepPicture(tab.page, `menu-${language}`, false);
      await tab.close();
    }
    expect(broken).to.deep.equal([]);
  });
});

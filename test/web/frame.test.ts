import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { expectQuiet, openTab } from './web-page.js';

describe('The frame of the dashboard', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

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
});

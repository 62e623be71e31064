import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { findPresentGuild } from '../../src/core/guilds/guild-service.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { platformAdminId, world } from '../support/world.js';
import { expectQuiet, openTab, settled } from './web-page.js';

const admin = { chatUserId: platformAdminId, username: 'operator' };

describe('The pages of the platform', () => {
  let browser: Browser;
  let guild: TestGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildGuild({ name: `Harbour ${Date.now()}` });
    await buildMember(guild);
  });
  after(() => browser?.close());

  const stateOf = async () => (await findPresentGuild(guild.guildId))?.state;
  const card = (page: Page) => page.getByRole('listitem').filter({ hasText: guild.guild.name });

  // DASH-18
  it('A platform admin finds a server, suspends it with a reason, and restores it', async () => {
    const tab = await openTab(browser, admin);
    const { page } = tab;
    await tab.open('/admin');
    await page.getByRole('searchbox', { name: 'Search' }).fill(guild.guild.name.toLowerCase());
    await card(page).getByText('1 linked of').waitFor();
    await page.getByText('1 server', { exact: true }).waitFor();
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === guild.guild.name.toLowerCase());
    await card(page).getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 linked member keeps their current roles').waitFor();
    expect(await dialog.getByRole('button', { name: 'Suspend' }).isDisabled()).to.equal(true);
    await dialog.getByLabel('Reason').fill('Spam from here');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await card(page).getByText('Reason: Spam from here').waitFor();
    expect(await stateOf()).to.equal('suspended');
    await page.getByLabel('Status').selectOption({ label: 'Suspended' });
    await card(page).getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('No servers match').waitFor();
    expect(await stateOf()).to.equal('active');
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of servers explains that another admin was quicker', async () => {
    const tab = await openTab(browser, admin);
    const { page } = tab;
    await tab.open(`/admin?q=${guild.guildId}`);
    await card(page).getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Late');
    const other = await openTab(browser, admin);
    const suspended = await other.page.request.post(`/api/admin/guilds/${guild.guildId}/suspend`, {
      data: { reason: 'Sooner' },
      headers: { origin: (await world()).url },
    });
    expect(suspended.status()).to.equal(200);
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').textContent()).to.contain('suspended');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await card(page).getByText('Reason: Sooner').waitFor();
    await card(page).getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await card(page).getByRole('button', { name: 'Suspend' }).waitFor();
    for (const each of [tab, other]) await each.close();
  });

  // DASH-19
  it('The set-up check names each fault and its remedy, and checks again', async () => {
    const { discord } = await world();
    const { flags } = discord.application;
    const tab = await openTab(browser, admin);
    const { page } = tab;
    await tab.open('/admin/doctor');
    await page.getByText(/^Checked/).waitFor();
    const toMend = page.getByRole('region', { name: 'To fix' });
    expect(await toMend.getByText('Server Members').count()).to.equal(0);
    discord.application.flags = 0;
    try {
      await page.getByRole('button', { name: 'Check again' }).click();
      await toMend.getByText('The "Server Members" intent is off', { exact: false }).waitFor();
    } finally {
      discord.application.flags = flags;
    }
    expect(await toMend.getByRole('link').first().getAttribute('href')).to.match(
      /^https:\/\/discord\.com\/developers\//,
    );
    await page.getByRole('button', { name: 'Check again' }).click();
    await toMend.getByText('The "Server Members" intent is off', { exact: false }).waitFor({ state: 'detached' });
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-18
  it('The pages of the platform are in the menu of its admins, and not found for all others', async () => {
    const [tab, other] = [await openTab(browser, admin), await openTab(browser, await buildMember(guild))];
    await tab.open('/g');
    await tab.page.getByRole('button', { name: 'operator' }).click();
    await tab.page.getByRole('link', { name: 'Platform administration' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Platform administration' }).waitFor();
    await tab.page.getByRole('link', { name: 'Setup check' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Setup check' }).waitFor();
    for (const path of ['/admin', '/admin/doctor']) {
      await other.open(path);
      await other.page.getByRole('heading', { level: 1, name: "This page doesn't exist" }).waitFor();
    }
    await other.page.locator('button[popovertarget]').first().click();
    await other.page.getByRole('link', { name: 'Your account' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Platform administration' }).count()).to.equal(0);
    for (const each of [tab, other]) {
      expectQuiet(each);
      await each.close();
    }
  });

  it('The pages of the platform lead a visitor to signing in, and back', async () => {
    const tab = await openTab(browser, null);
    await tab.open('/admin/doctor');
    await tab.page.getByRole('link', { name: 'Continue with Discord' }).waitFor();
    await settled(tab.page);
    expect(new URL(tab.page.url()).searchParams.get('returnTo')).to.equal('/admin/doctor');
    await tab.close();
  });
});

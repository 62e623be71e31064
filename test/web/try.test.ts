import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { knownGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, openTab, settled } from './web-page.js';

// DASH-47, DASH-48
describe('Trying the API with one’s own session', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let firstId: string;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
    const { discord } = await world();
    ({ id: firstId } = discord.addGuild({ name: 'Alpha Base', ownerId: guild.owner.chatUserId }));
    await knownGuild(firstId);
  });
  after(() => browser?.close());

  it('An operation is found by a part of its path and called, and the answer is shown with its request id', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open('/docs/try');
    const box = page.getByRole('combobox', { name: 'Operation' });
    await box.click();
    await box.fill('{guildId}/roles ·');
    await box.press('Enter');
    const send = page.getByRole('button', { name: 'Send' });
    // The first by name, as no server was shown yet.
    await page.locator(`input[value="${firstId}"]`).waitFor();
    await page.getByLabel('guildId').fill('');
    expect(await send.isDisabled(), 'without the server').to.equal(true);
    await page.getByLabel('guildId').fill(guild.guildId);
    await page.getByLabel('limit').fill('1');
    await send.click();
    await page.getByText('200 OK').waitFor();
    await page.getByText('x-request-id: ').waitFor();
    await page.getByText('"roleId"').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('A call that may change something is confirmed first, and takes the session’s rights', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    await tab.open('/docs');
    await page.locator('#postGuildMappings').getByRole('link', { name: 'Try it' }).click();
    await settled(page);
    await page.locator(`input[value="${guild.guildId}"]`).waitFor();
    await page
      .getByLabel('Body')
      .fill(JSON.stringify({ name: 'By hand', condition: { type: 'verified' }, roleIds: [guild.roles.Moderator] }));
    const names = async () =>
      (await guild.api.get(`${guild.path}/mappings`)).body.data.map(({ name }: { name: string | null }) => name);
    await page.getByRole('button', { name: 'Send' }).click();
    const question = page.getByRole('dialog', { name: 'Send this call?' });
    await question.waitFor();
    expect(await names()).to.not.include('By hand');
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByText('201 Created').waitFor();
    expect(await names()).to.include('By hand');
    expectQuiet(tab);
    await tab.close();
  });

  it('/docs leads to each operation that the page offers', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open('/docs');
    const links = await page.getByRole('link', { name: 'Try it' }).count();
    await tab.open('/docs/try');
    await page.getByRole('combobox', { name: 'Operation' }).click();
    expect(links).to.be.greaterThan(80);
    expect(await page.getByRole('option').count()).to.equal(links);
    await tab.close();
  });

  it('A visitor without a session signs in first and returns', async () => {
    const tab = await openTab(browser, null);
    await tab.open('/docs/try?operation=postGuildMappings');
    await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const { searchParams } = new URL(tab.page.url());
    expect(searchParams.get('returnTo')).to.equal('/docs/try?operation=postGuildMappings');
    await tab.close();
  });
});

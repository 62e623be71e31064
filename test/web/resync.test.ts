import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildResyncGuild } from '../features/sync/resync-setup.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild } from './living-guild.js';
import { expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

describe('The pages of preview and resync', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  const ownerOf = async (ownerId: string) => ({
    chatUserId: ownerId,
    username: (await world()).discord.user(ownerId).username,
  });

  it('The page of previews shows a plan and does exactly that', async () => {
    const { discord } = await world();
    const guild = await buildLivingGuild();
    const [first] = guild.members;
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/changes`);
    await page.getByRole('button', { name: 'Create a preview' }).click();
    await page.getByText(/^1 person would change: 1 would get roles/).waitFor();
    await keepPicture(page, 'flow-preview');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    const row = page.getByRole('row').filter({ hasText: first?.username ?? '' });
    expect(await row.textContent()).to.contain('+ gets @Verified');
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^1 person would change/).waitFor();
    await dialog.getByRole('button', { name: 'Apply exactly this' }).click();
    await page.waitForURL(/tab=made/);
    await page.getByText('Completed').first().waitFor();
    await page
      .getByText(/some members/)
      .first()
      .waitFor();
    expect(discord.member(guild.guildId, first?.chatUserId ?? '')?.roleIds).to.include(guild.roles.Verified);
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of resyncs follows a resync to its end', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 4, inStep: 1 });
    const tab = await openTab(browser, await ownerOf(guild.ownerId));
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/changes?tab=made`);
    await page.getByRole('button', { name: 'Resync everyone' }).click();
    await page.getByRole('dialog').getByText('4 linked members are compared').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resync everyone' }).click();
    await page.getByText('3 changed').waitFor();
    await page.getByText('Completed').first().waitFor();
    for (const { chatUserId } of guild.people) {
      expect(discord.member(guild.guildId, chatUserId)?.roleIds).to.include(guild.memberRole);
    }
    // The list is up to ten seconds old and may still call the resync running.
    await page.route('**/resyncs*', async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, data: [{ ...data[0], state: 'running' }] } });
    });
    await page.reload();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('3 changed').waitFor();
    expect(await page.getByRole('button', { name: 'Stop resync' }).count()).to.equal(0);
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of resyncs shows how many people a stopped resync would change, and continues when an admin confirms', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 25 });
    for (const { gameUserId } of guild.people.slice(0, 20)) roblox.leaveGroup(guild.groupId, gameUserId);
    const tab = await openTab(browser, await ownerOf(guild.ownerId));
    const { page } = tab;
    await guild.api.post(`${guild.path}/resync`);
    await tab.open(`/g/${guild.guildId}/changes?tab=made`);
    await page.getByText(/^20 people would lose roles, 77\s?% of those checked/).waitFor();
    await keepPicture(page, 'flow-brake');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Remove the roles' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the roles' }).click();
    await page.getByText('Completed').first().waitFor();
    const [lost] = guild.people;
    expect(discord.member(guild.guildId, lost?.chatUserId ?? '')?.roleIds).to.not.include(guild.memberRole);
    expectQuiet(tab);
    await tab.close();
  });
});

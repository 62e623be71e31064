import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

// DASH-49
describe('A choice among many roles or groups', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 1);
    const { discord } = await world();
    for (let place = 1; place <= 30; place += 1) discord.addRole(guild.guildId, { name: `Squad ${place}` });
    discord.addRole(guild.guildId, { name: 'Machine', managed: true });
  });
  after(() => browser?.close());

  it('A role is found by a part of its name and taken by keyboard, and Escape changes nothing', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/new`);
    const box = page.getByRole('combobox', { name: 'Give', exact: true });
    const options = page.getByRole('listbox', { name: 'Choices' }).getByRole('option');
    const chosen = page.getByRole('list', { name: 'Give' }).getByRole('listitem');
    await box.focus();
    await box.press('ArrowDown');
    await options.first().waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await box.fill('squad 1');
    expect(await options.count()).to.equal(11);
    await box.press('Escape');
    expect(await box.inputValue()).to.equal('');
    expect(await chosen.count()).to.equal(0);
    await box.fill('squad 2');
    const second = await options.nth(1).innerText();
    await box.press('ArrowDown');
    await box.press('Enter');
    expect(await chosen.allInnerTexts()).to.deep.equal([second]);
    await box.fill('no such role');
    await page.getByText('Nothing matches.').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('A restriction’s group is found by its name, by its id or by its address, and left out by its pill', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    const { roblox } = await world();
    const other = roblox.addGroup({ name: 'Elsewhere' });
    await tab.open(`/g/${guild.guildId}/settings`);
    const name = 'In one of these groups';
    const box = page.getByRole('combobox', { name, exact: true });
    const chosen = page.getByRole('list', { name }).getByRole('listitem');
    await box.fill('northern');
    await box.press('Enter');
    await box.fill(`https://www.roblox.com/communities/${other.id}/elsewhere`);
    await box.press('Enter');
    await box.fill('987654321');
    await page.getByRole('option', { name: 'Group 987654321 on Roblox' }).click();
    const names = (await chosen.allInnerTexts()).map((text) => text.split('\n').at(-1));
    expect(names).to.deep.equal([
      'Rangers of the Northern Valley',
      `Group ${other.id} on Roblox`,
      'Group 987654321 on Roblox',
    ]);
    await keepPicture(page, 'flow-restrictions');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is not a group on Roblox').first().waitFor();
    await page.getByRole('button', { name: 'Leave out Group 987654321 on Roblox' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: false }).first().waitFor();
    const { restrictions } = (await guild.api.get(`${guild.path}/settings`)).body;
    expect(restrictions.deniedGroupIds).to.deep.equal([guild.groupId, other.id]);
    await tab.close();
  });

  it('A role that can’t be given says why, and neither Enter nor a press takes it', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/new`);
    const box = page.getByRole('combobox', { name: 'Give', exact: true });
    await box.click();
    await box.fill('machine');
    const option = page.getByRole('option', { name: /^@Machine · / });
    expect(await option.getAttribute('aria-disabled')).to.equal('true');
    await box.press('Enter');
    await option.click({ force: true });
    expect(await page.getByRole('list', { name: 'Give' }).count()).to.equal(0);
    await tab.close();
  });

  it('A preview is narrowed to people that gain or lose one role', async () => {
    const { owner, guildId, members } = await buildLivingGuild('Crowded Base', 3);
    const { discord } = await world();
    for (const { chatUserId } of members.slice(1)) discord.setMemberRoles(guildId, chatUserId, []);
    const tab = await openTab(browser, owner);
    const { page } = tab;
    await tab.open(`/g/${guildId}/changes`);
    await page.getByRole('button', { name: 'Create a preview' }).click();
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(3).waitFor();
    await choose(page, 'Role', '@Officer');
    const officers = page.getByRole('row').filter({ hasText: '@Officer' });
    expect([await rows.count(), await officers.count()]).to.deep.equal([3, 2]);
    await choose(page, 'Role', 'Any role');
    expect(await rows.count()).to.equal(4);
    await tab.close();
  });
});

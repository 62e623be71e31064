import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { findGroups } from '../../src/core/groups/group-service.js';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, openTab, settled } from './web-page.js';

describe('The answers to presses', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild('Ranger Base', 2);
  });
  after(() => browser?.close());

  it('Ctrl-K finds a page, a member and a mapping by name, and Enter goes there', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Page, member or mapping' });
    await box.fill('webh');
    await page.getByRole('option', { name: /Webhooks/ }).waitFor();
    await settled(page);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    const { username = '' } = guild.members[0] ?? {};
    await page.keyboard.press('Control+k');
    await box.fill(username);
    await page
      .getByRole('option', { name: new RegExp(username) })
      .first()
      .click();
    await page.waitForURL(/members\?member=/);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-26
  it('A switch of a mapping turns it off immediately with a message, and Undo turns it on again', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings`);
    const { mappingId } = (await guild.api.get(`${guild.path}/mappings`)).body.data[0];
    const isOn = async (): Promise<boolean> =>
      (await guild.api.get(`${guild.path}/mappings/${mappingId}`)).body.enabled;
    const row = page.getByRole('listitem').filter({ has: page.locator(`a[href$="${mappingId}"]`) });
    await row.getByRole('switch').press('Space');
    await page.getByText('Mapping turned off.').waitFor();
    expect(await isOn()).to.equal(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Mapping turned on.').waitFor();
    expect(await isOn()).to.equal(true);
    // Looking for faults may outlast the message on a slow machine: nothing is pressed after it.
    await row.getByRole('switch').press('Space');
    await page.getByText('Mapping turned off.').waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await row.getByRole('switch').press('Space');
    await eventually(isOn, 'the mapping turned on');
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-26
  it('Undo takes back saved settings, and a group that was removed without mappings', async () => {
    const { id: groupId } = (await world()).roblox.addGroup({ name: 'Spare Company' });
    await guild.api.post(`${guild.path}/groups`, { groupId });
    const groupIds = async () => (await findGroups(guild.guildId)).map((group) => group.groupId);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/groups`);
    const row = page.getByRole('region', { name: 'Spare Company' });
    await row.getByRole('button', { name: 'Actions: Spare Company' }).click();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Group removed.').waitFor();
    expect(await groupIds()).not.to.include(groupId);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await groupIds()).to.include(groupId);

    const before = await readSettings(guild.guildId);
    await tab.open(`/g/${guild.guildId}/settings`);
    await page.getByLabel('Template').fill('[{chatUsername}]');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect((await readSettings(guild.guildId)).nickname.template).to.equal('[{chatUsername}]');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await readSettings(guild.guildId)).to.deep.equal(before);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-152
  it('A copy of a mapping begins as that mapping', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings`);
    const before = (await guild.api.get(`${guild.path}/mappings`)).body.data;
    await page
      .getByRole('button', { name: /^Actions: / })
      .first()
      .click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'New mapping' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('The copy');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The copy').waitFor();
    const after = (await guild.api.get(`${guild.path}/mappings`)).body.data;
    expect(after).to.have.length(before.length + 1);
    await tab.close();
  });

  // DASH-24
  it('A form keeps its content when the session ends, until its person is back', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    const path = `/g/${guild.guildId}/mappings/new`;
    await tab.open(path);
    await page.getByLabel('Name', { exact: true }).fill('Half made');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await choose(page, 'Give', '@Moderator');
    await choose(page, 'Kind of condition', 'is verified');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.context().addCookies(cookies);
    await tab.open(path);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Half made');
    await tab.close();
  });
});

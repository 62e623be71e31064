import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

describe('The page of mappings', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
  });
  after(() => browser?.close());

  it('The page of mappings makes a mapping out of a sentence, and names the affected members first', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings`);
    await page.getByRole('link', { name: 'Add a mapping' }).click();
    await page.getByText('Complete the mapping to see its effect here.').waitFor();
    await choose(page, 'Give', '@Moderator');
    await choose(page, 'Kind of condition', 'has a rank in');
    await choose(page, 'Group', 'Rangers of the Northern Valley');
    await choose(page, 'from', 'Officer (100)');
    await page.getByText('3 people get it').waitFor();
    await keepPicture(page, 'flow-mapping');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await choose(page, 'from', 'Captain (200)');
    await page.getByText('1 person gets it').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Captains');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
    await page.getByText('Rank Captain (200) or higher', { exact: false }).waitFor();
    const stored = await Mappings.findOne({ guildId: guild.guildId, name: 'Captains' });
    expect(stored?.condition).to.deep.equal({ type: 'group_rank', groupId: guild.groupId, min: 200, max: 255 });
    expect(stored?.roleIds).to.deep.equal([guild.roles.Moderator]);
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of mappings shows how many members each mapping matches, and how many of them have its roles', async () => {
    expect((await guild.api.post(`${guild.path}/sync/preview`, {})).status).to.equal(200);
    const [{ people }] = (await guild.api.get(`${guild.path}/mappings`)).body.data;
    const tab = await openTab(browser, guild.owner);
    await tab.open(`/g/${guild.guildId}/mappings`);
    const words = `${people.holding} of ${people.matching} matching members have it, as of`;
    await tab.page.getByText(words, { exact: false }).first().waitFor();
    await keepPicture(tab.page, 'flow-mappings-counted');
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-13
  it('The page of mappings keeps one of two admins from undoing the other’s save', async () => {
    const { mappingId } = (await guild.api.get(`${guild.path}/mappings`)).body.data[0];
    const [ada, ben] = [await openTab(browser, guild.owner), await openTab(browser, guild.owner)];
    for (const tab of [ada, ben]) await tab.open(`/g/${guild.guildId}/mappings/${mappingId}`);
    await ada.page.getByLabel('Name', { exact: true }).fill('Of Ada');
    await ada.page.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
    await ben.page.getByLabel('Name', { exact: true }).fill('Of Ben');
    await ben.page.getByRole('button', { name: 'Save' }).click();
    await ben.page.getByText('Someone else has changed this mapping').waitFor();
    expect((await Mappings.findOne({ _id: mappingId, guildId: guild.guildId }))?.name).to.equal('Of Ada');
    await ben.page.getByRole('button', { name: 'Load their version' }).click();
    await ben.page.getByRole('heading', { level: 1, name: 'Of Ada' }).waitFor();
    expect(await ben.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Of Ada');
    for (const tab of [ada, ben]) await tab.close();
  });

  // DASH-66
  it('Undo refuses to overwrite a newer change of a saved mapping', async () => {
    const { mappingId } = (await guild.api.get(`${guild.path}/mappings`)).body.data[0];
    const address = `${guild.path}/mappings/${mappingId}`;
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/${mappingId}`);
    await page.getByLabel('Name', { exact: true }).fill('First');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { condition, roleIds } = (await guild.api.get(address)).body;
    expect((await guild.api.put(address, { name: 'Second', condition, roleIds })).status).to.equal(200);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText("That couldn't be undone.").waitFor();
    expect((await guild.api.get(address)).body.name).to.equal('Second');
    await tab.close();
  });

  it('The page of mappings asks before a half-made mapping is left, and removes a mapping only after a confirmation', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/new`);
    // DASH-170
    const kind = page.getByRole('combobox', { name: 'Kind of condition' });
    expect((await kind.locator('option').allTextContents())[0]).to.match(/rank/);
    expect(await kind.inputValue()).to.equal('group_role');
    expect(await page.getByRole('combobox', { name: 'Group', exact: true }).inputValue()).to.match(/Northern Valley/);
    const template = page.getByLabel('Nickname', { exact: true });
    await template.fill('Cadet {chatUsername}');
    await page.getByRole('status').getByText(`Cadet ${guild.owner.username}`).waitFor();
    await template.fill('');
    await page.getByLabel('Name', { exact: true }).fill('Half');
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Half');
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.getByRole('link', { name: 'Mappings' }).click();
    const count = async () => (await guild.api.get(`${guild.path}/mappings`)).body.data.length;
    const before = await count();
    await page
      .getByRole('button', { name: /^Actions: / })
      .last()
      .click();
    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Members keep the roles it gave them.').waitFor();
    // MAP-54
    await dialog.getByText(/\d+ members? ha(s|ve) @/).waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await count()).to.equal(before - 1);
    expectQuiet(tab);
    await tab.close();
  });

  // CONF-62
  it('The editor of an observing server takes a role above the bot, and names it before going live', async () => {
    const { discord } = await world();
    const observed = await buildLivingGuild('Lighthouse', 1);
    discord.moveRole(observed.guildId, observed.roles.Moderator, 1_000);
    await writeSettings(observed.guildId, { ...defaultSettings, mode: 'observe' });
    const tab = await openTab(browser, observed.owner);
    const { page } = tab;
    await tab.open(`/g/${observed.guildId}/mappings/new`);
    await choose(page, 'Kind of condition', 'is verified');
    await choose(page, 'Give', "@Moderator · is above Rolelink's role");
    await page.getByText("Before you go live, move Rolelink's role above these").waitFor();
    await keepPicture(page, 'flow-mapping-above');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await faultsOf(page, width)).to.deep.equal([]);
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
    const roleIds = [observed.roles.Moderator];
    expect((await Mappings.find({ guildId: observed.guildId, roleIds })).length).to.equal(1);
    expectQuiet(tab);
    await tab.close();
  });
});

import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { Browser } from 'playwright-core';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, openTab } from './web-page.js';

// DASH-51
describe('The import of mappings on the web', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  it('An import shows new mappings and refused lines first, and then stores exactly the shown ones', async () => {
    const { roblox } = await world();
    const guild = await buildLivingGuild('Import Base', 0);
    const { id: groupId } = roblox.addGroup({ name: 'Harbour Watch', roles: [{ name: 'Mate', rank: 10 }] });
    const before = await listAllMappings(guild.guildId);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings`);
    await page.getByRole('link', { name: 'Import mappings' }).click();
    await choose(page, 'Where is it from?', 'A CSV list');
    const csv = `condition,group,roles\ngroup_member,${groupId},Moderator\nverified,,No such role\nverified,,Verified\n`;
    await page.getByLabel('Copy it from the other bot').fill(csv);
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('1 mapping and 1 Roblox group would be added.').waitFor();
    await page.getByText('1 is already here.', { exact: false }).waitFor();
    await page.getByText("1 line can't be imported:").waitFor();
    await page.getByText(/^Line 3: /).waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    expect(await listAllMappings(guild.guildId)).to.have.length(before.length);
    await page.getByRole('button', { name: 'Import 1' }).click();
    await page.getByText('Mappings imported.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
    const after = await listAllMappings(guild.guildId);
    expect(after).to.have.length(before.length + 1);
    const made = after.find(({ roleIds }) => roleIds.includes(guild.roles.Moderator));
    expect(made?.condition).to.include({ type: 'group_member', groupId });
    expectQuiet(tab);
    await tab.close();
  });

  // PEOPLE-31, OBS-94
  it('Beside another bot an import of rules asks first whether to observe, and then goes on the way', async () => {
    const guild = await buildLivingGuild('Two Bots', 0);
    const { api, path, guildId } = guild;
    const bot = { name: 'Rover', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    (await world()).discord.addRole(guildId, bot);
    await eventually(async () => (await api.get(`${path}/setup`)).body.otherBots.length > 0, 'the other bot');
    const before = await listAllMappings(guildId);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guildId}/mappings/import`);
    await choose(page, 'Where is it from?', 'A CSV list');
    await page.getByLabel('Copy it from the other bot').fill('condition,roles\nverified,Moderator\n');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('Another bot may give roles here too: Rover.').waitFor();
    expect(await page.getByRole('button', { name: 'Import 1', exact: true }).count()).to.equal(0);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Observe first' }).click();
    await page.getByRole('button', { name: 'Import 1', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'From another bot' }).waitFor();
    expect((await api.get(`${path}/settings`)).body.mode).to.equal('observe');
    expect(await listAllMappings(guildId)).to.have.length(before.length + 1);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-15
  it('A remark about a line is in the language of the page, also where the browser has another', async () => {
    const guild = await buildLivingGuild('Wortwache', 0);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await page.addInitScript("localStorage.setItem('rolelink-language', 'de')");
    await tab.open(`/g/${guild.guildId}/mappings/import`);
    const source = page.getByRole('combobox').first();
    const check = async (format: string, text: string) => {
      await source.selectOption(format);
      await page.locator('textarea').fill(text);
      await page.getByRole('button', { name: 'Zeigen, was sich ändern würde' }).click();
    };
    await check('csv', 'condition,roles\nverified,No such role\n');
    await page.getByText('Der Server hat keine Rolle namens No such role.').waitFor();
    await check('csv', 'condition,roles,enabled\nverified,R,perhaps\n');
    await page.getByText('enabled muss true oder false sein').waitFor();
    await check('bloxlink', 'Everyone in the group\nBuilders (5)\nRank Owner (255): Role(s): @Owner\n');
    await page.getByText('ist keine Bindung, wie Bloxlink sie zeigt').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('A text of another bot than the chosen one is refused in words, and nothing can be imported', async () => {
    const guild = await buildLivingGuild('Wrong Base', 0);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/mappings/import`);
    await choose(page, 'Where is it from?', 'RoVer: the text of !bindings, or its JSON');
    await page.getByLabel('Copy it from the other bot').fill('{"half":');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page
      .getByRole('alert')
      .or(page.getByText(/can't be imported/))
      .first()
      .waitFor();
    const apply = page.getByRole('button', { name: /^Import \d/ });
    expect((await apply.count()) === 0 || (await apply.isDisabled())).to.equal(true);
    await tab.close();
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { eventually, type TestGuild } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildNewServer } from './new-server.js';
import { choose, expectQuiet, faultsOf, keepPicture, looks, openTab } from './web-page.js';

/** The buttons that stand out on the page. */
const primaryOf = (page: Page): Promise<string[]> =>
  page.locator('main .mantine-Button-root:is(:not([data-variant]), [data-variant=filled])').allTextContents();

const rowOf = (page: Page, rank: string) => page.getByRole('row').filter({ hasText: rank });

async function chooseChannel({ page, guildId }: { page: Page; guildId: string }): Promise<void> {
  const { discord } = await world();
  await page.getByLabel('Channel for the panel').selectOption({ value: discord.channel(guildId).id });
}

// DASH-40, DASH-42, DASH-43, DASH-88
describe('The set-up on the web', () => {
  let browser: Browser;
  before(async function () {
    browser = await startChromium(this);
  });
  after(() => browser?.close());

  it('A new server is led to its set-up, and is set up with seven presses', async () => {
    const { discord } = await world();
    const guild = await buildNewServer();
    const { guildId, owner, groupName, person } = guild;
    const tab = await openTab(browser, owner);
    const { page } = tab;
    let presses = 0;
    const press = async (name: string): Promise<void> => {
      presses += 1;
      await page.getByRole('button', { name, exact: true }).click();
    };
    await tab.open(`/g/${guildId}`);
    await page.getByRole('link', { name: 'Start setup' }).click();
    presses += 1;
    await page.getByLabel('Find your group').fill(groupName.slice(0, 13));
    expect(await primaryOf(page)).to.deep.equal(['Find']);
    await page.getByLabel('Find your group').fill(groupName);
    await press('Find');
    await rowOf(page, 'Mate').getByText('ready').waitFor();
    await rowOf(page, 'Captain').getByText('no role has this name').waitFor();
    expect(await rowOf(page, 'Captain').getByRole('cell').first().textContent()).to.equal('1 member');
    await page
      .getByText(`Everyone in ${groupName} gets the role with the same name as their rank`, { exact: false })
      .waitFor();
    await keepPicture(page, 'flow-setup-ranks');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    expect(await primaryOf(page)).to.deep.equal(['Create 3 missing roles']);
    await press('Create 3 missing roles');
    await rowOf(page, 'Captain').getByText('ready').waitFor();
    expect(await primaryOf(page)).to.deep.equal(['Show the changes']);
    // A slow answer: the effect is read only when the choice has arrived.
    await page.route('**/setup', async (route) => {
      if (route.request().method() === 'PATCH') await delay(700);
      await route.continue();
    });
    await chooseChannel({ page, guildId });
    presses += 1;
    await page.getByText("Change the panel's text").waitFor();
    await press('Show the changes');
    await page.getByText('2 members were checked.').waitFor();
    expect(await primaryOf(page)).to.deep.equal(['Apply']);
    expect(await listAllMappings(guildId)).to.deep.equal([]);
    await keepPicture(page, 'flow-setup-outcome');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await press('Apply');
    await page.getByRole('heading', { level: 1, name: 'Rolelink is set up' }).waitFor();
    await page.getByText('The panel is posted.', { exact: false }).waitFor();
    expect(presses).to.be.at.most(8);
    const mappings = await listAllMappings(guildId);
    expect(mappings.map(({ condition }) => condition.type)).to.have.members(['group_roles', 'verified']);
    await eventually(() => discord.member(guildId, person.chatUserId)?.roleIds.length === 2, 'the roles');
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-41
  it('A rank without a role of its name is given a chosen one', async () => {
    const guild = await buildNewServer();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await guild.api.patch(`${guild.path}/setup`, { group: { groupId: guild.groupId } });
    await tab.open(`/g/${guild.guildId}/setup`);
    await page.getByRole('button', { name: 'Choose a role: Captain' }).click();
    await choose(page, 'Role for Captain', '@mate');
    await rowOf(page, 'Captain').getByText('chosen by you').waitFor();
    await rowOf(page, 'Captain').getByRole('button', { name: 'Leave out' }).click();
    await rowOf(page, 'Captain').getByText('no role has this name').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  it('A shown plan can’t be applied after any change, through any door', async () => {
    const guild = await buildNewServer();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await guild.api.patch(`${guild.path}/setup`, { group: { groupId: guild.groupId } });
    await tab.open(`/g/${guild.guildId}/setup`);
    await page.getByRole('button', { name: 'Show the changes' }).click();
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor();
    await page.getByLabel('Nicknames').selectOption({ label: "Don't change nicknames" });
    await page.getByText('Something has changed since then.', { exact: false }).waitFor();
    expect(await primaryOf(page)).to.deep.equal(['Create 3 missing roles']);
    await page.getByRole('button', { name: 'Show them again' }).click();
    await page.getByText('Nicknames stay as they are.').waitFor();
    await guild.api.patch(`${guild.path}/setup`, { nickname: { enabled: true, template: '{gameDisplayName}' } });
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
    await tab.close();
  });

  // DASH-95
  it('Several groups of a name are offered to choose from, and the only one of exactly that name is taken', async () => {
    const { roblox } = await world();
    const guild = await buildNewServer();
    for (const name of ['Reserve', 'Veterans'])
      roblox.addGroup({ name: `Lantern Keepers ${name}`, roles: [{ name: 'Guest', rank: 0 }] });
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/setup`);
    await page.getByLabel('Find your group').fill('no such group at all');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByText('Roblox has no group with this name.', { exact: false }).waitFor();
    await page.getByLabel('Find your group').fill('Lantern Keepers');
    await page.getByLabel('Find your group').press('Enter');
    await page.getByRole('button', { name: 'Choose Lantern Keepers Reserve', exact: true }).waitFor();
    await page.getByLabel('Find your group').fill(guild.groupName.toLowerCase());
    await page.getByLabel('Find your group').press('Enter');
    await rowOf(page, 'Sailor').waitFor();
    await tab.open(`/g/${guild.guildId}/groups`);
    await page.getByLabel('Add a group').fill('lantern keepers reserve');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'Lantern Keepers Reserve' }).waitFor();
    await tab.close();
  });

  for (const look of looks) {
    const name = `${look.width}-${look.scheme}-${look.language}`;
    it(`The set-up in progress has no fault at ${look.width} px, ${look.scheme}, ${look.language}`, async () => {
      const guild = await setUpHalfway();
      const tab = await openTab(browser, guild.owner, look);
      const { page } = tab;
      await tab.open(`/g/${guild.guildId}/setup`);
      await page.getByRole('table').waitFor();
      await page
        .getByRole('button', {
          name: look.language === 'de' ? 'Zeigen, was passieren würde' : 'Show the changes',
        })
        .click();
      await page.getByRole('button', { name: look.language === 'de' ? 'Anwenden' : 'Apply', exact: true }).waitFor();
      await keepPicture(page, `setup-under-way-${name}`);
      expect(await faultsOf(page, look.width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    });
  }

  /** With a role above the bot, a missing one, a dangerous one, and a panel. */
  async function setUpHalfway(): Promise<TestGuild & { owner: { chatUserId: string; username: string } }> {
    const { discord } = await world();
    const guild = await buildNewServer();
    discord.addRole(guild.guildId, { name: 'Sailor', position: 300 });
    await guild.api.patch(`${guild.path}/setup`, {
      group: { groupId: guild.groupId },
      channelId: discord.channel(guild.guildId).id,
    });
    return guild;
  }
});

import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { Browser } from 'playwright-core';
import { Accounts, wordId } from '../../src/features/accounts/account-model.js';
import { pairOf, runImport } from '../features/people-import/import-setup.js';
import { buildMember, eventually, linkPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, faultsOf, keepPicture, openTab, type Tab } from './web-page.js';

// DASH-27, DASH-28, PEOPLE-4, PEOPLE-5, PEOPLE-9, PEOPLE-13
describe('The page of imports of people', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
  });
  after(() => browser?.close());

  /** The browser writes answers to its console: 400 to a text that is no list. */
  const withoutAnswers = (tab: Tab): void => {
    tab.complaints.splice(
      0,
      tab.complaints.length,
      ...tab.complaints.filter((line) => !/ 400 \(.*\/people\/import/.test(line)),
    );
  };

  it('The page of imports shows the numbers of a list first, imports it, and names the people left out', async () => {
    const person = await buildMember(guild, { linked: false });
    const absent = '100000000000000777';
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/people`);
    const list = page.getByRole('textbox', { name: 'One person per line: Discord ID, Roblox ID' });
    await list.fill(`${person.chatUserId}\n`);
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('Line 1 is not a Discord ID and a Roblox ID.').waitFor();
    await list.fill(`${person.chatUserId},${person.gameUserId}\n${absent},261\n`);
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('1 account would be imported.').waitFor();
    await page.getByText('1 member would get a new nickname').waitFor();
    await page.getByText(`For example: @${person.username} → ${person.gameUsername}`).waitFor();
    await page.getByLabel('Nicknames of imported people').selectOption('Keep as they are');
    expect(await Accounts.findById(wordId(person.chatUserId, guild.guildId)).lean()).to.equal(null);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Last import' }).waitFor();
    await page.getByRole('cell', { name: absent }).waitFor();
    await page.getByRole('cell', { name: 'Not in this server' }).waitFor();
    await keepPicture(page, 'flow-people');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    expect((await Accounts.findById(wordId(person.chatUserId, guild.guildId)).lean())?.gameUserId).to.equal(
      person.gameUserId,
    );
    await tab.open(`/g/${guild.guildId}/log`);
    await page.getByRole('button', { name: /started an import of Roblox accounts/ }).waitFor();
    withoutAnswers(tab);
    expectQuiet(tab);
    await tab.close();
    await disowns(person);
  });

  // PEOPLE-27
  it('The page of imports takes an import back, and names the people who stay', async () => {
    const server = await buildLivingGuild('Undo Base', 0);
    const [plain, proved] = await Promise.all([1, 2].map(() => buildMember(server, { linked: false })));
    if (plain === undefined || proved === undefined) return expect.fail();
    const { api, path } = server;
    await runImport({ api, path } as never, { people: [plain, proved].map(pairOf) });
    await linkPerson(server.guildId, proved);
    const tab = await openTab(browser, server.owner);
    const { page } = tab;
    await tab.open(`/g/${server.guildId}/people`);
    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('The import was undone for 1 person.').waitFor();
    await page.getByText('has verified since').waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'flow-people-undone');
    expectQuiet(tab);
    await tab.close();
  });

  // PEOPLE-31
  it('Beside another bot the pages of imports ask first whether to observe', async () => {
    const { discord } = await world();
    const server = await buildLivingGuild('Two Bots', 0);
    const person = await buildMember(server, { linked: false });
    const bot = { name: 'Rover', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    discord.addRole(server.guildId, bot);
    const { api, path } = server;
    await eventually(async () => (await api.get(`${path}/setup`)).body.otherBots.length > 0, 'the other bot');
    const tab = await openTab(browser, server.owner);
    const { page } = tab;
    await tab.open(`/g/${server.guildId}/people`);
    await page.getByRole('textbox').first().fill(`${person.chatUserId},${person.gameUserId}\n`);
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText('Another bot may give roles here too: Rover.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).to.equal(0);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'flow-people-two-bots');
    await page.getByRole('button', { name: 'Observe first' }).click();
    await page.getByText('This server only observes').waitFor();
    expect((await api.get(`${path}/settings`)).body.mode).to.equal('observe');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Last import' }).waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  /** The person finds the import on their own page, and says that the account is another's. */
  async function disowns(person: { chatUserId: string; username: string }): Promise<void> {
    const tab = await openTab(browser, person);
    const { page } = tab;
    await tab.open('/me');
    await page.getByText(/^Imported from a server's list. You haven't verified it/).waitFor();
    await page.getByRole('button', { name: "This isn't me" }).click();
    await page.getByRole('dialog').getByRole('button', { name: "This isn't me" }).click();
    await page.getByText("You don't have a Roblox account linked.").waitFor();
    expect((await Accounts.findById(wordId(person.chatUserId, guild.guildId)).lean())?.gameUserId).to.equal(undefined);
    expectQuiet(tab);
    await tab.close();
  }

  it('The page of imports asks another bot with the key of this server, and explains why that ended', async () => {
    const bots = await buildLivingGuild('Bot Base', 0);
    await buildMember(bots, { linked: false });
    const tab = await openTab(browser, bots.owner);
    const { page } = tab;
    await tab.open(`/g/${bots.guildId}/people`);
    await page.getByLabel('Source').selectOption('RoVer');
    await page.getByLabel("This server's API key for RoVer").fill('wrong-key');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await page.getByText(/^RoVer would be asked about \d members? without a link/).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The other bot rejected the key.', { exact: false }).waitFor();
    withoutAnswers(tab);
    expectQuiet(tab);
    await tab.close();
  });
});

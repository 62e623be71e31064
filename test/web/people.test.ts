import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { Accounts, wordId } from '../../src/features/accounts/account-model.js';
import { buildMember } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
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

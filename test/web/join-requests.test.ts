import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { buildRankingGuild, type RankingGuild, ranksOf, teammate } from '../features/ranking/ranking-setup.js';
import { mapTo, rankFrom, rolesOf, withoutNicknames } from '../features/sync/sync-setup.js';
import { buildMember, buildPerson, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { type World, world } from '../support/world.js';
import { expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

// DASH-191
describe('Requests to join a group on the dashboard', () => {
  let browser: Browser;
  let roblox: World['roblox'];
  let guild: RankingGuild;
  before(async function () {
    browser = await startChromium(this);
    ({ roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  after(() => browser?.close());

  async function asking(person: TestPerson): Promise<TestPerson> {
    roblox.requestToJoin(guild.groupId, person.gameUserId);
    return person;
  }
  const requestsPage = () => `/g/${guild.guildId}/groups/${guild.groupId}/requests`;
  const open = (width: 360 | 1440 = 1440, scheme: 'light' | 'dark' = 'light') =>
    openTab(browser, { chatUserId: guild.ownerId, username: 'owner' }, { width, scheme });
  const boxOf = (page: Page, { gameUsername }: TestPerson) =>
    page.getByRole('checkbox', { name: `Select ${gameUsername}`, exact: true });

  it('An accepted member gets their roles on Discord at once, and a request taken back is named', async () => {
    const [role = ''] = await mapTo(guild, { ...rankFrom(guild, 1), max: 1 } as ReturnType<typeof rankFrom>);
    const member = await asking(await buildMember(guild));
    const fickle = await asking(await buildPerson());
    const other = await asking(await buildPerson());
    const tab = await open();
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/groups`);
    await page.getByRole('link', { name: 'Join requests' }).click();
    const row = page.getByRole('row').filter({ hasText: member.gameUsername });
    await row.getByRole('link', { name: member.username, exact: true }).waitFor();
    await boxOf(page, member).check();
    await boxOf(page, fickle).check();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'requests');
    roblox.withdrawRequest(guild.groupId, fickle.gameUserId);
    await page.getByRole('button', { name: 'Accept' }).click();
    const question = page.getByRole('dialog', { name: 'Accept 2 people?' });
    await question.getByText(fickle.gameUsername).waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'requests-question');
    expect(await ranksOf(guild, member), 'nothing changes before the press').to.deep.equal([]);
    await question.getByRole('button', { name: 'Accept' }).click();
    const results = page.getByRole('list', { name: 'Results' });
    const resultOf = ({ gameUsername }: TestPerson) => results.getByRole('listitem').filter({ hasText: gameUsername });
    await resultOf(member).getByText('Accepted').waitFor();
    await resultOf(fickle).getByText('No longer asking').waitFor();
    await row.waitFor({ state: 'detached' });
    await boxOf(page, other).waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'requests-results');
    expect(await ranksOf(guild, member)).to.deep.equal([1]);
    expect(await rolesOf(guild, member)).to.deep.equal([role]);
    expectQuiet(tab);
    await tab.close();
  });

  it('Requests are declined ten at a time on a phone, and then nobody is left', async () => {
    const people: TestPerson[] = [];
    for (let count = 0; count < 11; count += 1) people.push(await asking(await buildPerson()));
    const tab = await open(360, 'dark');
    const { page } = tab;
    await tab.open(requestsPage());
    await page.getByRole('button', { name: 'Load more' }).click();
    for (const person of people) await boxOf(page, person).check();
    const decline = page.getByRole('button', { name: 'Decline' });
    expect(await decline.getAttribute('aria-disabled'), 'eleven at once').to.equal('true');
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await keepPicture(page, 'requests-phone');
    const [last] = people.slice(-1);
    if (last !== undefined) await boxOf(page, last).uncheck();
    await decline.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    const results = page.getByRole('list', { name: 'Results' });
    await results.waitFor();
    expect(await results.getByText('Declined').count()).to.equal(10);
    await page
      .getByRole('row')
      .filter({ hasText: last?.gameUsername ?? '' })
      .waitFor();
    await page.getByRole('checkbox', { name: 'Select everyone shown' }).check();
    await decline.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Nobody is asking to join').waitFor();
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await keepPicture(page, 'requests-none-phone');
    expectQuiet(tab);
    await tab.close();
  });

  it('A viewer without the right to rank reads why the list is closed', async () => {
    const viewer = await buildMember(guild);
    await teammate(guild, viewer, 'viewer');
    await asking(await buildPerson());
    const tab = await openTab(browser, viewer);
    const { page } = tab;
    await tab.open(requestsPage());
    await page.getByText("You aren't allowed to rank people in this group.", { exact: false }).waitFor();
    expect(await page.getByRole('checkbox').count()).to.equal(0);
    await tab.close();
  });
});

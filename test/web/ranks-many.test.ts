import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from '../features/ranking/ranking-setup.js';
import { mapTo, rankFrom, rolesOf, withoutNicknames } from '../features/sync/sync-setup.js';
import type { TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

// DASH-190
describe('Ranks of several people on the dashboard', () => {
  let browser: Browser;
  let guild: RankingGuild;
  before(async function () {
    browser = await startChromium(this);
  });
  beforeEach(async () => {
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  after(() => browser?.close());

  /** Selects these people in the list, and opens the form for their ranks. */
  async function openForm(page: Page, people: readonly TestPerson[]): Promise<Locator> {
    for (const { username } of people)
      await page.getByRole('checkbox', { name: `Select ${username}`, exact: true }).check();
    await page.getByRole('button', { name: 'Change rank' }).click();
    return page.getByRole('dialog');
  }
  const members = () => `/g/${guild.guildId}/members`;
  const open = (width: 360 | 1440 = 1440) =>
    openTab(browser, { chatUserId: guild.ownerId, username: 'owner' }, { width });
  const ranksOfAll = (people: readonly TestPerson[]) => Promise.all(people.map((person) => ranksOf(guild, person)));

  it('Selected people are promoted by one confirmed list, each with their ranks and roles before and after', async () => {
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    const people = [
      await rankedMember(guild, 'Recruit'),
      await rankedMember(guild, 'Private'),
      await rankedMember(guild, 'Major'),
    ] as const;
    const [recruit, private_, major] = people;
    const tab = await open();
    const { page } = tab;
    await tab.open(members());
    const form = await openForm(page, people);
    await form.getByLabel('New rank').selectOption({ label: 'One rank up' });
    const lineOf = ({ username }: TestPerson) => form.getByRole('listitem').filter({ hasText: username });
    await lineOf(recruit).getByText('Recruit → Private').waitFor();
    await lineOf(recruit).getByText('Nothing changes on Discord.').waitFor();
    await lineOf(private_).getByText('Private → Officer').waitFor();
    await lineOf(private_).getByText('On Discord:').waitFor();
    await lineOf(major).getByText('Left out.').waitFor();
    await form.getByLabel('Reason, for the log').fill('passed the quiz');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'ranks-many');
    expect(await ranksOfAll(people), 'nothing changes before the press').to.deep.equal([[5], [6], [150]]);
    await form.getByRole('button', { name: 'Change 2 ranks' }).click();
    await lineOf(recruit).getByText('Changed: Recruit → Private').waitFor();
    await lineOf(private_).getByText('Changed: Private → Officer').waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'ranks-many-results');
    expect(await ranksOfAll(people)).to.deep.equal([[6], [100], [150]]);
    expect(await rolesOf(guild, private_)).to.deep.equal([officer]);
    await form.getByRole('link', { name: 'All rank changes, with Undo' }).click();
    const rows = page.getByRole('row').filter({ hasText: 'passed the quiz' });
    await rows.first().waitFor();
    expect(await rows.count()).to.equal(2);
    await tab.close();
  });

  // RANKING-13
  it('More than five demotions take their number, also when the sixth comes between', async () => {
    const officers = await Promise.all(Array.from({ length: 5 }, () => rankedMember(guild, 'Officer')));
    const recruit = await rankedMember(guild, 'Recruit');
    const people = [...officers, recruit];
    const tab = await open(360);
    const { page } = tab;
    await tab.open(members());
    const form = await openForm(page, people);
    const press = form.getByRole('button', { name: 'Change 6 ranks' });
    const number = form.getByLabel('6 people will stand lower.');
    await form.getByLabel('New rank').selectOption({ label: 'Private (6)' });
    await form.getByText('Recruit → Private').waitFor();
    expect(await number.count(), 'five of them stand lower').to.equal(0);
    // Somebody else is faster.
    await guild.owner.post(guild.ranksPath, { memberId: recruit.chatUserId, gameRoleId: guild.roleIds.Officer });
    await press.click();
    await form.getByText("Somebody's rank has changed since.").waitFor();
    await number.fill('5');
    expect(await press.isDisabled(), 'another number').to.equal(true);
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await keepPicture(page, 'ranks-many-demotions');
    expect(await ranksOfAll(people)).to.deep.equal(people.map(() => [100]));
    await number.fill('6');
    await press.click();
    const results = form.getByRole('list', { name: 'Results' });
    await results.waitFor();
    expect(await results.getByText('Changed: Officer → Private').count()).to.equal(6);
    expect(await ranksOfAll(people)).to.deep.equal(people.map(() => [6]));
    await tab.close();
  });

  it('A rank changed by other hands while the list is open refuses that person alone', async () => {
    const people = [await rankedMember(guild, 'Recruit'), await rankedMember(guild, 'Recruit')] as const;
    const tab = await open();
    const { page } = tab;
    await tab.open(members());
    const form = await openForm(page, people);
    await form.getByLabel('New rank').selectOption({ label: 'One rank up' });
    await form.getByText('Recruit → Private').first().waitFor();
    await guild.owner.post(guild.ranksPath, { memberId: people[0].chatUserId, gameRoleId: guild.roleIds.Officer });
    await form.getByRole('button', { name: 'Change 2 ranks' }).click();
    const results = form.getByRole('list', { name: 'Results' });
    await results.getByText('The rank of this person has changed since. Look at it again.').waitFor();
    await results.getByText('Changed: Recruit → Private').waitFor();
    expect(await ranksOfAll(people)).to.deep.equal([[100], [6]]);
    expectQuiet(tab);
    await tab.close();
  });

  it('More than ten selected people can’t be changed at once, and the button says so', async () => {
    for (let count = 0; count < 10; count += 1) await rankedMember(guild, 'Recruit');
    const tab = await open();
    const { page } = tab;
    await tab.open(members());
    // The owner is the eleventh.
    await page.getByRole('checkbox', { name: 'Select everyone shown' }).check();
    const button = page.getByRole('button', { name: 'Change rank' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
    await page.getByText('At most 10 linked people at once.').waitFor({ state: 'attached' });
    expectQuiet(tab);
    await tab.close();
  });
});

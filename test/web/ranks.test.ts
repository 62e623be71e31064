import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from '../features/ranking/ranking-setup.js';
import { mapTo, rankFrom, rolesOf, sync, withoutNicknames } from '../features/sync/sync-setup.js';
import { api } from '../support/api.js';
import { buildMember, type TestPerson } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

// DASH-188
describe('Ranks on the dashboard', () => {
  let browser: Browser;
  let guild: RankingGuild;
  let person: TestPerson;
  let recruit: string;
  let officer: string;

  before(async function () {
    browser = await startChromium(this);
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
    person = await rankedMember(guild, 'Recruit');
    [recruit = ''] = await mapTo(guild, { ...rankFrom(guild, 5), max: 5 } as ReturnType<typeof rankFrom>);
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    await sync(guild, person);
  });
  after(() => browser?.close());

  const owner = () => ({ chatUserId: guild.ownerId, username: 'owner' });
  const ranksPage = () => `/g/${guild.guildId}/groups/${guild.groupId}/ranks`;

  it('A member’s rank is changed from their panel, with the roles that follow shown before, and taken back', async () => {
    const tab = await openTab(browser, owner());
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members?member=${person.chatUserId}`);
    await page.getByRole('button', { name: 'Change rank' }).click();
    const form = page.getByRole('region', { name: `Change the rank of ${person.username}` });
    await form.getByText('Now: Recruit').waitFor();
    const options = await form.getByLabel('New rank').locator('option').allTextContents();
    expect(options).to.deep.equal(['Choose a rank', 'Officer (100)', 'Guard (6)', 'Private (6)', 'Member (1)']);
    await form.getByLabel('New rank').selectOption({ label: 'Officer (100)' });
    await form.getByText('On Discord:').waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'change-rank');
    expect(await ranksOf(guild, person), 'nothing changes before the press').to.deep.equal([5]);
    await form.getByLabel('Reason, for the log').fill('passed the quiz');
    await form.getByRole('button', { name: 'Change rank' }).click();
    await page.getByText('Rank changed.').waitFor();
    expect(await ranksOf(guild, person)).to.deep.equal([100]);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
    // RANKING-30
    await page.getByText(/^Rank changed .+ by owner: Recruit → Officer$/).waitFor();
    await page.getByText('Officer (100)', { exact: true }).first().waitFor();
    await tab.open(ranksPage());
    const row = page.getByRole('row').filter({ hasText: 'Recruit → Officer' });
    await row.getByText('passed the quiz').waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'ranks');
    await row.getByRole('button', { name: /^Undo/ }).click();
    await row.getByText('Undone', { exact: true }).waitFor();
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
    expect(await rolesOf(guild, person)).to.deep.equal([recruit]);
    expectQuiet(tab);
    await tab.close();
  });

  it('A refused change of a rank is told in the form, and nothing changes', async () => {
    const climber = await rankedMember(guild, 'Recruit');
    const tab = await openTab(browser, owner());
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members?member=${climber.chatUserId}`);
    await page.getByRole('button', { name: 'Change rank' }).click();
    const form = page.getByRole('region', { name: `Change the rank of ${climber.username}` });
    await form.getByLabel('New rank').selectOption({ label: 'Private (6)' });
    await form.getByText('Nothing changes on Discord.').or(form.getByText('On Discord:')).first().waitFor();
    // Somebody else is faster.
    await guild.owner.post(guild.ranksPath, { memberId: climber.chatUserId, gameRoleId: guild.roleIds.Officer });
    await form.getByRole('button', { name: 'Change rank' }).click();
    await form.getByText('The rank of this person has changed since. Look at it again.').waitFor();
    expect(await ranksOf(guild, climber)).to.deep.equal([100]);
    await tab.close();
  });

  it('An admin sets the people who may rank, and a phone shows the page whole', async () => {
    const tab = await openTab(browser, owner(), { width: 360, scheme: 'dark' });
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/groups`);
    await page.getByRole('link', { name: 'Ranks', exact: true }).click();
    const rules = page.getByRole('region', { name: 'Who may rank' });
    await rules.getByLabel('Least team role').selectOption({ label: 'Manager' });
    await rules.getByLabel('Highest rank that they give').selectOption({ label: 'Officer (100)' });
    await rules.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await guild.owner.get(guild.ranksPath.replace(/ranks$/, 'ranking'));
    expect(body).to.deep.equal({ teamRole: 'manager', roleIds: [], highestRank: 100, perHour: 30 });
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await keepPicture(page, 'ranks-phone');
    expectQuiet(tab);
    await tab.close();
  });

  it('A member without an account has no button for their rank', async () => {
    const stranger = await buildMember(guild, { linked: false });
    const tab = await openTab(browser, owner());
    await tab.open(`/g/${guild.guildId}/members?member=${stranger.chatUserId}`);
    expect(await tab.page.getByRole('button', { name: 'Change rank' }).count()).to.equal(0);
    await tab.close();
  });

  // DASH-189
  it('An admin makes a token that only ranks, and it promotes within its limits', async () => {
    const recruit = await rankedMember(guild, 'Recruit');
    const tab = await openTab(browser, owner());
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/tokens`);
    await page.getByRole('button', { name: 'Create a token' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Training');
    expect(await form.getByLabel('Lowest rank').count(), 'fields of another role').to.equal(0);
    await form.getByLabel('Team role').selectOption('ranker');
    const make = form.getByRole('button', { name: 'Create a token' });
    expect(await form.getByRole('group').getByRole('checkbox').isChecked(), 'the only group').to.equal(true);
    await form.getByLabel('Lowest rank').fill('5');
    expect(await make.isDisabled(), 'limits that are not whole').to.equal(true);
    await form.getByLabel('Highest rank').fill('4');
    await form.getByText('This must not be below the lowest rank.').waitFor();
    expect(await make.isDisabled(), 'ranks the wrong way round').to.equal(true);
    await form.getByLabel('Highest rank').fill('6');
    await form.getByText('Recruit (5), Private (6), Guard (6)').waitFor();
    await form.getByLabel('Most changes in an hour').fill('2');
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'token-ranker');
    await make.click();
    await page.getByText('This command promotes a person by one rank.').waitFor();
    const line = (await form.locator('pre').textContent()) ?? '';
    const [, token = '', body = '', path = ''] = /Bot (\S+)" --json '(.+)' https?:\/\/[^/]+(\S+)$/.exec(line) ?? [];
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'token-ranker-made');
    await form.getByRole('checkbox').check();
    await form.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Training' });
    await row.getByText(/: ranks 5 to 6$/).waitFor();
    await row.getByText('At most 2 changes an hour', { exact: true }).waitFor();
    expect(await row.getByText(guild.groupId).count(), 'the name of the group').to.equal(0);
    await keepPicture(page, 'tokens-with-ranker');
    const promote = async () => {
      const wish = JSON.parse(body.replace('USER_ID', recruit.gameUserId)) as object;
      return (await api(token).post(path, wish)).body;
    };
    expect((await promote()).state).to.equal('done');
    expect(await ranksOf(guild, recruit)).to.deep.equal([6]);
    expect((await promote()).code, 'beyond its highest rank').to.equal('rank_above_limit');
    expect((await api(token).get(`${guild.path}/members`)).body.code).to.equal('forbidden');
    expectQuiet(tab);
    await tab.close();
  });
});

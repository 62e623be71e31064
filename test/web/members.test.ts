import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Types } from 'mongoose';
import type { Browser } from 'playwright-core';
import { systemActor } from '../../src/core/actors/actor.js';
import { Members } from '../../src/features/members/member-model.js';
import { checkChanged } from '../../src/features/sync/member/member-drift.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { addRole, mapTo } from '../features/sync/sync-setup.js';
import { runPendingSyncs } from '../support/background.js';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { expectQuiet, faultsOf, keepPicture, openTab } from './web-page.js';

// DASH-29
describe('The list of members', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
    await settle();
  });
  after(() => browser?.close());

  /** Until the first person has got back the role that the living guild took from them: that makes a sync due. */
  const settle = () =>
    eventually(async () => {
      await checkChanged();
      await runPendingSyncs(guild.guildId);
      const { roleIds } = (await world()).discord.member(guild.guildId, guild.members[0]?.chatUserId ?? '') ?? {};
      const inStep = (await guild.api.get(`${guild.path}/members?state=in_step`)).body.data;
      return roleIds?.includes(guild.roles.Verified) && inStep.length === guild.members.length;
    }, 'everybody in step');

  it('A press anywhere in a row opens the person, the way back closes them, and the focus returns to their name', async () => {
    const [first, second] = guild.members;
    if (!first || !second) return expect.fail();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
    const focused = () => page.evaluate('document.activeElement.textContent');
    await tab.open(`/g/${guild.guildId}/members`);
    // The name lies over its whole row: the press is one at a place.
    await rowOf(first.username).getByText('@Verified').click({ force: true });
    await page.waitForURL(/member=/);
    await page.getByRole('dialog').getByText(first.username).first().waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).to.equal(first.username);
    await page.getByRole('button', { name: second.username, exact: true }).press('Enter');
    await page.getByRole('dialog').getByText(second.username).first().waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('member='));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).to.equal(second.username);
    expectQuiet(tab);
    await tab.close();
  });

  it('Selected members are saved as CSV, and brought in step together', async () => {
    const { discord } = await world();
    const [first, second] = guild.members;
    if (!first || !second) return expect.fail();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members`);
    for (const { username } of [first, second]) await page.getByLabel(`Select ${username}`, { exact: true }).check();
    await page.getByText('2 selected').waitFor();
    expect(await page.getByRole('dialog').count(), 'a tick opens nobody').to.equal(0);
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    const loading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const lines = readFileSync(await (await loading).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).to.have.length(3);
    expect(lines.join()).to.contain(`${first.chatUserId},${first.gameUserId}`);
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page.getByText('Resync started.').waitFor();
    await page.getByText('2 selected').waitFor({ state: 'detached' });
    await expectRoles();
    expectQuiet(tab);
    await tab.close();

    async function expectRoles(): Promise<void> {
      const rolesOf = () => discord.member(guild.guildId, second?.chatUserId ?? '')?.roleIds ?? [];
      await eventually(() => rolesOf().includes(guild.roles.Verified), 'the second person’s role');
    }
  });

  it('The list of members shows their mapped roles and finds them by role, rank and state, with a total', async () => {
    const [first] = guild.members;
    if (!first) return expect.fail();
    await settle();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members`);
    const row = page.getByRole('row').filter({ hasText: first.username });
    await row.getByText('@Verified').waitFor();
    // Nothing is said about those in step.
    expect(await row.textContent()).not.to.match(/up to date|sync pending|would change/);
    await page.getByLabel('Rank on Roblox').selectOption({ label: 'Captain' });
    await page.waitForURL(/rank=/);
    await page
      .getByRole('status')
      .filter({ hasText: /^1 person$/ })
      .waitFor();
    await page.getByLabel('Rank on Roblox').selectOption({ label: 'All' });
    await page.getByLabel('Role', { exact: true }).selectOption({ label: '@Recruit' });
    await page
      .getByRole('status')
      .filter({ hasText: /^2 people$/ })
      .waitFor();
    await page.getByText('Linked (2)').waitFor({ state: 'attached' });
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    await keepPicture(page, 'flow-members-filtered');
    await page.getByLabel('Up to date').selectOption({ label: 'sync pending' });
    await page.getByText('Nobody matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await row.getByText('@Verified').waitFor();
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-173
  it('The list of members shows three roles of a person, and the names of the others behind their number', async () => {
    const [first] = guild.members;
    if (!first) return expect.fail();
    const names = ['Alpha', 'Bravo', 'Charlie', 'Delta'];
    const roleIds = await Promise.all(names.map((name) => addRole(guild, { name })));
    await mapTo(guild, { type: 'verified' }, { roleIds });
    await syncMember(guild.guild, first.chatUserId, { trigger: 'api', actor: systemActor('test') });
    const shown = async () => {
      const { body } = await guild.api.get(`${guild.path}/members?limit=100`);
      return body.data.find(({ memberId }: { memberId: string }) => memberId === first.chatUserId)?.roleIds ?? [];
    };
    const all: string[] = await eventually(async () => {
      const now = await shown();
      return roleIds.every((roleId) => now.includes(roleId)) && now;
    }, 'the roles');
    const tab = await openTab(browser, guild.owner);
    await tab.open(`/g/${guild.guildId}/members`);
    const row = tab.page.getByRole('row').filter({ hasText: first.username });
    const more = row.getByTitle(/^@/);
    await more.waitFor();
    expect((await more.getAttribute('title'))?.split(', ')).to.have.length(all.length - 3);
    expect(await more.innerText()).to.contain(`+${all.length - 3}`);
    expectQuiet(tab);
    await tab.close();
  });

  it('Selected members are unlinked together, after a question that says how many', async () => {
    const [, , , fourth, fifth] = guild.members;
    if (!fourth || !fifth) return expect.fail();
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members`);
    for (const { username } of [fourth, fifth]) await page.getByLabel(`Select ${username}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Unlink 2 people?' });
    await question.getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByText('2 people unlinked.').waitFor();
    await page.getByText('2 selected').waitFor({ state: 'detached' });
    const statusOf = async (memberId: string) =>
      (await guild.api.get(`${guild.path}/members/${memberId}`)).body.status as string;
    expect(await Promise.all(guild.members.map(({ chatUserId }) => statusOf(chatUserId)))).to.deep.equal([
      'linked',
      'linked',
      'linked',
      'unlinked',
      'unlinked',
    ]);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-60
  it('More people than a minute has requests are unlinked together, and a refusal midway loses none of them', async () => {
    const { guildId } = guild;
    const crowd = Array.from({ length: 130 }, (_, index) => ({
      _id: new Types.ObjectId(),
      guildId,
      chatUserId: String(500_000_000_000_000_000n + BigInt(index)),
      chatUsername: `crowd${index}`,
      names: [`crowd${index}`],
      state: 'linked' as const,
      present: false,
      autoLinkBlocked: false,
      syncs: [],
      gameUserId: String(70_000_000 + index),
      gameUsername: `Crowd${index}`,
      gameDisplayName: `Crowd${index}`,
      linkedAt: new Date(),
    }));
    await Members.acrossGuilds.collection.insertMany(crowd);
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    let calls = 0;
    await page.route('**/members/unlink', async (route) => {
      calls += 1;
      const problem = { status: 429, code: 'rate_limited', title: 'Too many requests', detail: 'Too many requests.' };
      if (calls !== 2) await route.continue();
      else await route.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: problem });
    });
    await tab.open(`/g/${guildId}/members?status=left&q=rowd`);
    for (const shown of [100, 130]) {
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText(`crowd${130 - shown}`, { exact: true }).waitFor();
    }
    await page.getByLabel('Select everyone shown').check();
    await page.getByText('130 selected').waitFor();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    const question = page.getByRole('dialog');
    const act = question.getByRole('button', { name: 'Unlink', exact: true });
    await act.click();
    await question.getByRole('alert').filter({ hasText: '7' }).waitFor();
    await question.getByText('100 people unlinked.').waitFor();
    await page.getByRole('dialog', { name: 'Unlink 30 people?' }).waitFor();
    await keepPicture(page, 'flow-members-unlinked-midway', false);
    await act.click();
    await page.getByText('130 people unlinked.').waitFor();
    await page.getByText('30 selected').waitFor({ state: 'detached' });
    expect(calls).to.equal(3);
    const { counts } = (await guild.api.get(`${guild.path}/members/counts?q=rowd`)).body;
    expect(counts).to.include({ left: 0, unlinked: 130 });
    await tab.close();
    await Members.acrossGuilds.collection.deleteMany({ guildId, gameUserId: { $exists: false }, present: false });
  });

  it('A part of a name finds people, also on a phone', async () => {
    const [first] = guild.members;
    if (!first) return expect.fail();
    const part = first.username.slice(1);
    for (const width of [360, 1440] as const) {
      const tab = await openTab(browser, guild.owner, { width });
      await tab.open(`/g/${guild.guildId}/members?q=${part}`);
      await tab.page.getByRole('button', { name: first.username, exact: true }).waitFor();
      expect(await faultsOf(tab.page, width)).to.deep.equal([]);
      expectQuiet(tab);
      await tab.close();
    }
  });
});

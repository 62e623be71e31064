import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { systemActor } from '../../src/core/actors/actor.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { countDifferences } from '../../src/features/sync/plan/difference-list.js';
import { runPendingSyncs } from '../support/background.js';
import { eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab, settled, type Tab } from './web-page.js';

/** A page's faults at both widths and in both schemes, without another load. */
async function faultsInLooks(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of [360, 1440])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      faults.push(...(await faultsOf(page, width)).map((fault) => `${width} ${colorScheme} ${fault}`));
    }
  return faults;
}

async function differencesOf({ guildId }: LivingGuild): Promise<number> {
  await runPendingSyncs(guildId);
  return (await countDifferences(guildId)).differing;
}

describe('The page of differences', () => {
  let browser: Browser;
  let guild: LivingGuild;
  let tab: Tab;
  let page: Page;
  before(async function () {
    browser = await startChromium(this);
  });
  beforeEach(async () => {
    guild = await buildLivingGuild('Watchtower', 4);
    const { discord } = await world();
    const nickname = { ...defaultSettings.nickname, enabled: false };
    await writeSettings(guild.guildId, { ...defaultSettings, mode: 'observe', nickname });
    for (const [index, { chatUserId }] of guild.members.entries()) {
      discord.setMemberRoles(guild.guildId, chatUserId, index === 1 ? [guild.roles.Recruit] : []);
      await syncMember(guild.guild, chatUserId, { trigger: 'api', actor: systemActor('test') });
    }
    tab = await openTab(browser, guild.owner);
    ({ page } = tab);
  });
  const held: (() => void)[] = [];
  afterEach(async () => {
    for (const letGo of held.splice(0)) letGo();
    await tab?.close();
  });
  after(() => browser?.close());

  const open = (search = '') => tab.open(`/g/${guild.guildId}/changes?tab=compare&effect=all${search}`);
  const rowsOf = (label: string) =>
    page.getByRole('region', { name: label, exact: true }).locator('tbody tr').allInnerTexts();
  const membersShown = async () => {
    await settled(page);
    const rows = await rowsOf('Compare');
    return guild.members.flatMap(({ username }, index) => (rows.some((row) => row.includes(username)) ? [index] : []));
  };

  it('The page of differences counts the differences by role and by reason', async () => {
    await open();
    await page.getByText('The other bot and Rolelink agree on 0 of 4 people; these 4 differ, and why').waitFor();
    await page.getByText('4 would gain roles, 1 would lose roles, 0 would be renamed.').waitFor();
    const roles = (await rowsOf('By role')).map((row) =>
      row.replace('What would change if …', '').split(/\s+/).join(' '),
    );
    expect(roles).to.have.members(['@Verified 4 0', '@Officer 4 0', '@Recruit 2 1']);
    const reasons = (await rowsOf('Reason')).map((row) => row.split(/\s+/).at(-1));
    expect(reasons).to.deep.equal(['4', '1']);
    await keepPicture(page, 'flow-differences');
    expect(await faultsInLooks(page)).to.deep.equal([]);
    expectQuiet(tab);
  });

  // OBS-26
  it('Every other page says that the server only observes, with the numbers, and leads to the comparison', async () => {
    await tab.open(`/g/${guild.guildId}/log`);
    const strip = page.getByRole('region', { name: 'Only observing' });
    await strip.getByText('Rolelink changes nobody here. 0 members match, 4 differ.').waitFor();
    await strip.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('heading', { level: 1, name: 'Changes' }).waitFor();
    await strip.waitFor({ state: 'detached' });
    await writeSettings(guild.guildId, defaultSettings);
    await tab.open(`/g/${guild.guildId}/log`);
    expect(await strip.count()).to.equal(0);
  });

  it('The page of differences is filtered by role and by reason, and keeps both filters in its address', async () => {
    await open();
    expect(await membersShown()).to.deep.equal([0, 1, 2, 3]);
    await choose(page, 'Role', '@Recruit (+2 −1)');
    await page
      .getByRole('row')
      .filter({ hasText: guild.members[2]?.username ?? '' })
      .waitFor({ state: 'detached' });
    expect(await membersShown()).to.deep.equal([0, 1, 3]);
    await choose(page, 'Reason', "Has a role but doesn't meet its rule (1)");
    await page
      .getByRole('row')
      .filter({ hasText: guild.members[3]?.username ?? '' })
      .waitFor({ state: 'detached' });
    expect(await membersShown()).to.deep.equal([1]);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('role')).to.contain(guild.roles.Recruit);
    expect(searchParams.get('reason')).to.equal('misses_rule');
    const file = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href');
    expect(file).to.match(new RegExp(`export\\?roleId=${guild.roles.Recruit}&reason=misses_rule$`));
    await page.reload();
    expect(await membersShown()).to.deep.equal([1]);
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await open(`&role=${guild.roles.Moderator}`);
    await page.getByText('No differences match these filters').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: guild.members[0]?.username ?? '' })
      .waitFor();
    expect(new URL(page.url()).search).to.equal('?tab=compare&effect=all');
    expectQuiet(tab);
  });

  // OBS-3
  it('Compare says once why a member differs, and its names are as high as a finger needs on a phone', async () => {
    await open();
    const row = page.getByRole('row').filter({ hasText: guild.members[1]?.username ?? '' });
    await row.getByText('Has Recruit, but is Officer in the group', { exact: false }).waitFor();
    expect(await row.getByRole('listitem').count()).to.equal(3);
    expect(await row.textContent()).to.not.contain("doesn't meet its rule");
    // DASH-199
    await page.setViewportSize({ width: 360, height: 740 });
    const box = await row.getByRole('link', { name: guild.members[1]?.username ?? '' }).boundingBox();
    expect(box?.height).to.be.at.least(44);
  });

  // OBS-119
  it('The agreement is a picture to save and to copy, and one press leads to the effect of another rule', async () => {
    await open();
    await page.getByText('Picture to post').click();
    const picture = page.getByRole('img', {
      name: /^The other bot and Rolelink agree on 0 of 4 people\. Watchtower · /,
    });
    await picture.waitFor();
    const loaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PNG' }).click();
    const file = await loaded;
    expect(file.suggestedFilename()).to.equal('rolelink-agreement.png');
    const png = await readFile(await file.path());
    expect([png.subarray(1, 4).toString('latin1'), png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([
      'PNG',
      1200,
      630,
    ]);
    expect(png.length, 'more than one colour').to.be.greaterThan(5_000);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy picture' }).click();
    await page.getByText('Copied').waitFor();
    const types = await page.evaluate(
      'navigator.clipboard.read().then((items) => items.flatMap(({ types }) => types))',
    );
    expect(types).to.deep.equal(['image/png']);
    await keepPicture(page, 'flow-agreement-picture');
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'What would change if …', exact: true }).click();
    await page.getByText('Complete the mapping to see its effect here.').waitFor();
    expectQuiet(tab);
  });

  // OBS-117
  it('A person left out leaves the comparison, and is included again there', async () => {
    const [first] = guild.members;
    const name = first?.username ?? '';
    await open();
    await page.getByRole('button', { name: `Leave out: ${name}` }).click();
    await page.getByText('The other bot and Rolelink agree on 0 of 3 people; these 3 differ, and why').waitFor();
    await page.getByText('1 person is left out').click();
    const back = page.getByRole('button', { name: `Include again: ${name}` });
    await back.waitFor();
    expect(await membersShown()).to.deep.equal([1, 2, 3]);
    await keepPicture(page, 'flow-left-out');
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await back.click();
    await page.getByText('1 person is left out').waitFor({ state: 'detached' });
    await eventually(async () => (await differencesOf(guild)) === 4, 'the sync');
    await tab.open(`/g/${guild.guildId}/members?member=${first?.chatUserId}`);
    await page.getByRole('button', { name: 'Leave out' }).click();
    await page.getByText('An admin has left them out, so nothing of theirs is changed.').waitFor();
    expectQuiet(tab);
  });

  const goLive = () => page.getByRole('button', { name: 'Go live' }).first().click();
  const dialog = () => page.getByRole('dialog');
  const holdWrites = async () => {
    const { discord } = await world();
    return discord.hold({ match: new RegExp(`^(PUT|DELETE|PATCH) .*${guild.guildId}/members`), times: 1_000 });
  };

  const ended = (jobId: string) =>
    eventually(
      async () => (await guild.api.get(`${guild.path}/resync/${jobId}`)).body.finishedAt !== null,
      'the end of the resync',
    );

  // OBS-22
  it('A plan that no longer applies is replaced by new numbers, and only another press applies them', async () => {
    const { discord } = await world();
    await open();
    await goLive();
    await dialog().getByText('4 people would change: 4 would get roles, 1 would lose roles').waitFor();
    const mappings: { mappingId: string; roleIds: string[] }[] = (await guild.api.get(`${guild.path}/mappings`)).body
      .data;
    const recruits = mappings.find(({ roleIds }) => roleIds.includes(guild.roles.Recruit));
    await guild.api.delete(`${guild.path}/mappings/${recruits?.mappingId}`);
    await dialog().getByRole('button', { name: 'Go live' }).click();
    await dialog().getByText('The changes you were shown no longer apply').waitFor();
    await dialog().getByText('4 people would change: 4 would get roles, 0 would lose roles').waitFor();
    expect(discord.member(guild.guildId, guild.members[0]?.chatUserId ?? '')?.roleIds).to.deep.equal([]);
    expect(tab.complaints.splice(0).map((line) => line.includes('410'))).to.deep.equal([true]);
    await keepPicture(page, 'flow-differences-outdated', false);
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await dialog().getByRole('button', { name: 'Go live' }).click();
    await page.waitForURL(/tab=made/);
    await page.getByText('Completed').first().waitFor();
    expect(discord.member(guild.guildId, guild.members[1]?.chatUserId ?? '')?.roleIds).to.include.members([
      guild.roles.Verified,
      guild.roles.Recruit,
    ]);
    expectQuiet(tab);
  });

  // OBS-22
  it('A plan that was applied elsewhere is replaced by new numbers', async () => {
    await open();
    const answered = page.waitForResponse((response) => response.url().endsWith('/sync/preview'));
    await goLive();
    const { previewId } = (await (await answered).json()) as { previewId: string };
    await dialog().getByText('4 people would change').waitFor();
    const { jobId } = (await guild.api.post(`${guild.path}/resync`, { previewId })).body;
    await ended(jobId);
    await dialog().getByRole('button', { name: 'Go live' }).click();
    await dialog().getByText('The changes you were shown no longer apply').waitFor();
    await dialog().getByText('4 people would change').waitFor();
    expect((await guild.api.get(`${guild.path}/settings`)).body.mode).to.equal('observe');
    expect(tab.complaints.splice(0).map((line) => line.includes('409'))).to.deep.equal([true]);
  });

  // OBS-23
  it('While another resync runs, going live is refused in words, and its button says why', async () => {
    const { roblox } = await world();
    await open();
    await goLive();
    await dialog().getByText('4 people would change').waitFor();
    const question = roblox.hold({ match: /memberships/, times: 1_000 });
    held.push(question.letGo);
    const { jobId } = (await guild.api.post(`${guild.path}/resync`, {})).body;
    await dialog().getByRole('button', { name: 'Go live' }).click();
    await dialog().getByText('Another resync is in progress', { exact: false }).waitFor();
    expect((await guild.api.get(`${guild.path}/settings`)).body.mode).to.equal('observe');
    expect(tab.complaints.splice(0).map((line) => line.includes('409'))).to.deep.equal([true]);
    await page.keyboard.press('Escape');
    const button = page.getByRole('button', { name: 'Go live', disabled: true });
    await button.focus();
    await page
      .getByRole('tooltip', { name: 'A resync is in progress. Wait until it has ended, or stop it.' })
      .waitFor();
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await keepPicture(page, 'flow-differences-busy', false);
    await button.click({ force: true });
    expect(await dialog().count()).to.equal(0);
    held.pop()?.();
    await ended(jobId);
    await page.getByRole('button', { name: 'Go live', disabled: false }).waitFor();
    expectQuiet(tab);
  });

  // OBS-21
  it('The page of differences shows the progress of a switch and of its undo, and then the answer', async () => {
    await open();
    await goLive();
    await dialog().getByText('4 people would change: 4 would get roles, 1 would lose roles').waitFor();
    expect(await faultsInLooks(page)).to.deep.equal([]);
    const changes = await holdWrites();
    await dialog().getByRole('button', { name: 'Go live' }).click();
    await page.waitForURL(/tab=made/);
    await changes.reached;
    await open();
    await page.getByText('The switch is in progress').waitFor();
    await page.getByRole('progressbar', { name: 'Progress of the resync' }).waitFor();
    expect(await page.getByText('Rolelink gives out the roles').count()).to.equal(0);
    await keepPicture(page, 'flow-differences-switch');
    expect(await faultsInLooks(page)).to.deep.equal([]);
    changes.letGo();
    await page.getByText('Rolelink gives out the roles').waitFor();
    await page.getByText('Changed by the switch: 4. Changed back: 0. Left as they are: 0.').waitFor();
    await page.getByRole('button', { name: 'Create a preview' }).waitFor();
    expect(await page.getByRole('progressbar').count()).to.equal(0);
    expect(await faultsInLooks(page)).to.deep.equal([]);

    const reversals = await holdWrites();
    await page.getByRole('button', { name: 'Undo the switch' }).click();
    await dialog().getByRole('button', { name: 'Undo the switch' }).click();
    await page.getByText('The switch is being undone').waitFor();
    await page.getByRole('progressbar', { name: 'Progress of the undo' }).waitFor({ state: 'attached' });
    expect(await faultsInLooks(page)).to.deep.equal([]);
    await reversals.reached;
    reversals.letGo();
    await page.getByText('The switch has been undone').waitFor();
    await page.getByText('Changed by the switch: 4. Changed back: 4. Left as they are: 0.').waitFor();
    await page.getByText(/agree on \d of \d people; these 4 differ/).waitFor();
    expect(await faultsInLooks(page)).to.deep.equal([]);
    expectQuiet(tab);
  });
});

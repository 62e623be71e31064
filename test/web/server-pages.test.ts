import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { systemActor } from '../../src/core/actors/actor.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { giveTeamRole } from '../commands/team.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { buildGuild, buildMember, eventually } from '../support/build.js';
import { startChromium } from '../support/chromium.js';
import { world } from '../support/world.js';
import { buildLivingGuild, type LivingGuild } from './living-guild.js';
import { buildNewServer } from './new-server.js';
import { choose, expectQuiet, faultsOf, keepPicture, openTab, settled } from './web-page.js';

async function syncEverybody({ guild, members }: LivingGuild): Promise<void> {
  for (const { chatUserId } of members)
    await syncMember(guild, chatUserId, { trigger: 'api', actor: systemActor('test') });
}

describe('The pages of a server', () => {
  let browser: Browser;
  let guild: LivingGuild;
  before(async function () {
    browser = await startChromium(this);
    guild = await buildLivingGuild();
  });
  after(() => browser?.close());

  it('The overview leads from nothing to a first mapping, and ticks off the finished steps', async () => {
    const { discord, roblox } = await world();
    const fresh = await buildGuild({ name: 'Fresh' });
    discord.addRole(fresh.guildId, { name: 'Member' });
    const { id: groupId } = roblox.addGroup({ name: 'Freshmen' });
    const owner = { chatUserId: fresh.ownerId, username: discord.user(fresh.ownerId).username };
    const tab = await openTab(browser, owner);
    const { page } = tab;
    await tab.open(`/g/${fresh.guildId}`);
    const current = page.locator('[aria-current=step]');
    expect(await current.textContent()).to.contain('A Roblox group is added');
    // The first step leads an admin to the set-up page, which has its own test.
    expect(await current.getByRole('link', { name: 'Start setup' }).getAttribute('href')).to.contain('/setup');
    await tab.open(`/g/${fresh.guildId}/groups`);
    await page.getByLabel('Add a group').fill('999999999');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Add a group').fill(groupId);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Freshmen' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await current.filter({ hasText: 'The first mapping exists' }).waitFor();
    await tab.open(`/g/${fresh.guildId}/mappings/new`);
    await choose(page, 'Give', '@Member');
    await choose(page, 'Kind of condition', 'is verified');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mappings' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await current.filter({ hasText: 'The panel with the Verify button is posted' }).waitFor();
    await page.getByLabel('Channel').selectOption({ index: 1 });
    await keepPicture(page, 'flow-panel-step');
    await page.getByRole('button', { name: 'Post the panel' }).click();
    await current.filter({ hasText: 'Someone has verified' }).waitFor();
    expect(discord.messages(discord.channel(fresh.guildId).id)).to.have.length(1);
    await buildMember(fresh);
    await tab.open(`/g/${fresh.guildId}`);
    expect(await page.getByRole('heading', { name: 'Set up' }).count()).to.equal(0);
    await tab.close();
  });

  it('The overview names each fault, its effect and the place to mend it', async () => {
    const { discord } = await world();
    const broken = await buildLivingGuild('Broken', 1);
    discord.deleteRole(broken.guildId, broken.roles.Recruit);
    discord.moveRole(broken.guildId, broken.roles.Officer, 50);
    await eventually(async () => (await broken.api.get(broken.path)).body.health.length === 2);
    const tab = await openTab(browser, broken.owner, { width: 360, scheme: 'dark' });
    const { page } = tab;
    await tab.open(`/g/${broken.guildId}`);
    await page.getByText("Officer is above Rolelink's role").waitFor();
    const todo = page.getByRole('region', { name: 'To do' });
    expect(await todo.getByRole('listitem').count()).to.equal(2);
    expect(await todo.getByRole('listitem').first().textContent()).to.contain('Drag the Rolelink role above it');
    await keepPicture(page, 'flow-to-do');
    expect(await faultsOf(page, 360)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Overview/ })
      .waitFor();
    await keepPicture(page, 'flow-menu');
    await page.keyboard.press('Escape');
    await todo.getByRole('link', { name: 'Open the mapping' }).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).to.match(/\/mappings\/map_/);
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of members shows pictures once they have come, and moves nothing by it', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/pictures\?/, async (route) => {
      await held;
      await route.continue();
    });
    await tab.open(`/g/${guild.guildId}/members`);
    const rows = () => page.getByRole('table').boundingBox();
    const before = await rows();
    release();
    await page.locator('td img').last().waitFor();
    expect(await rows()).to.deep.equal(before);
    expectQuiet(tab);
    await tab.close();
  });

  it('An admin finds a member on the page, reads why they have their roles, syncs and unlinks them', async () => {
    const { discord } = await world();
    const [first] = guild.members;
    if (first === undefined) throw new Error('nobody there');
    const highest = { type: 'group_rank', groupId: guild.groupId, min: 255, max: 255 };
    await guild.api.post(`${guild.path}/mappings`, { condition: highest, roleIds: [guild.roles.Moderator] });
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/members`);
    await page.getByLabel('Search').fill(first.username);
    await page.waitForURL(/q=/);
    await page.getByRole('button', { name: first.username, exact: true }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Rangers of the Northern Valley · Recruit (10)').waitFor();
    await panel.getByText('The next sync adds it.').first().waitFor();
    // DASH-153
    const path = panel.getByRole('listitem').filter({ hasText: 'The next sync adds it.' }).first();
    expect(await path.textContent()).to.match(/→.*@/);
    await panel.getByRole('button', { name: 'Copy link' }).waitFor();
    // The mappings that change nothing for the person are folded away.
    expect(await panel.getByText("Doesn't apply.", { exact: true }).isVisible()).to.equal(false);
    await panel.getByText("1 mapping doesn't apply").click();
    await panel.getByText("Doesn't apply.", { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Sync now' }).click();
    await panel.getByText('Synced:').waitFor();
    expect(discord.member(guild.guildId, first.chatUserId)?.roleIds).to.include(guild.roles.Verified);
    // DASH-154
    await tab.open(`/g/${guild.guildId}`);
    const newest = page.getByRole('region', { name: 'Recent changes' }).getByRole('listitem').first();
    // The role's name follows the entry.
    await newest.getByText('@Verified').waitFor();
    expect(await newest.textContent())
      .to.contain(first.username)
      .and.to.match(/→.*@Verified/);
    await page.goBack();
    await panel.getByRole('button', { name: 'Unlink' }).click();
    await page
      .getByRole('dialog', { name: /^Unlink / })
      .getByRole('button', { name: 'Unlink' })
      .click();
    await page.getByText(/^No members found/).waitFor();
    const { body } = await guild.api.get(`${guild.path}/members/${first.chatUserId}`);
    expect(body.status).to.equal('unlinked');
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-156
  it('Each section of the settings is in their index, and has an address of its own', async () => {
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/settings#nickname`);
    await page.locator('section[aria-label=Nicknames]:focus').waitFor();
    const index = page.getByRole('navigation', { name: 'Sections' });
    const named = await page.locator('main section[id] h2').allTextContents();
    expect(await index.getByRole('link').allTextContents()).to.deep.equal(named);
    await index.getByRole('link', { name: 'Restrictions' }).click();
    await page.locator('section[aria-label=Restrictions]:focus').waitFor();
    expect(new URL(page.url()).hash).to.equal('#restrictions');
    expectQuiet(tab);
    await tab.close();
  });

  it('The page of differences offers the switch only while Rolelink observes', async () => {
    const observing = await buildLivingGuild('Watchtower', 2);
    const tab = await openTab(browser, observing.owner);
    const { page } = tab;
    const path = `/g/${observing.guildId}/differences`;
    await tab.open(path);
    // The former address leads there. A server that gives roles has no comparison.
    await page.waitForURL(/changes\?tab=compare/);
    await page.getByRole('button', { name: 'Create a preview' }).waitFor();
    expect(await page.getByRole('button', { name: 'Go live' }).count()).to.equal(0);
    await writeSettings(observing.guildId, { ...defaultSettings, mode: 'observe' });
    await syncEverybody(observing);
    await tab.open(path);
    await page.getByRole('button', { name: 'Go live' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: observing.members[0]?.username ?? '' });
    await row.getByRole('listitem').first().waitFor();
    expect(await faultsOf(page, 1440)).to.deep.equal([]);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-13
  it('The page of settings saves, shows an example of the nickname, and settles the changes of two admins', async () => {
    const [ada, ben] = [await openTab(browser, guild.owner), await openTab(browser, guild.owner)];
    for (const tab of [ada, ben]) await tab.open(`/g/${guild.guildId}/settings`);
    await ada.page.getByLabel('Template').fill('[{chatUsername}]');
    await ada.page.getByText(`[${guild.owner.username}]`).waitFor();
    await ada.page.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByText('Saved.').first().waitFor();
    expect((await readSettings(guild.guildId)).nickname.template).to.equal('[{chatUsername}]');
    await ben.page.getByLabel('Template').fill('{gameUsername}!');
    await ben.page.getByLabel('Members can verify').click({ force: true });
    await ben.page.getByText('2 unsaved changes').waitFor();
    await ben.page.getByRole('button', { name: 'Save' }).click();
    await ben.page.getByText('Theirs: [{chatUsername}]').waitFor();
    await ben.page.getByLabel('Yours: {gameUsername}!').check();
    await ben.page.getByRole('button', { name: 'Continue with this' }).click();
    await ben.page.getByRole('button', { name: 'Save' }).click();
    await ben.page.getByText('Saved.').first().waitFor();
    const stored = await readSettings(guild.guildId);
    expect([stored.nickname.template, stored.verification.enabled]).to.deep.equal(['{gameUsername}!', false]);
    for (const tab of [ada, ben]) await tab.close();
  });

  // PUSH-10
  it('The page of settings takes the experiences one a line, and shows the refusal of one at their field', async () => {
    const { roblox } = await world();
    const [first, second] = [roblox.addUniverse().id, roblox.addUniverse().id];
    const tab = await openTab(browser, guild.owner);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}/settings`);
    const field = page.getByLabel('Experiences told at once');
    await field.fill(`${first}\n${second}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect((await readSettings(guild.guildId)).universeIds).to.deep.equal([first, second]);
    await field.fill(`${first}\nmy game`);
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true', 'the refusal');
    await keepPicture(page, 'settings-universes');
    await tab.close();
  });

  // DASH-9
  it('A viewer reads who may take the next step of a new server', async () => {
    const fresh = await buildNewServer();
    const tab = await openTab(browser, await buildTeammate(fresh, 'viewer'), { width: 360 });
    await tab.open(`/g/${fresh.guildId}`);
    const steps = tab.page.getByRole('region', { name: 'Set up your server' });
    await steps.getByText('A manager or admin of this server can do this.').waitFor();
    expect(await steps.getByRole('link', { name: 'Start setup' }).count()).to.equal(0);
    await keepPicture(tab.page, 'viewer-overview');
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-9, DASH-9
  it('The pages of a server explain to a viewer why they may not act, and disable every action', async () => {
    const viewer = await buildMember(guild);
    await giveTeamRole(guild, viewer.chatUserId, 'viewer');
    const tab = await openTab(browser, viewer);
    const { page } = tab;
    const able = 'A manager or admin of this server can';
    for (const [path, button] of [
      ['mappings', 'Add a mapping'],
      ['groups', 'Add'],
      ['resync', 'Resync everyone'],
    ] as const) {
      await tab.open(`/g/${guild.guildId}/${path}`);
      const act = page.getByRole('button', { name: button });
      expect(await act.getAttribute('aria-disabled'), path).to.equal('true');
      await act.hover({ force: true });
      await page.getByRole('tooltip', { name: `${able} do this.` }).waitFor();
      await page.getByText(`${able} make changes here.`).waitFor();
      await keepPicture(page, `viewer-${path}`);
      await act.click({ force: true });
      expect(await page.getByRole('dialog').count(), path).to.equal(0);
    }
    await tab.open(`/g/${guild.guildId}/settings`);
    await page.getByText('An admin of this server can make changes here.').waitFor();
    expect(await page.getByLabel('Template').isDisabled()).to.equal(true);
    expectQuiet(tab);
    await tab.close();
  });

  // DASH-8
  it('The pages of a server lead to signing in after the session, and show when the service does not answer', async () => {
    // The owner has used their requests of this minute by the presses before.
    const manager = await buildMember(guild);
    await giveTeamRole(guild, manager.chatUserId, 'manager');
    const tab = await openTab(browser, manager);
    const { page } = tab;
    await tab.open(`/g/${guild.guildId}`);
    await page.route('**/api/guilds/*/members*', (route) => route.abort());
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText(/The service can’t be reached|The service can't be reached/).waitFor();
    await page.unroute('**/api/guilds/*/members*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByText('Your session has ended.', { exact: false }).waitFor();
    expect(new URL(page.url()).searchParams.get('returnTo')).to.contain(`/g/${guild.guildId}`);
    await tab.close();
  });

  it('The pages of a server hide it from a person without a role in it', async () => {
    const stranger = await buildMember(guild);
    const tab = await openTab(browser, stranger);
    await tab.open(`/g/${guild.guildId}`);
    await settled(tab.page);
    expect(await tab.page.getByRole('heading', { level: 1 }).textContent()).to.equal("You can't see this server");
    await tab.close();
  });
});

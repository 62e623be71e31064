import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { config } from '../../../src/config/config.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import type { GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions, type Restrictions } from '../../../src/core/settings/restrictions.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { labelsOf, privateAnswer, privateWords } from '../../commands/private-answer.js';
import { type Api, type ApiAnswer, api, asPerson } from '../../support/api.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { buildDiscordAdmin } from '../team/team-setup.js';
import { resyncIn } from './resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  retryNow,
  rolesOf,
  sync,
} from './sync-setup.js';

/** RESTR-15: a writer's rule takes no roles from people above the writer, and kicks none. */
describe('Writers of restrictions', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let manager: Awaited<ReturnType<typeof buildDiscordAdmin>>;
  let owner: Api;
  let verified: string;
  let chief: string;
  /** Stand above the manager, and below. */
  let above: TestPerson;
  let below: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    manager = await buildDiscordAdmin(guild);
    chief = await addRole(guild, { name: 'Chief' });
    const order = [verified, manager.roleId, chief];
    for (const [index, roleId] of order.entries()) discord.moveRole(guild.guildId, roleId, index + 1);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
    await factsWhere(
      guild.guildId,
      ({ roles, bot }) => bot.highestRole.position > 3 && order.map((id) => roles.get(id)?.position).join() === '1,2,3',
      'the order of roles',
    );
    above = await buildSettledMember(guild, { roleIds: [chief] });
    below = await buildSettledMember(guild);
    owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    for (const person of [above, below]) await sync(guild, person);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
  });
  afterEach(() => configureRoblox(config().roblox));

  const settingsWith = async (wish: Partial<Restrictions>, more: Partial<GuildSettings> = {}) => {
    const { body } = await guild.api.get(`${guild.path}/settings`);
    return { ...body, ...more, restrictions: { ...noRestrictions, ...wish } };
  };
  const restrict = async (by: Api, wish: Partial<Restrictions>, more?: Partial<GuildSettings>): Promise<ApiAnswer> =>
    by.put(`${guild.path}/settings`, await settingsWith(wish, more));
  const denied = () => ({ deniedGameUserIds: [above.gameUserId, below.gameUserId] });
  const listed = async () => {
    const { body } = await guild.api.get(guild.path);
    return body.health.find(({ code }: { code: string }) => code === 'restriction_above_writer')?.memberIds;
  };
  const resync = async () => {
    const { body } = await guild.api.post(`${guild.path}/resync`, {});
    await resyncIn(guild, body.jobId, 'completed');
  };
  const grantKick = (roleId: string, permissions = PermissionFlagsBits.ManageGuild) =>
    discord.updateRole(guild.guildId, roleId, { permissions: permissions | PermissionFlagsBits.KickMembers });

  // RESTR-18
  it('A manager’s restriction spares people above the manager, and they keep their roles and are listed', async () => {
    expect((await restrict(manager.api, denied())).status).to.equal(200);
    for (const person of [above, below]) await sync(guild, person);
    expect(await rolesOf(guild, below)).to.deep.equal([]);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
    expect(await listed()).to.deep.equal([above.chatUserId]);
    const { body: why } = await guild.api.get(`${guild.path}/members/${above.chatUserId}/why`);
    expect(why).to.include({ restriction: 'denied_user', restrictionSpares: true });
  });

  // RESTR-18
  it('A resync and a preview spare and list the same people as a sync of one', async () => {
    await restrict(manager.api, denied());
    const { body: preview } = await guild.api.post(`${guild.path}/sync/preview`, {});
    const shown = preview.members.map(({ memberId, sparedFrom, remove }: Record<string, unknown>) => {
      return { memberId, sparedFrom, remove };
    });
    expect(shown).to.have.deep.members([
      { memberId: above.chatUserId, sparedFrom: 'denied_user', remove: [] },
      { memberId: below.chatUserId, sparedFrom: undefined, remove: [verified] },
    ]);
    expect(preview.summary).to.include({ removing: 1, blocked: 1 });
    await resync();
    expect(await rolesOf(guild, below)).to.deep.equal([]);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
    expect(await listed()).to.deep.equal([above.chatUserId]);
    await restrict(manager.api, {});
    await resync();
    expect(await listed()).to.equal(undefined);
  });

  it('Drafts of a preview follow the place of the caller', async () => {
    const settings = await settingsWith(denied());
    const sparedFor = async (by: Api) => {
      const { body } = await by.post(`${guild.path}/sync/preview`, { settings });
      return body.members.filter(({ sparedFrom }: { sparedFrom?: string }) => sparedFrom !== undefined).length;
    };
    expect(await sparedFor(manager.api)).to.equal(1);
    expect(await sparedFor(owner)).to.equal(0);
  });

  // RESTR-16
  it('The owner confirms the shown restriction, and then it holds for people above its writer', async () => {
    await restrict(manager.api, denied());
    await sync(guild, above);
    const confirm = (by: Api, tag: string) =>
      by.post(`${guild.path}/settings/restrictions/confirm`, undefined, { 'if-match': tag });
    const { headers } = await owner.get(`${guild.path}/settings`);
    const tag = headers.get('etag') ?? '';
    expect((await confirm(manager.api, tag)).status).to.equal(403);
    await restrict(manager.api, { ...denied(), minimumAccountAgeDays: 5 });
    expect((await confirm(owner, tag)).status).to.equal(412);
    expect(await rolesOf(guild, above)).to.include(verified);
    const now = await owner.get(`${guild.path}/settings`);
    expect((await confirm(owner, now.headers.get('etag') ?? '')).status).to.equal(200);
    await retryNow(guild, above);
    expect(await rolesOf(guild, above)).to.deep.equal([chief]);
    expect(await listed()).to.equal(undefined);
    const entry = (await latestEntries(guild.guildId, 20)).find(({ action }) => action === 'settings.confirmed');
    expect(entry?.actor.id).to.equal(guild.ownerId);
  });

  // RESTR-16, RESTR-18
  it('The owner sees the people in /settings view and confirms by the button; a manager has no button', async () => {
    await restrict(manager.api, denied());
    await sync(guild, above);
    const view = (user: string) => discord.command(guild.guildId, user, 'settings view');
    const toManager = await privateAnswer(view(manager.chatUserId));
    expect(toManager.words).to.include(`<@${above.chatUserId}>`);
    expect(labelsOf(toManager)).to.deep.equal([]);
    const shown = await privateAnswer(view(guild.ownerId));
    expect(labelsOf(shown)).to.deep.equal(['Apply it to them too']);
    const press = () => privateWords(discord.press(guild.guildId, guild.ownerId, shown, 'Apply it to them too'));
    await restrict(manager.api, { ...denied(), reason: 'Ask us.' });
    expect(await press()).to.include('changed since you read it');
    expect(await rolesOf(guild, above)).to.include(verified);
    const again = await privateAnswer(view(guild.ownerId));
    const pressed = discord.press(guild.guildId, guild.ownerId, again, 'Apply it to them too');
    expect(await privateWords(pressed)).to.include('now apply to everyone');
    await retryNow(guild, above);
    expect(await rolesOf(guild, above)).to.deep.equal([chief]);
  });

  // RESTR-17
  it('A lower person’s change lowers the reach of restrictions, and the owner’s change alone does not raise it', async () => {
    await restrict(owner, denied());
    await sync(guild, above);
    expect(await rolesOf(guild, above)).to.deep.equal([chief]);
    await restrict(manager.api, { ...denied(), minimumAccountAgeDays: 1 });
    await restrict(owner, { deniedGameUserIds: [below.gameUserId] });
    await sync(guild, above);
    await restrict(owner, denied());
    await sync(guild, above);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
    expect(await listed()).to.deep.equal([above.chatUserId]);
  });

  // RESTR-17
  it('A manager counts as the writer of the restrictions by taking an exemption away', async () => {
    const keepRoles = { keepRoles: [chief], keepNickname: [] };
    await restrict(owner, denied(), { bypass: keepRoles });
    await restrict(manager.api, denied(), { bypass: { keepRoles: [], keepNickname: [] } });
    await sync(guild, above);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
  });

  it('A restriction kicks people below its writer, and spares those above', async () => {
    grantKick(discord.botRole(guild.guildId).id, discord.botRole(guild.guildId).permissions);
    grantKick(manager.roleId);
    await eventually(async () => (await guild.api.get(guild.path)).body.botPermissions.includes('KickMembers'), 'kick');
    const set = await eventually(async () => {
      const answer = await restrict(manager.api, { ...denied(), action: 'kick' });
      return answer.status === 200 ? answer : null;
    }, 'the permission of the manager');
    expect(set.status).to.equal(200);
    for (const person of [above, below]) await sync(guild, person);
    expect(discord.member(guild.guildId, below.chatUserId)).to.equal(undefined);
    expect(await rolesOf(guild, above)).to.have.members([chief, verified]);
    expect(await listed()).to.deep.equal([above.chatUserId]);
  });

  // RESTR-14
  describe('Restrictions that kick', () => {
    const expectRefused = ({ status, body }: ApiAnswer) => {
      expect({ status, code: body.code }, JSON.stringify(body)).to.deep.equal({ status: 403, code: 'forbidden' });
      expect(body.detail).to.include('Kick Members');
    };
    const kicking = { action: 'kick', minimumAccountAgeDays: 30 } as const;

    it('A manager without Kick Members on Discord writes no restriction that kicks, by settings or a configuration', async () => {
      expectRefused(await restrict(manager.api, kicking));
      const { body: document } = await guild.api.get(`${guild.path}/config`);
      const wish = { ...document, settings: await settingsWith(kicking) };
      expectRefused(await manager.api.put(`${guild.path}/config`, wish));
      expectRefused(await manager.api.put(`${guild.path}/config?dryRun=true`, wish));
    });

    it('A manager without Kick Members on Discord sets no kick by a command, and widens none of the owner', async () => {
      const set = (options: Record<string, string | number>) =>
        privateWords(discord.command(guild.guildId, manager.chatUserId, 'settings restrictions', options));
      expect(await set({ restrict_action: 'kick', restrict_account_age: 30 })).to.include('Kick Members');
      expect((await restrict(owner, kicking)).status).to.equal(200);
      expect(await set({ restrict_account_age: 900 })).to.include('Kick Members');
      expect((await restrict(manager.api, { ...kicking, action: 'refuse_roles' })).status).to.equal(200);
    });

    it('A token of a manager without Kick Members on Discord writes no restriction that kicks', async () => {
      const { body } = await manager.api.post(`${guild.path}/tokens`, { name: 'mine', role: 'admin' });
      const mine = api(body.token);
      expectRefused(await restrict(mine, kicking));
    });
  });
});

import { expect } from 'chai';
import {
  enterGuild,
  guildSuspended,
  membershipIn,
  requireStillActive,
  requireStillAllowed,
  roleFromDiscord,
  roleInGuild,
  roleOfPerson,
} from '../../../src/core/access/guild-access.js';
import { type Actor, anonymous, chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { authorOf, mayCause, reachOf } from '../../../src/core/actors/reach.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findPresentGuild, type Guild } from '../../../src/core/guilds/guild-service.js';
import { AppError } from '../../../src/lib/errors.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { setSettings } from '../../features/sync/sync-setup.js';
import { buildDiscordAdmin, buildTeammate } from '../../features/team/team-setup.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const personOf = ({ chatUserId }: { chatUserId: string }): Actor => chatUser(chatUserId, 'somebody');
const tokenOf = (tokenGuildId: string, more: Partial<Actor> = {}): Actor => ({
  ...{ kind: 'bot_token', id: 'tok_1', name: 'token', role: 'manager', platformAdmin: false, tokenGuildId },
  ...more,
});

/** A refusal's code and words; undefined without one. */
const refusalOf = (work: Promise<unknown>): Promise<[string, string] | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? [error.code, error.message] : Promise.reject(error)),
  );

const suspend = async ({ guildId }: TestGuild, reason: string): Promise<Guild | null> => {
  const suspension = { reason, at: new Date(), by: '1' };
  await GuildRecord.updateOne({ _id: guildId }, { $set: { state: 'suspended', suspension } });
  return findPresentGuild(guildId);
};

// AUTH-33
describe('Access to a guild', () => {
  let built: TestGuild;
  let guild: Guild;

  before(async () => {
    built = await buildGuild();
    ({ guild } = built);
  });

  // AUTH-30
  it('Only the owner on Discord and the teammates have a role in a guild', async () => {
    expect(await roleOfPerson(built.ownerId, guild)).to.equal('owner');
    const roles = ['viewer', 'manager', 'admin'] as const;
    const team = await Promise.all(roles.map((role) => buildTeammate(built, role)));
    const found = await Promise.all(team.map(({ chatUserId }) => roleOfPerson(chatUserId, guild)));
    expect(found).to.deep.equal(roles);
    const member = await buildMember(built, { linked: false });
    expect(await roleOfPerson(member.chatUserId, guild)).to.equal(null);
    expect(await roleOfPerson((await buildPerson()).chatUserId, guild)).to.equal(null);
  });

  // AUTH-31
  it('A person with Manage Server on Discord is an admin while the guild trusts Discord’s managers', async () => {
    const { chatUserId } = await buildDiscordAdmin(built);
    await eventually(async () => (await roleFromDiscord(chatUserId, guild)) === 'admin', 'the role on Discord');
    expect(await roleOfPerson(chatUserId, guild)).to.equal('admin');
    await setSettings(built, { trustDiscordAdmins: false });
    expect(await roleFromDiscord(chatUserId, guild)).to.equal(null);
    expect(await roleOfPerson(chatUserId, guild)).to.equal(null);
    await setSettings(built, { trustDiscordAdmins: true });
  });

  it('A person with two roles in a guild has the higher one', async () => {
    const { discord } = await world();
    const teammate = await buildTeammate(built, 'viewer');
    const { id: roleId } = discord.addRole(built.guildId, { name: 'Staff too', permissions: 0x20n });
    discord.join(built.guildId, teammate.chatUserId, { roleIds: [roleId] });
    const asFound = () => roleOfPerson(teammate.chatUserId, guild);
    expect(await eventually(async () => (await asFound()) === 'admin', 'the role on Discord')).to.equal(true);
  });

  it('A token has its role in its own guild, or in each as the platform’s; other actors have none', async () => {
    expect(await roleInGuild(tokenOf(guild._id), guild)).to.equal('manager');
    expect(await roleInGuild(tokenOf('*'), guild)).to.equal('manager');
    expect(await roleInGuild(tokenOf('1'), guild)).to.equal(null);
    expect(await roleInGuild(chatUser(built.ownerId, 'owner'), guild)).to.equal('owner');
    for (const actor of [anonymous, systemActor('test')]) expect(await roleInGuild(actor, guild)).to.equal(null);
  });

  it('A teammate counts as invited until they have been in the guild', async () => {
    const [invited, active] = [await buildTeammate(built, 'manager', 'invited'), await buildTeammate(built, 'manager')];
    expect(await membershipIn(personOf(invited), guild)).to.deep.equal({ role: 'manager', isInvited: true });
    expect(await membershipIn(personOf(active), guild)).to.deep.equal({ role: 'manager', isInvited: false });
    const owner = chatUser(built.ownerId, 'owner');
    expect(await membershipIn(owner, guild)).to.deep.equal({ role: 'owner', isInvited: false });
    expect(await membershipIn(tokenOf('*'), guild)).to.deep.equal({ role: 'manager', isInvited: false });
    const entered = await enterGuild(personOf(invited), guild._id, { least: 'viewer', whileSuspended: false });
    expect(entered.isInvited).to.equal(true);
  });

  it('A guild admits actors from the required role on, and is hidden from all others', async () => {
    const manager = personOf(await buildTeammate(built, 'manager'));
    const stranger = personOf(await buildPerson());
    const enter = (actor: Actor, least: 'viewer' | 'manager' | 'admin', guildId = guild._id) =>
      enterGuild(actor, guildId, { least, whileSuspended: false });
    expect(await enter(manager, 'manager')).to.deep.include({
      actor: { ...manager, role: 'manager' },
      isInvited: false,
    });
    expect((await enter(manager, 'viewer')).guild._id).to.equal(guild._id);
    const tooLittle = ['forbidden', 'This needs the role admin, but yours is manager.'];
    expect(await refusalOf(enter(manager, 'admin'))).to.deep.equal(tooLittle);
    const unseen = ['guild_not_found', 'There is no such server.'];
    expect(await refusalOf(enter(stranger, 'viewer'))).to.deep.equal(unseen);
    expect(await refusalOf(enter(manager, 'viewer', '1'))).to.deep.equal(unseen);
    const asRead = { ...guild, name: 'as read' };
    const wish = { least: 'viewer', whileSuspended: false, asRead } as const;
    expect((await enterGuild(manager, guild._id, wish)).guild.name).to.equal('as read');
  });

  it('A suspension ends all access to the guild, except for routes meant for a suspended guild', async () => {
    const other = await buildGuild();
    expect((await requireStillActive(other.guildId))?._id).to.equal(other.guildId);
    const suspended = await suspend(other, 'spam');
    const owner = chatUser(other.ownerId, 'owner');
    const refused = ['guild_suspended', 'This server is suspended: spam.'];
    const enter = (whileSuspended: boolean) => enterGuild(owner, other.guildId, { least: 'viewer', whileSuspended });
    expect(await refusalOf(enter(false))).to.deep.equal(refused);
    expect((await enter(true)).actor.role).to.equal('owner');
    expect(await refusalOf(requireStillActive(other.guildId))).to.deep.equal(refused);
    const { suspension, ...unexplained } = suspended ?? guild;
    expect(suspension?.reason).to.equal('spam');
    expect(guildSuspended(unexplained).message).to.equal('This server is suspended.');
    expect(await requireStillActive('1')).to.equal(null);
  });

  // CONF-40
  it('The author of unfinished work must still have their role, at most that of an admin, and no suspension', async () => {
    const other = await buildGuild();
    const [admin, manager, viewer] = await Promise.all(
      (['admin', 'manager', 'viewer'] as const).map(async (role) => personOf(await buildTeammate(other, role))),
    );
    const refusal = (actor: Actor | undefined, role: Actor['role'], more: Partial<Actor> = {}) =>
      refusalOf(requireStillAllowed(other.guild, { ...(actor ?? anonymous), role, ...more }));
    const lost = ['forbidden', 'The author of this change has lost the role that it needs.'];
    for (const [actor, role] of [
      [admin, 'admin'],
      [admin, 'owner'],
      [manager, 'manager'],
      [viewer, null],
      [tokenOf(other.guildId), 'admin'],
    ] as const)
      expect(await refusal(actor, role), `${role}`).to.equal(undefined);
    expect(await refusal(viewer, 'admin', { platformAdmin: true })).to.equal(undefined);
    expect(await refusal(manager, 'admin')).to.deep.equal(lost);
    expect(await refusal(viewer, 'manager')).to.deep.equal(lost);
    const suspended = (await suspend(other, 'spam')) ?? guild;
    const refused = ['guild_suspended', 'This server is suspended: spam.'];
    expect(await refusalOf(requireStillAllowed(suspended, tokenOf(other.guildId)))).to.deep.equal(refused);
  });
});

describe('Roles that may be handed out', () => {
  // AUTH-43, AUTH-44
  it('A member may hand out the roles below their own highest; the owner and the service may hand out all', async () => {
    const { discord } = await world();
    const built = await buildGuild();
    const [low, middle, high] = ['Low', 'Middle', 'High'].map((name) => discord.addRole(built.guildId, { name }).id);
    const roleIds = [low, middle].flatMap((id) => id ?? []);
    const member = await buildMember(built, { linked: false, roleIds });
    const facts = await eventually(async () => {
      const now = await readGuildFacts(built.guildId);
      return [low, middle, high].every((id) => id !== undefined && now.roles.has(id)) ? now : null;
    }, 'the roles');
    const ceilingOf = async (actor: Actor) => (await authorOf(actor, facts)).ceilingRoleId;
    const positionOf = (id: string | undefined) => facts.roles.get(id ?? '')?.position ?? Number.NaN;
    const [highest, lower] = positionOf(low) > positionOf(middle) ? [low, middle] : [middle, low];
    expect(await ceilingOf(personOf(member))).to.equal(highest);
    expect(await ceilingOf(tokenOf(built.guildId, { makerId: member.chatUserId }))).to.equal(highest);
    expect(await ceilingOf(personOf(await buildPerson()))).to.equal(built.guildId);
    for (const actor of [chatUser(built.ownerId, 'owner'), tokenOf('*'), systemActor('test')]) {
      expect(await ceilingOf(actor)).to.equal(null);
    }
    const reachedBy = (ceilingRoleId: string | null) => {
      const author = { chatUserId: null, ceilingRoleId, role: 'admin' as const };
      const reached = [...facts.roles.values()].filter((role) => mayCause(author, { by: 'rule', role }, facts));
      return reached.map(({ roleId }) => roleId);
    };
    expect(reachedBy(null)).to.have.members([...facts.roles.keys()]);
    expect(reachedBy('1')).to.deep.equal([]);
    expect(reachedBy(built.guildId)).to.deep.equal([]);
    expect(reachedBy(highest ?? ''))
      .to.include.members([built.guildId, lower])
      .and.not.include(highest);
  });

  // AUTH-61
  it('A person is in reach with roles below the author’s own alone; the owner and Rolelink reach everybody', async () => {
    const { discord } = await world();
    const built = await buildGuild();
    const [low = '', high = ''] = ['Low', 'High'].map((name) => discord.addRole(built.guildId, { name }).id);
    discord.moveRole(built.guildId, low, 1);
    discord.moveRole(built.guildId, high, 2);
    const having = async (...roleIds: string[]) => buildMember(built, { linked: false, roleIds });
    const [author, equal, below, plain] = await Promise.all([having(low), having(low, high), having(low), having()]);
    await eventually(async () => (await readGuildFacts(built.guildId)).roles.has(high), 'the roles');
    const reached = async (actor: Actor) => {
      const isInReach = await reachOf(built.guildId, actor);
      const ids = [equal, below, plain, { chatUserId: built.ownerId }, await buildPerson()].map(
        (one) => one.chatUserId,
      );
      return Promise.all(ids.map(isInReach));
    };
    expect(await reached(personOf(author))).to.deep.equal([false, false, true, false, true]);
    expect(await reached(personOf(equal))).to.deep.equal([false, true, true, false, true]);
    expect(await reached(personOf(plain))).to.deep.equal([false, false, false, false, false]);
    expect(await reached(chatUser(built.ownerId, 'owner'))).to.deep.equal([true, true, true, true, true]);
    expect(await reached(systemActor('test'))).to.deep.equal([true, true, true, true, true]);
  });
});

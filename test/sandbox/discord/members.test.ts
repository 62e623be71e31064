import { expect } from 'chai';
import { type Client, type GuildMember, PermissionFlagsBits, Routes } from 'discord.js';
import { type CheckedSandbox, nextEvent, refusal, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

let checked: CheckedSandbox;
let sandbox: DiscordSandbox;
let bot: Client<true>;
let owner: SandboxUser;
let guild: SandboxGuild;
let una: SandboxUser;

function useBot(): void {
  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    owner = sandbox.addUser({ username: 'olga', globalName: 'Olga' });
    bot = await checked.connect();
  });

  beforeEach(() => {
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    una = sandbox.addUser({ username: 'una' });
  });

  after(() => checked.stop());
}

async function joinedMember(input?: { roleIds?: string[] }): Promise<GuildMember> {
  const added = nextEvent(bot, 'guildMemberAdd');
  sandbox.join(guild.id, una.id, input);
  const [member] = await added;
  return member;
}

describe('Discord sandbox: member changes', () => {
  useBot();

  it('The Discord sandbox adds and removes a role, informs the gateway, and keeps the reason', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    const member = await joinedMember();
    const updated = nextEvent(bot, 'guildMemberUpdate');
    await member.roles.add(role.id, 'sync – job 1 ✓');
    const [, after] = await updated;
    expect([...after.roles.cache.keys()]).to.have.members([guild.id, role.id]);
    expect(sandbox.member(guild.id, una.id)).to.deep.equal({ roleIds: [role.id], nickname: null });
    await member.roles.remove(role.id);
    expect(sandbox.member(guild.id, una.id)?.roleIds).to.deep.equal([]);
    const [first, second] = sandbox.auditLog(guild.id);
    expect(first).to.include({
      action: 'MEMBER_ROLE_UPDATE',
      userId: una.id,
      executorId: sandbox.application.botUserId,
      roleId: role.id,
      reason: 'sync – job 1 ✓',
    });
    expect(first?.changes).to.deep.equal({ rolesAdded: [role.id], rolesRemoved: [] });
    expect(second?.reason).to.equal(null);
    expect(second?.changes).to.deep.equal({ rolesAdded: [], rolesRemoved: [role.id] });
  });

  it('A member change that changes nothing leaves no trace in the Discord sandbox', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    const member = await joinedMember({ roleIds: [role.id] });
    let updates = 0;
    bot.on('guildMemberUpdate', () => {
      updates += 1;
    });
    await bot.rest.put(Routes.guildMemberRole(guild.id, una.id, role.id));
    await bot.rest.patch(Routes.guildMember(guild.id, una.id), { body: { roles: [role.id], nick: null } });
    const left = nextEvent(bot, 'guildMemberRemove');
    sandbox.leave(guild.id, una.id);
    await left;
    expect(updates).to.equal(0);
    expect(sandbox.auditLog(guild.id)).to.deep.equal([]);
    expect((await refusal(member.fetch(true))).code).to.equal(10007);
  });

  it('One call to the Discord sandbox replaces all roles and the nickname, in two audit entries', async () => {
    const [old, fresh] = [sandbox.addRole(guild.id, { name: 'Old' }), sandbox.addRole(guild.id, { name: 'Fresh' })];
    const member = await joinedMember({ roleIds: [old.id] });
    const edited = await member.edit({ roles: [fresh.id], nick: '🦊'.repeat(32), reason: 'r' });
    expect(edited.nickname).to.equal('🦊'.repeat(32));
    expect(sandbox.member(guild.id, una.id)).to.deep.equal({ roleIds: [fresh.id], nickname: '🦊'.repeat(32) });
    expect(
      sandbox.auditLog(guild.id).map(({ action, changes, reason }) => ({ action, changes, reason })),
    ).to.deep.equal([
      { action: 'MEMBER_ROLE_UPDATE', changes: { rolesAdded: [fresh.id], rolesRemoved: [old.id] }, reason: 'r' },
      {
        action: 'MEMBER_UPDATE',
        changes: { rolesAdded: [], rolesRemoved: [], nickname: { from: null, to: '🦊'.repeat(32) } },
        reason: 'r',
      },
    ]);
  });

  it('The sandbox refuses a bot’s role changes at or above its own role, and managed or unknown roles', async () => {
    await joinedMember();
    const below = sandbox.addRole(guild.id, { name: 'Below' });
    const managed = sandbox.addRole(guild.id, { name: 'Other bot', managed: true });
    const above = sandbox.addRole(guild.id, { name: 'Above', position: 99 });
    const put = (roleId: string) => refusal(bot.rest.put(Routes.guildMemberRole(guild.id, una.id, roleId)));
    const patch = (roles: string[]) =>
      refusal(bot.rest.patch(Routes.guildMember(guild.id, una.id), { body: { roles } }));
    for (const roleId of [managed.id, above.id, sandbox.botRole(guild.id).id, guild.id]) {
      expect(await put(roleId)).to.include({ status: 403, code: 50013 });
    }
    expect(await patch([above.id])).to.include({ status: 403, code: 50013 });
    expect(await put(una.id)).to.include({ status: 404, code: 10011 });
    expect(await patch([una.id])).to.include({ status: 400, code: 50028 });
    expect(await patch([below.id, below.id])).to.include({ status: 400, code: 50035 });
    expect(sandbox.member(guild.id, una.id)?.roleIds).to.deep.equal([]);
  });

  it('The sandbox refuses a new array of roles that leaves out a managed one', async () => {
    const managed = sandbox.addRole(guild.id, { name: 'Booster', managed: true });
    const plain = sandbox.addRole(guild.id, { name: 'Plain' });
    await joinedMember({ roleIds: [managed.id] });
    const patch = (roles: string[]) => bot.rest.patch(Routes.guildMember(guild.id, una.id), { body: { roles } });
    expect(await refusal(patch([plain.id]))).to.include({ code: 50013 });
    await patch([managed.id, plain.id]);
    expect(sandbox.member(guild.id, una.id)?.roleIds).to.deep.equal([managed.id, plain.id]);
  });

  it('A sandbox bot needs Manage Roles and Manage Nicknames to change members', async () => {
    const weak = sandbox.addGuild({ name: 'Weak', ownerId: owner.id, botPermissions: PermissionFlagsBits.ViewChannel });
    const role = sandbox.addRole(weak.id, { name: 'Below' });
    sandbox.join(weak.id, una.id);
    expect(await refusal(bot.rest.put(Routes.guildMemberRole(weak.id, una.id, role.id)))).to.include({ code: 50013 });
    const nick = bot.rest.patch(Routes.guildMember(weak.id, una.id), { body: { nick: 'x' } });
    expect(await refusal(nick)).to.include({ code: 50013 });
    sandbox.updateRole(weak.id, sandbox.botRole(weak.id).id, { permissions: PermissionFlagsBits.Administrator });
    await bot.rest.put(Routes.guildMemberRole(weak.id, una.id, role.id));
    expect(sandbox.member(weak.id, una.id)?.roleIds).to.deep.equal([role.id]);
  });

  it('A sandbox bot never renames the owner or a higher member, but may give them low roles', async () => {
    const low = sandbox.addRole(guild.id, { name: 'Low' });
    const high = sandbox.addRole(guild.id, { name: 'High', position: 99 });
    await joinedMember({ roleIds: [high.id] });
    for (const userId of [owner.id, una.id]) {
      const nick = bot.rest.patch(Routes.guildMember(guild.id, userId), { body: { nick: 'x' } });
      expect(await refusal(nick)).to.include({ status: 403, code: 50013 });
      await bot.rest.put(Routes.guildMemberRole(guild.id, userId, low.id));
      expect(sandbox.member(guild.id, userId)).to.deep.include({ nickname: null });
      expect(sandbox.member(guild.id, userId)?.roleIds).to.include(low.id);
    }
    sandbox.moveRole(guild.id, high.id, 1);
    await bot.rest.patch(Routes.guildMember(guild.id, una.id), { body: { nick: 'now' } });
    expect(sandbox.member(guild.id, una.id)?.nickname).to.equal('now');
  });

  it('The Discord sandbox refuses a nickname of 33 characters with the field named', async () => {
    await joinedMember();
    const { status, code, raw } = await refusal(
      bot.rest.patch(Routes.guildMember(guild.id, una.id), { body: { nick: 'n'.repeat(33) } }),
    );
    expect({ status, code }).to.deep.equal({ status: 400, code: 50035 });
    expect(raw).to.have.nested.property('errors.nick._errors[0].code', 'BASE_TYPE_BAD_LENGTH');
  });

  it('The Discord sandbox refuses a reason of more than 512 characters before it changes anything', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    const member = await joinedMember();
    expect(await refusal(member.roles.add(role.id, 'r'.repeat(513)))).to.include({ status: 400, code: 50035 });
    expect(sandbox.member(guild.id, una.id)?.roleIds).to.deep.equal([]);
  });

  it('A sandbox bot changes its own nickname', async () => {
    const cached = await bot.guilds.fetch(guild.id);
    await cached.members.editMe({ nick: 'Linker' });
    expect(sandbox.member(guild.id, sandbox.application.botUserId)?.nickname).to.equal('Linker');
  });
});

describe('Discord sandbox: member reads', () => {
  useBot();

  it('The Discord sandbox names an unknown guild, member or user, and a guild without the bot', async () => {
    const foreign = sandbox.addGuild({ name: 'Foreign', ownerId: owner.id, withBot: false });
    const get = async (guildId: string, userId: string) =>
      (await refusal(bot.rest.get(Routes.guildMember(guildId, userId)))).code;
    expect(await get(una.id, una.id)).to.equal(10004);
    expect(await get(guild.id, una.id)).to.equal(10007);
    expect(await get(guild.id, guild.id)).to.equal(10013);
    expect(await get(foreign.id, owner.id)).to.equal(50001);
    expect(await refusal(bot.rest.get(Routes.guild(foreign.id)))).to.include({ status: 404, code: 10004 });
  });

  it('The Discord sandbox pages members by id and searches them by name', async () => {
    const users = ['ada', 'bea', 'cem', 'adil'].map((username) => sandbox.addUser({ username }));
    for (const user of [...users].reverse()) sandbox.join(guild.id, user.id);
    const cached = await bot.guilds.fetch(guild.id);
    const first = await cached.members.list({ limit: 3, cache: false });
    const second = await cached.members.list({ limit: 1000, after: first.lastKey() ?? '', cache: false });
    const all = [...first.keys(), ...second.keys()];
    expect(all).to.have.lengthOf(6);
    expect(all).to.deep.equal([...all].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    expect(
      [...(await cached.members.search({ query: 'AD', limit: 10 })).values()].map((m) => m.user.username),
    ).to.have.members(['ada', 'adil']);
    expect(await refusal(cached.members.list({ limit: 1001 }))).to.include({ code: 50035 });
  });

  it('The Discord sandbox shows guild, roles and channels over REST', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit', permissions: PermissionFlagsBits.KickMembers });
    sandbox.renameGuild(guild.id, 'Great Hall');
    const fetched = await bot.guilds.fetch({ guild: guild.id, force: true, withCounts: true });
    expect(fetched).to.include({ name: 'Great Hall', ownerId: owner.id, approximateMemberCount: 2 });
    const roles = await fetched.roles.fetch();
    expect(roles.get(role.id)?.permissions.bitfield).to.equal(PermissionFlagsBits.KickMembers);
    expect(roles.get(sandbox.botRole(guild.id).id)).to.deep.include({ managed: true });
    expect(roles.map(({ name, position }) => `${position} ${name}`)).to.have.members([
      '0 @everyone',
      '1 Recruit',
      '2 Rolelink',
    ]);
    expect([...(await fetched.channels.fetch()).keys()]).to.deep.equal([sandbox.channel(guild.id).id]);
  });

  it('The Discord sandbox answers 401 to a bad token and counts it as invalid', async () => {
    const before = sandbox.invalidRequests;
    const answer = await fetch(`${sandbox.apiUrl}/v10/users/@me`, { headers: { authorization: 'Bot nonsense' } });
    expect(answer.status).to.equal(401);
    expect(await answer.json()).to.deep.equal({ message: '401: Unauthorized', code: 0 });
    expect(sandbox.invalidRequests).to.equal(before + 1);
  });
});

import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { privateWords } from '../../commands/private-answer.js';
import { answerClaim } from '../../edges/pages/verify-pages-setup.js';
import { api, asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild, mapTo, rankFrom } from '../sync/sync-setup.js';
import { buildDiscordAdmin, type TestTeammate } from '../team/team-setup.js';
import { pairOf, runImport } from './import-setup.js';

// AUTH-62, AUTH-63
describe('The reach of a server’s word', () => {
  let world_: World;
  let guild: GroupGuild;
  let admin: TestTeammate & { roleId: string };
  let friend: TestPerson;
  let holder: TestPerson;
  let [low, high, dangerous]: [string, string, string] = ['', '', ''];

  beforeEach(async () => {
    world_ = await world();
    const { discord, roblox } = world_;
    guild = await buildGroupGuild();
    low = await addRole(guild, { name: 'Low' });
    admin = await buildDiscordAdmin(guild);
    high = await addRole(guild, { name: 'High' });
    dangerous = discord.addRole(guild.guildId, { name: 'Boss', permissions: PermissionFlagsBits.Administrator }).id;
    for (const [index, roleId] of [low, admin.roleId, high, dangerous].entries())
      discord.moveRole(guild.guildId, roleId, index + 1);
    friend = await buildMember(guild, { linked: false });
    holder = await buildPerson();
    for (const { gameUserId } of [holder, friend]) roblox.setRank(guild.groupId, gameUserId, 100);
    await mapTo(guild, rankFrom(guild, 100), { roleIds: [low, high, dangerous] });
  });

  const asAdmin = () => ({ ...guild, api: admin.api });
  const rolesOf = async ({ chatUserId }: TestPerson) => {
    await runPendingSyncs(guild.guildId);
    return world_.discord.member(guild.guildId, chatUserId)?.roleIds ?? [];
  };
  const blockedOf = async ({ chatUserId }: TestPerson) => {
    const { body } = await guild.api.get(`${guild.path}/members/${chatUserId}`);
    return body.blocked.map(({ roleId, reason }: Record<string, string>) => `${roleId} ${reason}`);
  };
  const heldIn = async () => {
    const { body } = await guild.api.get(guild.path);
    return body.health.find(({ code }: { code: string }) => code === 'beyond_word')?.memberIds ?? [];
  };

  it('An admin by Manage Server gets no role at all by importing themselves as the holder of a rank', async () => {
    await runImport(asAdmin(), { people: [{ ...pairOf(admin), gameUserId: holder.gameUserId }] });
    expect(await rolesOf(admin)).to.deep.equal([admin.roleId]);
    expect(await blockedOf(admin)).to.have.members([low, high, dangerous].map((id) => `${id} beyond_word`));
    // An earlier file's new session has every server catch up, which enqueues another sync.
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await heldIn()).length > 0;
    }, 'the health');
    expect(await heldIn()).to.deep.equal([admin.chatUserId]);
    const member = admin.chatUserId;
    const why = await privateWords(world_.discord.command(guild.guildId, guild.ownerId, 'why', { member }));
    expect(why).to.include('beyond this server');
  });

  it('An import gives others only roles below its author, until somebody above imports the same; no dangerous one', async () => {
    const people = [pairOf(friend)];
    await runImport(asAdmin(), { people });
    expect(await rolesOf(friend)).to.deep.equal([low]);
    await runImport(guild, { people });
    expect(await rolesOf(friend)).to.have.members([low, high]);
    expect(await blockedOf(friend)).to.deep.equal([`${dangerous} beyond_word`]);
    await linkPerson(guild.guildId, friend);
    expect(await rolesOf(friend)).to.have.members([low, high, dangerous]);
    expect(await heldIn()).to.deep.equal([]);
  });

  it('A preview and a resync plan nothing beyond the word of an import', async () => {
    await runImport(asAdmin(), { people: [pairOf(friend)] });
    expect(await rolesOf(friend)).to.deep.equal([low]);
    const { body } = await guild.api.post(`${guild.path}/sync/preview`, {});
    const { add, blocked } = body.members.find((each: { memberId: string }) => each.memberId === friend.chatUserId);
    expect({ add, reasons: blocked.map(({ reason }: { reason: string }) => reason) }).to.deep.equal({
      ...{ add: [], reasons: ['beyond_word', 'beyond_word'] },
    });
  });

  it('An admin gets no role by a game code of their own token', async () => {
    const { path, guildId } = guild;
    const made = await admin.api.post(`${path}/tokens`, { name: 'game', role: 'verifier' });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const me = await asPerson(admin);
    const { body } = await me.post('/api/verification/session', { guildId, method: 'game_code' });
    const code = { code: body.phrase, gameUserId: holder.gameUserId };
    expect((await api(made.body.token).post(`${path}/verification/game-codes/redeem`, code)).status).to.equal(202);
    await answerClaim({ me, page: `/verify/${body.token}` } as never, 'confirm');
    await eventually(async () => (await blockedOf(admin)).length === 3, 'the held roles');
    expect(await rolesOf(admin)).to.deep.equal([admin.roleId]);
  });
});

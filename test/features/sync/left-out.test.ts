import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { leaveOut, mostLeftOut } from '../../../src/features/members/left-out.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { inLane } from '../../../src/lib/lane.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { api } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  type GroupGuild,
  mapTo,
  memberWrites,
  rankFrom,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// OBS-117
describe('People whom an admin leaves out', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let officer: string;
  /** Each lacks their rank's role, and the nickname. */
  let out: TestPerson;
  let other: TestPerson;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: true } });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    [out, other] = [await member(), await member()];
    discord.forgetRequests();
  });
  afterEach(() => discord.clearFaults());

  async function member(): Promise<TestPerson> {
    const person = await buildPerson();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await buildMember(guild, { person });
    await sync(guild, person);
    return person;
  }

  const post = (what: string, body: object = {}) => guild.api.post(`${guild.path}${what}`, body);
  const read = async (what: string) => (await guild.api.get(`${guild.path}${what}`)).body;
  const mark = (people: readonly TestPerson[], leftOut: boolean) =>
    post('/members/left-out', { memberIds: people.map(({ chatUserId }) => chatUserId), leftOut });
  const stored = (person: TestPerson) => findMember(guild.guildId, person.chatUserId);
  const enforce = () => setSettings(guild, { mode: 'enforce', nickname: defaultSettings.nickname });

  async function live(previewId: string): Promise<void> {
    const { body } = await post('/differences/go-live', { previewId });
    await eventually(async () => (await read(`/resync/${body.jobId}`)).state === 'completed', 'the switch');
    await runPendingSyncs(guild.guildId);
  }

  it('A person left out has no difference any more, and stands in no plan, also after their sync', async () => {
    expect((await read('/differences/counts')).differing).to.equal(2);
    expect((await mark([out], true)).body.data).to.deep.equal([{ memberId: out.chatUserId, done: true, reason: null }]);
    for (const when of ['at once', 'after the sync']) {
      expect(await read('/differences/counts'), when).to.include({ differing: 1, leftOut: 1, matching: 0 });
      await runPendingSyncs(guild.guildId);
    }
    const { summary, members } = (await post('/sync/preview')).body;
    expect(summary.changed).to.equal(1);
    const [shown] = members.filter(({ memberId }: { memberId: string }) => memberId === out.chatUserId);
    expect(shown).to.include({ leftOut: true }).and.to.deep.include({ add: [] });
  });

  it('Going live, a resync and syncs of their own change nothing of a person left out', async () => {
    await mark([out], true);
    await live((await post('/sync/preview')).body.previewId);
    expect([await rolesOf(guild, out), await rolesOf(guild, other)]).to.deep.equal([[], [officer]]);
    expect((await post(`/members/${out.chatUserId}/resync`)).body).to.include({ leftOut: true });
    const { body } = await post('/resync');
    await eventually(async () => (await read(`/resync/${body.jobId}`)).state === 'completed', 'the resync');
    const writes = await memberWrites(guild);
    expect(writes.filter((write) => write.includes(out.chatUserId))).to.deep.equal([]);
  });

  it('A person left out after the preview was shown is skipped when it is applied', async () => {
    const { previewId, summary } = (await post('/sync/preview')).body;
    expect(summary.changed).to.equal(2);
    await mark([out], true);
    await live(previewId);
    expect([await rolesOf(guild, out), await rolesOf(guild, other)]).to.deep.equal([[], [officer]]);
  });

  it('The undo of a switch leaves a person as they are whom an admin left out since', async () => {
    await live((await post('/sync/preview')).body.previewId);
    await mark([out], true);
    await post('/differences/undo');
    await eventually(async () => (await read('/differences/switch')).switch.state === 'undone', 'the undo');
    expect((await read('/differences/switch')).switch.kept).to.deep.equal([out.chatUserId]);
    expect([await rolesOf(guild, out), await rolesOf(guild, other)]).to.deep.equal([[officer], []]);
  });

  it('A restriction neither takes roles from a person left out nor kicks them', async () => {
    await mark([out], true);
    const { id, permissions } = discord.botRole(guild.guildId);
    discord.updateRole(guild.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await eventually(async () => (await read('')).botPermissions.includes('KickMembers'), 'the permission');
    discord.setMemberRoles(guild.guildId, out.chatUserId, [officer]);
    const deniedGameUserIds = [out.gameUserId, other.gameUserId];
    const restrictions = { ...defaultSettings.restrictions, action: 'kick' as const, deniedGameUserIds };
    await setSettings(guild, { restrictions, nickname: defaultSettings.nickname });
    await sync(guild, out);
    await sync(guild, other);
    expect([
      discord.member(guild.guildId, out.chatUserId)?.roleIds,
      discord.member(guild.guildId, other.chatUserId),
    ]).to.deep.equal([[officer], undefined]);
  });

  it('A write that waits when its person is left out is not sent', async () => {
    await withoutNicknames(guild);
    const first = discord.hold({ match: /^PUT .*\/roles\// });
    const begin = (person: TestPerson) => inLane('single', () => sync(guild, person));
    const earlier = begin(other);
    await first.reached;
    const later = begin(out);
    await eventually(async () => (await stored(out))?.applying !== undefined, 'the waiting call');
    await mark([out], true);
    // Longer than facts are good enough for a write.
    await new Promise((resolve) => setTimeout(resolve, 300));
    first.letGo();
    await Promise.all([earlier, later]);
    await runPendingSyncs(guild.guildId);
    expect([await rolesOf(guild, out), await rolesOf(guild, other)]).to.deep.equal([[], [officer]]);
    expect((await stored(out))?.applying).to.equal(undefined);
  });

  // OBS-118
  it('The mark is shown by the member, the reasons, the lists and health, and the log names its admin', async () => {
    await mark([out], true);
    await runPendingSyncs(guild.guildId);
    const since = (await stored(out))?.leftOut?.toISOString();
    expect(await read(`/members/${out.chatUserId}`)).to.include({ leftOutSince: since, state: 'left_out' });
    const why = await read(`/members/${out.chatUserId}/why`);
    expect(why).to.deep.include({ leftOutSince: since, keeps: { roles: true, nickname: true } });
    const ids = (members: { memberId: string }[]) => members.map(({ memberId }) => memberId);
    expect(ids((await read('/members?state=left_out')).data)).to.deep.equal([out.chatUserId]);
    expect((await read('/members/left-out')).data).to.deep.equal([
      { memberId: out.chatUserId, chatUsername: out.username, gameUsername: out.gameUsername, since },
    ]);
    const { health } = await read('');
    const [issue] = health.filter(({ code }: { code: string }) => code === 'members_left_out');
    expect(issue).to.deep.include({ severity: 'warning', count: 1, memberIds: [out.chatUserId] });
    const { data } = await read('/logs?action=member.left_out');
    expect(data[0]).to.deep.include({ target: { kind: 'member', id: out.chatUserId, name: out.username } });
  });

  it('A person who takes part again is brought in step, and the repetition of a mark changes nothing', async () => {
    await enforce();
    await mark([out], true);
    const before = await stored(out);
    expect((await mark([out], true)).body.data[0].done).to.equal(true);
    expect((await stored(out))?.leftOut).to.deep.equal(before?.leftOut);
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, out)).to.deep.equal([]);
    await mark([out], false);
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, out)).to.deep.equal([officer]);
    expect((await read('/members/left-out')).data).to.deep.equal([]);
    expect((await stored(out))?.blockedBy).to.equal(undefined);
    expect((await read('/logs?action=member.included')).data).to.have.length(1);
  });

  it('An admin leaves a person out under /why, and includes them again there', async () => {
    const admin = guild.ownerId;
    const why = () => privateAnswer(discord.command(guild.guildId, admin, 'why', { member: out.chatUserId }));
    const press = async (label: string) => privateWords(discord.press(guild.guildId, admin, await why(), label));
    expect(await press('Leave out')).to.contain(`<@${out.chatUserId}> is left out.`);
    expect((await why()).words).to.contain('An admin has left this person out');
    await runPendingSyncs(guild.guildId);
    expect(await press('Include again')).to.contain('takes part again');
    expect((await stored(out))?.leftOut).to.equal(undefined);
  });

  it('An erasure ends the mark, so that it takes everything back', async () => {
    await mark([out], true);
    const erased = await stored(out);
    if (erased === null) return expect.fail();
    const { endLink } = await import('../../../src/features/members/member-links.js');
    await endLink(erased, 'erased', systemActor('test'));
    expect((await stored(out))?.leftOut).to.equal(undefined);
  });

  it('Only admins leave people out, only members of their server, and only as many as it may', async () => {
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    const body = { memberIds: [out.chatUserId], leftOut: true };
    expect((await manager.post(`${guild.path}/members/left-out`, body)).status).to.equal(403);
    const stranger = await buildPerson();
    expect((await mark([stranger], true)).body.data).to.deep.equal([
      { memberId: stranger.chatUserId, done: false, reason: 'no_member' },
    ]);
    expect((await post('/members/left-out', { memberIds: [], leftOut: true })).status).to.equal(400);
    await Members.acrossGuilds.insertMany(
      Array.from({ length: mostLeftOut }, (_, n) => ({
        ...{ guildId: guild.guildId, chatUserId: `9${n}`, chatUsername: 'someone', names: [], syncs: [] },
        ...{ state: 'joined', present: false, autoLinkBlocked: false, leftOut: new Date(0), blockedBy: ['left_out'] },
      })),
    );
    expect(await leaveOut(guild.guild, body, systemActor('test'))).to.deep.equal(['full']);
  });
});

import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { forgetSeen } from '../../../src/platforms/discord/seen-members.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, buildPerson, linkPerson, type TestPerson } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { pairOf, runImport } from '../people-import/import-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  setSettings,
} from '../sync/sync-setup.js';
import { buildDiscordAdmin, type TestTeammate } from '../team/team-setup.js';

describe('The reach of an unlink', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let verified: string;
  let admin: TestTeammate & { roleId: string };
  let above: TestPerson;
  let beside: TestPerson;
  let below: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    admin = await buildDiscordAdmin(guild);
    const chief = discord.addRole(guild.guildId, { name: 'Chief' }).id;
    for (const [role, position] of [
      [verified, 1],
      [admin.roleId, 2],
      [chief, 3],
    ] as const)
      discord.moveRole(guild.guildId, role, position);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
    await factsWhere(
      guild.guildId,
      ({ roles }) => [verified, admin.roleId, chief].map((id) => roles.get(id)?.position).join() === '1,2,3',
      'the order of roles',
    );
    above = await buildSettledMember(guild, { roleIds: [chief] });
    beside = await buildSettledMember(guild, { roleIds: [admin.roleId] });
    below = await buildSettledMember(guild);
  });
  afterEach(() => clock.restore());

  const stateOf = async ({ chatUserId }: TestPerson) => (await findMember(guild.guildId, chatUserId))?.state;
  const link = ({ chatUserId }: TestPerson) => `${guild.path}/members/${chatUserId}/link`;
  const undo = async (by: GroupGuild['api'], ...people: TestPerson[]) => {
    const memberIds = people.map(({ chatUserId }) => chatUserId);
    const { status, body } = await by.post(`${guild.path}/members/undo-unlink`, { memberIds });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.map(({ reason }: { reason: string | null }) => reason ?? 'linked');
  };
  const unlinked = async (person: TestPerson) => {
    expect((await guild.api.delete(link(person))).status).to.equal(204);
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person)).not.to.include(verified);
  };

  // ID-91
  it('An admin unlinks nobody with a role beside or above theirs, and the answer names the person', async () => {
    for (const person of [above, beside]) {
      const { status, body } = await admin.api.delete(link(person));
      expect([status, body.code]).to.deep.equal([403, 'forbidden']);
      expect(body.detail).to.contain(person.username);
      expect(await stateOf(person)).to.equal('linked');
    }
    expect((await admin.api.delete(link(below))).status).to.equal(204);
    expect((await guild.api.delete(link(above))).status, 'the owner').to.equal(204);
  });

  // ID-91
  it('Bulk work spares the people beyond the admin’s reach and unlinks the others', async () => {
    const members = [above, below, beside].map(({ chatUserId: memberId }) => ({ memberId }));
    const { body } = await admin.api.post(`${guild.path}/members/unlink`, { members });
    expect(body.data.map(({ unlinked: done, reason }: Record<string, unknown>) => [done, reason])).to.deep.equal([
      [false, 'above'],
      [true, null],
      [false, 'above'],
    ]);
    expect(await Promise.all([above, below, beside].map(stateOf))).to.deep.equal(['linked', 'unlinked', 'linked']);
  });

  // ID-91
  it('Nobody is unlinked while Discord does not tell somebody’s roles', async () => {
    const stranger = await buildSettledMember(guild);
    container.client.guilds.cache.get(guild.guildId)?.members.cache.delete(stranger.chatUserId);
    forgetSeen(guild.guildId, stranger.chatUserId);
    discord.inject({ match: new RegExp(`^GET .*/members/${stranger.chatUserId}$`), status: 500 });
    const members = [below, stranger].map(({ chatUserId: memberId }) => ({ memberId }));
    const answer = await admin.api.post(`${guild.path}/members/unlink`, { members });
    discord.clearFaults();
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'chat_platform_unavailable']);
    expect(await stateOf(below)).to.equal('linked');
  });

  // ID-92
  it('An undo links people as before, with roles, an event and a log entry', async () => {
    await listen(guild);
    await unlinked(below);
    const { body } = await guild.api.get(`${guild.path}/members/${below.chatUserId}`);
    expect(Date.parse(body.undoUntil)).to.be.closeTo(Date.now() + dayMs, 60_000);
    expect(await undo(admin.api, below)).to.deep.equal(['linked']);
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, below)).to.include(verified);
    expect(await findMember(guild.guildId, below.chatUserId)).to.include({
      ...{ state: 'linked', autoLinkBlocked: false, gameUserId: below.gameUserId, consent: 'given' },
    });
    const entry = (await latestEntries(guild.guildId, 10)).find(({ action }) => action === 'member.linked');
    expect(entry?.actor.id).to.equal(admin.chatUserId);
    expect(entry?.changes).to.deep.include({ autoLinkBlocked: { from: true, to: false } });
    expect(await dataOf(guild, 'verification.completed')).to.have.length(1);
    expect(await undo(admin.api, below), 'a repetition').to.deep.equal(['not_unlinked']);
  });

  // ID-92
  it('An undo restores a link by the server’s word with its author', async () => {
    const person = await buildMember(guild, { linked: false });
    await runImport(guild, { people: [pairOf(person)] });
    const before = await findMember(guild.guildId, person.chatUserId);
    await guild.api.delete(link(person));
    expect(await undo(guild.api, person)).to.deep.equal(['linked']);
    const after = await findMember(guild.guildId, person.chatUserId);
    expect([after?.state, after?.word]).to.deep.equal(['linked', before?.word]);
  });

  // ID-92
  it('An undo is refused after a day, after an act of the person, above, and without an unlink', async () => {
    expect(await undo(guild.api, below), 'still linked').to.deep.equal(['not_unlinked']);
    await unlinked(below);
    await guild.api.delete(link(above));
    expect(await undo(admin.api, below, above)).to.deep.equal(['linked', 'above']);

    const acts: Record<string, (person: TestPerson) => Promise<unknown>> = {
      'another account': async (person) =>
        linkPerson(null, { ...(await buildPerson()), chatUserId: person.chatUserId }),
      'no account': ({ chatUserId, username }) => unlinkAccount(chatUserId, chatUser(chatUserId, username)),
      'an answer': async (person) =>
        (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false }),
    };
    for (const [act, run] of Object.entries(acts)) {
      const person = await buildSettledMember(guild);
      await unlinked(person);
      await run(person);
      expect(await undo(guild.api, person), act).to.deep.equal(['acted']);
      expect(await stateOf(person), act).to.equal('unlinked');
    }
    const self = await buildSettledMember(guild);
    await unlinkAccount(self.chatUserId, chatUser(self.chatUserId, self.username));
    expect(await undo(guild.api, self), 'unlinked by themselves').to.deep.equal(['not_unlinked']);

    await unlinked(below);
    clock.advance(dayMs);
    expect(await undo(guild.api, below), 'a day later').to.deep.equal(['expired']);
  });

  // ID-92
  it('An undo stays in its guild, takes an admin, and 1 to 100 members', async () => {
    await unlinked(below);
    const other = await buildGroupGuild();
    const memberIds = [below.chatUserId];
    expect((await other.api.post(`${guild.path}/members/undo-unlink`, { memberIds })).status).to.equal(404);
    const elsewhere = await other.api.post(`${other.path}/members/undo-unlink`, { memberIds });
    expect(elsewhere.body.data[0].reason).to.equal('not_unlinked');
    for (const wrong of [[], Array.from({ length: 101 }, () => below.chatUserId)])
      expect((await guild.api.post(`${guild.path}/members/undo-unlink`, { memberIds: wrong })).status).to.equal(400);
    expect(await stateOf(below)).to.equal('unlinked');
  });

  // ID-92, DISC-7
  it('On Discord /why about an unlinked member offers the undo, which asks for the admin’s reach again', async () => {
    for (const person of [above, below]) await guild.api.delete(link(person));
    for (const [person, words] of [
      [below, 'is linked again'],
      [above, "isn't below your highest one"],
    ] as const) {
      const shown = await privateAnswer(
        discord.command(guild.guildId, admin.chatUserId, 'why', { member: person.chatUserId }),
      );
      expect(await privateWords(discord.press(guild.guildId, admin.chatUserId, shown, 'Undo unlink'))).to.contain(
        words,
      );
    }
    expect(await Promise.all([above, below].map(stateOf))).to.deep.equal(['unlinked', 'linked']);
  });
});

// Longer than 400 lines: a switch and its undo are tested on the same differences.
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { trusted } from 'mongoose';
import sinon from 'sinon';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { readSettings } from '../../../src/core/settings/settings-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { latestWholeResyncs } from '../../../src/features/sync/resync/resync-service.js';
import { latestSwitch } from '../../../src/features/sync/resync/switch-service.js';
import { viewSwitch } from '../../../src/features/sync/resync/switch-view.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { storedDifference } from '../../support/differences.js';
import { type World, world } from '../../support/world.js';
import { isOwedCatchUp, startCatchUp } from './reconciliation-setup.js';
import { resyncWhere } from './resync-setup.js';
import {
  buildGroupGuild,
  type GroupGuild,
  mapTo,
  memberWrites,
  rankFrom,
  rolesOf,
  setSettings,
  sync,
} from './sync-setup.js';

const people = 4;

let discord: World['discord'];
let roblox: World['roblox'];
let guild: GroupGuild;
/** Those with a rank from 100 on. */
let officer: string[];
let settings: Partial<GuildSettings>;
/** The first half lacks the role, the second half holds it wrongly. */
let members: TestPerson[];

async function member(index: number): Promise<TestPerson> {
  const person = await buildPerson();
  const isLacking = index < people / 2;
  roblox.setRank(guild.groupId, person.gameUserId, isLacking ? 100 : 1);
  await buildMember(guild, { person, roleIds: isLacking ? [] : officer });
  return person;
}

/**
 * Goes live, and lets two members be synced before the switch comes to them. `whileHeld` runs while its first write is
 * held; discord.js gives that write up after 0.4 s instead of 15.
 */
async function liveAfterOthers(whileHeld: () => Promise<void> = async () => undefined): Promise<string> {
  const previewId = await preview();
  sinon.replace(container.client.rest.options, 'timeout', 400);
  const ofSwitch = [members[0], members[2]].map((person) => person?.chatUserId).join('|');
  const match = new RegExp(`^(PUT|DELETE|PATCH) .*${guild.guildId}/members/(${ofSwitch})`);
  // The switch tries again until it is let go.
  const write = discord.hold({ match, times: 100 });
  const { body } = await post('/differences/go-live', { previewId });
  await write.reached;
  for (const person of [members[1], members[3]]) if (person !== undefined) await sync(guild, person);
  await whileHeld();
  write.letGo();
  return body.jobId;
}

/** As `liveAfterOthers`, until everybody is synced: on a slow machine the switch has left the held to their own syncs. */
async function madeAfterOthers(): Promise<void> {
  await finished(await liveAfterOthers());
  await runPendingSyncs(guild.guildId);
}

const post = (what: string, body: object = {}) => guild.api.post(`${guild.path}${what}`, body);

const modeNow = async () => (await readSettings(guild.guildId)).mode;

/** For each member: whether they hold all these roles, or some; false: none. */
const held = () =>
  Promise.all(
    members.map(async (person) => {
      const count = officer.filter((roleId) =>
        discord.member(guild.guildId, person.chatUserId)?.roleIds.includes(roleId),
      ).length;
      return count === officer.length ? true : count === 0 ? false : 'some';
    }),
  );
const written = async () => new Set((await memberWrites(guild)).map((write) => write.split(/[ /]/)[1])).size;

const wereBefore = Array.from({ length: people }, (_, index) => index >= people / 2);

const wishedFor = wereBefore.map((holds) => !holds);

async function preview(): Promise<string> {
  const { body } = await post('/sync/preview');
  expect(body.summary).to.include({ adding: people / 2, removing: people / 2 });
  return body.previewId;
}

async function finished(jobId: string, state = 'completed'): Promise<void> {
  await resyncWhere(
    guild,
    jobId,
    (view) => view.state === state || (state === 'held' && view.awaitingConfirmation !== null),
  );
}

async function live(): Promise<void> {
  const { status, body } = await post('/differences/go-live', { previewId: await preview() });
  expect(status, JSON.stringify(body)).to.equal(202);
  await finished(body.jobId);
}

async function undone(): Promise<Record<string, unknown>> {
  expect((await post('/differences/undo')).status).to.equal(200);
  return eventually(async () => {
    const now = await latestSwitch(guild.guild);
    const view = now && viewSwitch(now);
    return view?.state === 'undone' ? view : null;
  }, 'the undo');
}

/** Each test gets a server with these differences. */
function useDifferences(): void {
  withPromptSyncs();
  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    settings = { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } };
    await setSettings(guild, settings);
    officer = await mapTo(guild, rankFrom(guild, 100), { roles: 2 });
    members = [];
    for (let index = 0; index < people; index += 1) members.push(await member(index));
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await Members.acrossGuilds.countDocuments({ guildId: guild.guildId, differs: true })) === people;
    }, 'the differences');
    discord.forgetRequests();
  });
  afterEach(() => sinon.restore());
}

describe('The switch from observing to enforcing', () => {
  useDifferences();

  it('Going live writes exactly the differences that were shown, and the server enforces', async () => {
    await live();
    expect(await modeNow()).to.equal('enforce');
    expect(await held()).to.deep.equal(wishedFor);
    expect(await written()).to.equal(people);
    for (const { chatUserId } of members) {
      expect((await findMember(guild.guildId, chatUserId))?.differs).to.equal(undefined);
      await eventually(async () => (await storedDifference(guild.guildId, chatUserId)) === null, 'the removal');
    }
    const { body } = await guild.api.get(`${guild.path}/differences/switch`);
    expect(body.switch).to.include({ state: 'made', changed: people, putBack: 0 });
    expect((await post('/differences/go-live', { previewId: 'x' })).body.code).to.equal('not_observing');
  });

  // OBS-14, OBS-96
  it('A difference that is new or other than shown is made by a sync of its own after the switch', async () => {
    const [other] = await mapTo(guild, rankFrom(guild, 255));
    const late = await buildPerson();
    roblox.setRank(guild.groupId, late.gameUserId, 1);
    await buildMember(guild, { person: late });
    const [first] = members;
    if (first === undefined || other === undefined) return expect.fail();
    await Promise.all([late, ...members].map((person) => sync(guild, person)));
    const previewId = await preview();
    roblox.setRank(guild.groupId, late.gameUserId, 255);
    roblox.setRank(guild.groupId, first.gameUserId, 255);
    for (const person of [late, first]) await sync(guild, person);
    const { body } = await post('/differences/go-live', { previewId });
    await finished(body.jobId);
    const areDue = async () => {
      await runPendingSyncs(guild.guildId);
      const roles = await Promise.all([late, first].map((person) => rolesOf(guild, person)));
      return roles.every((held) => [...officer, other].every((roleId) => held?.includes(roleId)));
    };
    await eventually(areDue, 'the roles of their own syncs');
  });

  // OBS-96
  it('A cancelled switch makes the differences that came since its preview, and leaves members it has not come to', async () => {
    const late = await buildPerson();
    roblox.setRank(guild.groupId, late.gameUserId, 1);
    await buildMember(guild, { person: late });
    await Promise.all([late, ...members].map((person) => sync(guild, person)));
    const previewId = await preview();
    roblox.setRank(guild.groupId, late.gameUserId, 100);
    await sync(guild, late);
    sinon.replace(container.client.rest.options, 'timeout', 400);
    const write = discord.hold({ match: new RegExp(`^(PUT|DELETE|PATCH) .*${guild.guildId}/members`), times: 2 });
    const { body } = await post('/differences/go-live', { previewId });
    await write.reached;
    expect((await guild.api.delete(`${guild.path}/resync/${body.jobId}`)).status).to.equal(200);
    write.letGo();
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await rolesOf(guild, late))?.some((roleId) => officer.includes(roleId));
    }, 'the roles of a sync of its own');
    const changed = (await held()).filter((is, index) => is !== wereBefore[index]);
    expect(changed.length, 'the last ones wait for the next resync').to.be.lessThan(people);
  });

  // OBS-140
  it('The mode set to enforce by hand enqueues a catch-up, whose removals an admin confirms above the limit', async () => {
    await setSettings(guild, { ...settings, massRemoval: { people: 1, sharePercent: 10 } });
    const { body: wish } = await guild.api.get(`${guild.path}/settings`);
    const { status } = await guild.api.put(`${guild.path}/settings`, { ...wish, mode: 'enforce' });
    expect(status).to.equal(200);
    await startCatchUp(guild);
    const { _id: jobId } = await eventually(async () => (await latestWholeResyncs(guild.guildId))[0], 'the resync');
    await finished(jobId, 'held');
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect((await post('/resync', { confirm: jobId })).status).to.equal(202);
    await finished(jobId);
    expect(await held()).to.deep.equal(wishedFor);
    const { body: enforcing } = await guild.api.get(`${guild.path}/settings`);
    await guild.api.put(`${guild.path}/settings`, { ...enforcing, mode: 'observe' });
    expect(await isOwedCatchUp(guild), 'to observe changes nobody').to.equal(false);
  });

  // OBS-96
  it('A switch by a preview of some members leaves the others, who were not shown', async () => {
    const [first] = members;
    const { body: shown } = await post('/sync/preview', { memberIds: [first?.chatUserId] });
    const { body } = await post('/differences/go-live', { previewId: shown.previewId });
    await finished(body.jobId);
    await runPendingSyncs(guild.guildId);
    expect(await held()).to.deep.equal([true, ...wereBefore.slice(1)]);
    expect(await isOwedCatchUp(guild)).to.equal(false);
  });

  it('A switch that would take roles from too many waits for an admin, and the server continues observing', async () => {
    await setSettings(guild, { ...settings, massRemoval: { people: 1, sharePercent: 10 } });
    const { body } = await post('/differences/go-live', { previewId: await preview() });
    await finished(body.jobId, 'held');
    expect(await modeNow()).to.equal('observe');
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect((await post('/resync', { confirm: body.jobId })).status).to.equal(202);
    await finished(body.jobId);
    expect(await modeNow()).to.equal('enforce');
    expect(await held()).to.deep.equal(wishedFor);
  });
});

describe('The undo of a switch from observing to enforcing', () => {
  useDifferences();

  it('The undo of a switch restores everyone, and the server observes again', async () => {
    await live();
    expect(await undone()).to.deep.include({ changed: 0, putBack: people, kept: [] });
    expect(await modeNow()).to.equal('observe');
    expect(await held()).to.deep.equal(wereBefore);
    const reasons = discord.auditLog(guild.guildId).map(({ reason }) => reason?.split(' ').slice(0, 2).join(' '));
    expect(new Set(reasons.slice(-people))).to.deep.equal(new Set(['Rolelink undo']));
    await eventually(async () => {
      const { body } = await guild.api.get(`${guild.path}/differences/counts`);
      return body.differing === people;
    }, 'the differences');
    expect((await post('/differences/undo')).body.code).to.equal('not_switched');
  });

  // OBS-20
  it('The undo of a switch puts back members to whom another sync came first', async () => {
    await madeAfterOthers();
    expect(await held()).to.deep.equal(wishedFor);
    expect(await undone()).to.deep.include({ changed: 0, putBack: people, kept: [] });
    expect(await held()).to.deep.equal(wereBefore);
  });

  // OBS-20
  it('The undo of a switch takes back a role that another sync gave after the switch had given one', async () => {
    await live();
    const [first] = members;
    const { guildId } = guild;
    // As if the switch had been killed between the two roles, and a reconciliation had given the second.
    const chatUserId = first?.chatUserId ?? expect.fail();
    const noted = { guildId, chatUserId, made: trusted({ $exists: true }) };
    await PlannedChanges.update(noted, { $set: { 'made.add': officer.slice(0, 1) } });
    expect(await undone()).to.deep.include({ changed: 0, putBack: people, kept: [] });
    expect(await held()).to.deep.equal(wereBefore);
  });

  // OBS-14, OBS-15
  it('The undo of a switch puts back a person whose first sync came after the preview', async () => {
    const [first] = members;
    const { guildId } = guild;
    const chatUserId = first?.chatUserId ?? expect.fail();
    const unknown = { $unset: { syncFence: 1, differs: 1 } };
    await Members.update({ guildId, chatUserId }, unknown);
    await PlannedChanges.acrossGuilds.collection.deleteMany({ guildId, chatUserId });
    const previewId = await preview();
    await sync(guild, { chatUserId });
    await finished((await post('/differences/go-live', { previewId })).body.jobId);
    await runPendingSyncs(guildId);
    expect(await held()).to.deep.equal(wishedFor);
    expect(await undone()).to.deep.include({ changed: 0, putBack: people, kept: [] });
    expect(await held()).to.deep.equal(wereBefore);
  });

  // OBS-20
  it('The undo of a switch under way puts back members to whom another sync came first', async () => {
    let end = Promise.resolve<Record<string, unknown>>({});
    const jobId = await liveAfterOthers(async () => {
      end = undone();
      await eventually(async () => (await modeNow()) === 'observe', 'the mode');
    });
    expect(await end).to.deep.include({ changed: 0, kept: [] });
    expect((await guild.api.get(`${guild.path}/resync/${jobId}`)).body.state).to.equal('cancelled');
    expect(await held()).to.deep.equal(wereBefore);
  });

  // OBS-18
  it('The undo of a switch leaves and lists members changed since', async () => {
    await live();
    const [first, second, third] = members;
    if (first === undefined || second === undefined || third === undefined) throw new Error('nobody is there');
    const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
    await setSettings(guild, { ...settings, mode: 'observe' });
    discord.setMemberRoles(guild.guildId, first.chatUserId, officer.slice(0, 1));
    discord.setMemberRoles(guild.guildId, second.chatUserId, [...officer, other]);
    discord.leave(guild.guildId, third.chatUserId);
    const { kept, ...numbers } = await undone();
    expect(kept).to.have.members([first.chatUserId, third.chatUserId]);
    expect(numbers).to.include({ putBack: people - 2, changed: 0 });
    expect(await rolesOf(guild, second)).to.deep.equal([other]);
    expect(await held()).to.deep.equal(['some', false, false, true]);
  });

  // OBS-24
  it('An undo ends at nobody that Discord refuses, and names them with the reason', async () => {
    await live();
    const [first, ...others] = members;
    const [above = ''] = officer;
    discord.inject({
      match: new RegExp(`^(PUT|DELETE|PATCH) .*/members/${first?.chatUserId}`),
      status: 403,
      code: 50013,
    });
    const { refused, ...numbers } = await undone();
    expect(numbers).to.deep.include({ putBack: people - 1, changed: 1, kept: [] });
    const [one] = refused as { memberId: string; roles: object[] }[];
    expect(one).to.deep.include({ memberId: first?.chatUserId });
    expect(one?.roles).to.have.deep.members(
      officer.map((roleId) => ({
        ...{ roleId, reason: 'refused_by_discord', detail: '403: injected by the sandbox' },
        roleName: discord.roles(guild.guildId).find(({ id }) => id === roleId)?.name ?? above,
      })),
    );
    expect((await held()).slice(1)).to.deep.equal(wereBefore.slice(1));
    expect(others).to.have.length(people - 1);
    discord.clearFaults();
  });

  // OBS-24
  it('An undo does not say that it put back members whose role it may not take', async () => {
    await live();
    discord.moveRole(guild.guildId, officer[0] ?? '', 1_000);
    await eventually(async () => {
      const role = (await readGuildFacts(guild.guildId)).roles.get(officer[0] ?? '');
      return (role?.position ?? 0) > (await readGuildFacts(guild.guildId)).bot.highestRole.position;
    }, 'the role above the bot');
    const { refused, ...numbers } = await undone();
    expect(numbers).to.deep.include({ putBack: 0, changed: people, kept: [] });
    expect(refused).to.have.length(people);
    for (const { roles } of refused as { roles: object[] }[])
      expect(roles).to.deep.equal([{ roleId: officer[0], reason: 'role_above_bot' }]);
  });

  // OBS-25
  it('An undo gives a nickname back to its owner, and a later unlink leaves it', async () => {
    settings = { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: true } };
    await setSettings(guild, settings);
    for (const { chatUserId } of members) discord.setNickname(guild.guildId, chatUserId, 'Own name');
    await live();
    const [first] = members;
    if (first === undefined) throw new Error('nobody is there');
    expect((await findMember(guild.guildId, first.chatUserId))?.givenNickname).to.equal(first.gameUsername);
    discord.forgetRequests();
    expect(await undone()).to.deep.include({ putBack: people, changed: 0 });
    expect(discord.member(guild.guildId, first.chatUserId)?.nickname).to.equal('Own name');
    expect((await findMember(guild.guildId, first.chatUserId))?.givenNickname).to.equal(undefined);
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });
    await unlinkMember(guild.guild, first.chatUserId, systemActor('test'));
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await findMember(guild.guildId, first.chatUserId))?.owedSync === undefined;
    }, 'the sync');
    expect(discord.member(guild.guildId, first.chatUserId)?.nickname).to.equal('Own name');
  });

  // OBS-25
  it('An undo gives back a nickname of Rolelink as its own, also after another sync came first', async () => {
    settings = { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: true } };
    await setSettings(guild, settings);
    for (const { chatUserId } of members) {
      discord.setNickname(guild.guildId, chatUserId, 'Earlier');
      await Members.update({ guildId: guild.guildId, chatUserId }, { $set: { givenNickname: 'Earlier' } });
    }
    await madeAfterOthers();
    expect(await undone()).to.deep.include({ changed: 0, putBack: people, kept: [] });
    for (const { chatUserId } of members) {
      expect(discord.member(guild.guildId, chatUserId)?.nickname).to.equal('Earlier');
      expect(await findMember(guild.guildId, chatUserId)).to.include({ givenNickname: 'Earlier' });
    }
  });
});

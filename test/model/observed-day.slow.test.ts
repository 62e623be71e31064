import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { connectTestDatabase } from '../support/test-database.js';
import { ModelService } from './model-service.js';
import {
  buildObservedStage,
  type Change,
  changesByOracle,
  changesByRolelink,
  type ObservedStage,
  rolesOfAll,
} from './observed-stage.js';
import { settle } from './play.js';
import { askOwner } from './stage.js';

const [people, hours, seed] = [500, 24, 39];
const promotionsAnHour = 15;
const changedSince = { demoted: 5, gone: 3 };

const page = z.object({
  data: z.array(z.object({ memberId: z.string(), add: z.array(z.string()), remove: z.array(z.string()) })),
  nextCursor: z.string().nullable(),
});
const counts = z.object({ matching: z.number(), gaining: z.number(), losing: z.number() });
const latest = z.object({ switch: z.object({ state: z.string(), kept: z.array(z.string()), putBack: z.number() }) });

// OBS-1, OBS-2, OBS-3, OBS-12, OBS-14, OBS-16, OBS-17
describe('A server that another bot keeps for a day', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let service: ModelService;
  let stage: ObservedStage;

  before(async () => {
    database = await connectTestDatabase();
    const [discord, roblox] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
    ]);
    service = await ModelService.prepare({ discord, roblox }, database.uri, `observed_${process.pid}`);
    await service.start();
    stage = await buildObservedStage({ discord, roblox }, service, people, seed);
  });
  after(async () => {
    await service?.close();
    await Promise.all([stage?.discord.stop(), stage?.roblox.stop()]);
    await database.close();
  });

  const ask = (method: string, path: string, body?: unknown) => askOwner(stage, stage.guild, method, path, body);
  const chosen = <T>(list: readonly T[]): T => list[Math.floor(stage.dice() * list.length)] as T;

  /** A fault for an hour; the next hour begins without it. */
  const faults: (() => unknown)[] = [
    () => undefined,
    () => stage.roblox.inject({ match: /roblox\.com/, status: 503 }),
    () => stage.discord.dropGateway(1),
    () => stage.roblox.inject({ match: /memberships/, times: 20, corrupt: 'empty_data' }),
    () => service.kill(),
    () => stage.discord.inject({ match: /members/, times: 10, status: 500 }),
    () => service.cutDatabase(),
    () => stage.discord.invalidateSessions(),
  ];

  async function hour(index: number): Promise<void> {
    const { discord, roblox, guild, groupId, other } = stage;
    discord.clearFaults();
    roblox.clearFaults();
    service.mendDatabase();
    if (!service.isRunning) await service.start();
    await faults[index % faults.length]?.();
    for (let times = 0; times < promotionsAnHour; times += 1) {
      const { gameUserId } = chosen(stage.people);
      const rank = chosen([0, 1, 50, 90, 100, 200, 255]);
      if (rank > 0) roblox.setRank(groupId, gameUserId, rank);
      else if (roblox.ranksOf(groupId, gameUserId)?.length) roblox.leaveGroup(groupId, gameUserId);
    }
    const comesAgain = chosen(stage.people).id;
    discord.leave(guild.guildId, comesAgain);
    other.round(0.4, 0.1);
    discord.join(guild.guildId, comesAgain);
    // A person gives or takes a role by hand.
    const { id } = chosen(stage.people);
    const held = discord.member(guild.guildId, id)?.roleIds ?? [];
    const role = chosen(guild.roleIds);
    discord.setMemberRoles(
      guild.guildId,
      id,
      held.includes(role) ? held.filter((one) => one !== role) : [...held, role],
    );
    await service.pass(3_600);
    if (service.answers) stage.unawaited.push(service.runStanding().catch(() => undefined));
    await delay(200);
  }

  /** What is listed about everybody, by person. */
  async function listed(): Promise<Map<string, Change>> {
    const found = new Map<string, Change>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, nextCursor } = page.parse((await ask('GET', `/differences?limit=100${query}`)).body);
      for (const { memberId, add, remove } of data) found.set(memberId, { add: add.sort(), remove: remove.sort() });
      cursor = nextCursor;
    }
    return found;
  }

  const settled = async () => {
    const [left = []] = await settle([stage]);
    expect(left.filter((line) => line.startsWith('not done'))).to.deep.equal([]);
  };
  /** Names the people whose changes differ, with both, their plans and their syncs. */
  const expectSame = async (found: ReadonlyMap<string, Change>, wanted: ReadonlyMap<string, Change>) => {
    const ids = [...new Set([...found.keys(), ...wanted.keys()])];
    const unlike = ids.filter((id) => JSON.stringify(found.get(id)) !== JSON.stringify(wanted.get(id)));
    const theirs = { chatUserId: { $in: unlike } };
    const stored = ['planned_changes', 'members'].map((name) => service.db.collection(name).find(theirs).toArray());
    const why = unlike.length > 0 ? await Promise.all(stored) : [];
    expect(
      unlike.map((id) => [id, found.get(id), wanted.get(id)]),
      JSON.stringify(why),
    ).to.deep.equal([]);
  };
  /** The rank watch has read everybody since then: it finds no change while the switch writes. */
  const watchHasRead = (since: Date) => {
    const accounts = service.db.collection('watched_accounts');
    const unread = { seenAt: { $not: { $gte: since } } };
    return eventually(async () => (await accounts.countDocuments(unread)) === 0, 'the rank watch');
  };
  const entries = () => stage.discord.auditLog(stage.guild.guildId).length;

  it('Rolelink observes without writing, lists the oracle’s differences, goes live by exactly those, and restores everyone', async () => {
    for (let index = 0; index < hours; index += 1) await hour(index);
    forgetSome();
    const forgotAt = new Date(service.now.epochMs);
    await settled();
    await watchHasRead(forgotAt);
    const writes = stage.discord.requests.filter(
      ({ method, path }) => method !== 'GET' && path.includes(`/guilds/${stage.guild.guildId}/members/`),
    );
    expect(writes).to.deep.equal([]);
    expect(changesByRolelink(stage, 0).size).to.equal(0);

    const wanted = changesByOracle(stage);
    const before = rolesOfAll(stage);
    expect(before.size).to.equal(people + 1);
    expect(wanted.size).to.be.within(100, 490);
    await expectSame(await listed(), wanted);
    const { gaining, losing, matching } = counts.parse((await ask('GET', '/differences/counts')).body);
    const all = [...wanted.values()];
    expect({ gaining, losing }).to.deep.equal({
      gaining: all.filter(({ add }) => add.length > 0).length,
      losing: all.filter(({ remove }) => remove.length > 0).length,
    });
    expect(matching).to.be.at.least(1);

    const overtaken = await goLive();
    await expectSame(changesByRolelink(stage, entriesBefore), wanted);

    const since = await changeSome(new Map([...wanted].filter(([id]) => !overtaken.includes(id))));
    const between = rolesOfAll(stage);
    expect((await ask('POST', '/differences/undo')).status).to.equal(200);
    const { kept, putBack } = await undone();
    expect(kept.sort()).to.deep.equal(since.sort());
    expect(putBack).to.equal(wanted.size - since.length - overtaken.length);
    const expected = new Map([...before].filter(([id]) => between.has(id)));
    for (const id of [...since, ...overtaken]) if (between.has(id)) expected.set(id, between.get(id) ?? []);
    expect(Object.fromEntries(rolesOfAll(stage))).to.deep.equal(Object.fromEntries(expected));

    const afterUndo = entries();
    await settled();
    expect(changesByRolelink(stage, afterUndo).size).to.equal(0);
    await expectSame(await listed(), changesByOracle(stage));
  });

  let entriesBefore = 0;

  /** The other bot has forgotten some colonels, who are to be given all roles. */
  function forgetSome(): void {
    const { discord, roblox, guild, groupId, confirmed } = stage;
    for (const [id, held] of [...confirmed.accounts].slice(0, changedSince.demoted)) {
      roblox.setRank(groupId, held[0]?.game ?? '', 200);
      discord.setMemberRoles(guild.guildId, id, []);
    }
  }

  /**
   * Goes live. Gives the people with a sync of their own between the preview and their turn: the switch skips them
   * (RESYNC-16). It takes note of a part that such a sync has made, and its undo takes that back too. So only the others
   * are given, and are synced once more (OBS-96).
   */
  async function goLive(): Promise<string[]> {
    entriesBefore = entries();
    const { previewId } = z.object({ previewId: z.string() }).parse((await ask('POST', '/sync/preview', {})).body);
    const { status, body } = await ask('POST', '/differences/go-live', { previewId });
    expect(status, JSON.stringify(body)).to.equal(202);
    const done = { _id: body.jobId ?? '', state: 'completed' };
    await eventually(() => service.db.collection<{ _id: string }>('plans').findOne(done), 'the switch');
    const members = service.db.collection('members');
    const noneWaits = async () => (await members.countDocuments({ owedSync: { $exists: true } })) === 0;
    await eventually(noneWaits, 'the syncs of those skipped');
    const overtaken = await service.db
      .collection<{ chatUserId: string }>('planned_changes')
      .find({ planId: body.jobId, state: 'skipped', made: { $exists: false } })
      .toArray();
    const ids = overtaken.map(({ chatUserId }) => chatUserId);
    const theirs = await members.find({ chatUserId: { $in: ids } }).toArray();
    // Their own syncs are few beside the switch's changes.
    expect(ids.length, JSON.stringify([overtaken, theirs])).to.be.at.most(20);
    return ids;
  }

  /** Some who were given two roles are demoted on Roblox, which takes one from them, and some leave. Gives all of them. */
  async function changeSome(wanted: ReadonlyMap<string, Change>): Promise<string[]> {
    const { discord, roblox, guild, groupId, confirmed } = stage;
    stage.guild.settings = { ...guild.settings, mode: 'enforce' };
    const [member = '', officer = ''] = guild.roleIds;
    const hasBoth = ({ add }: Change) => add.includes(member) && add.includes(officer);
    const demoted = [...wanted].flatMap(([id, change]) => (hasBoth(change) ? [id] : [])).slice(0, changedSince.demoted);
    expect(demoted).to.have.length(changedSince.demoted);
    for (const id of demoted) roblox.setRank(groupId, confirmed.accounts.get(id)?.[0]?.game ?? '', 1);
    const gone = [...wanted.keys()].filter((id) => !demoted.includes(id)).slice(0, changedSince.gone);
    for (const id of gone) discord.leave(guild.guildId, id);
    await settled();
    for (const id of demoted)
      expect(discord.member(guild.guildId, id)?.roleIds).to.include(member).and.not.to.include(officer);
    return [...demoted, ...gone];
  }

  async function undone() {
    const done = { undoes: { $exists: true }, state: 'completed' };
    await eventually(() => service.db.collection('plans').findOne(done), 'the end of the undo');
    const { switch: undo } = latest.parse((await ask('GET', '/differences/switch')).body);
    expect(undo.state).to.equal('undone');
    return undo;
  }
});

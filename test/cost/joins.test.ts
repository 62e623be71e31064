import { expect } from 'chai';
import mongoose, { type mongo, trusted } from 'mongoose';
import { Members } from '../../src/features/members/member-model.js';
import { WAKE_UPS } from '../../src/platforms/jobs/wake-up-store.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom } from '../features/sync/sync-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { beside } from './cost-meter.js';

/** Discord lets ten members be edited in ten seconds. */
const crowd = { unknown: 60, verified: 20 };

/** What a crowd that joins at once has cost in all, but for wake-ups. */
interface CrowdCost {
  commands: Record<string, number>;
  perJoin: number;
  memberReads: number;
  robloxCalls: number;
  syncs: number[];
}

describe('The cost of many simultaneous joins', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
  });

  async function buildCrowd(kind: keyof typeof crowd): Promise<TestPerson[]> {
    const people: TestPerson[] = [];
    for (let n = 0; n < crowd[kind]; n += 1) {
      const person = await buildPerson();
      if (kind === 'verified') await linkPerson(null, person);
      roblox.setRank(guild.groupId, person.gameUserId, 100);
      people.push(person);
    }
    return people;
  }

  /** `whenAllAre`: called when all are being synced, and none waits for the database. */
  async function joinAtOnce(people: readonly TestPerson[], whenAllAre?: () => void): Promise<CrowdCost> {
    const { guildId } = guild;
    const about = [guildId, ...people.flatMap(({ chatUserId, gameUserId }) => [chatUserId, gameUserId])];
    const client = mongoose.connection.getClient();
    const commands: Record<string, number> = {};
    const open = new Set<number>();
    let synced = 0;
    const note = ({ command, commandName, requestId }: mongo.CommandStartedEvent) => {
      const collection = String(command.collection ?? command[commandName]);
      const text = JSON.stringify(command);
      if (collection === WAKE_UPS || commandName === 'aggregate' || !about.some((id) => text.includes(id))) return;
      const kind = `${commandName} ${collection}`;
      // How many members there are is stored by the clock, for all guilds together.
      if (kind === 'update guilds') return;
      commands[kind] = (commands[kind] ?? 0) + 1;
      if (kind === 'findAndModify leases' && text.includes(`sync:${guildId}:`)) synced += 1;
      open.add(requestId);
    };
    const end = ({ requestId }: { requestId: number }) => open.delete(requestId);
    const before = { discord: discord.requests.length, roblox: roblox.requests.length };
    const ids = people.map(({ chatUserId }) => chatUserId);
    const isOver = { guildId, chatUserId: trusted({ $in: ids }), owedSync: trusted({ $exists: false }) };
    client.on('commandStarted', note).on('commandSucceeded', end).on('commandFailed', end);
    for (const id of ids) discord.join(guildId, id);
    if (whenAllAre !== undefined) {
      await eventually(() => synced >= ids.length && open.size === 0, 'the wait of all');
      whenAllAre();
    }
    await eventually(
      async () => (await beside(() => Members.acrossGuilds.countDocuments(isOver))) === ids.length,
      'the syncs',
      50_000,
    );
    client.off('commandStarted', note).off('commandSucceeded', end).off('commandFailed', end);
    const members = await Members.find({ guildId, chatUserId: trusted({ $in: ids }) });
    const isMember = `/guilds/${guildId}/members/`;
    const calls = discord.requests.slice(before.discord);
    return {
      commands,
      perJoin: Object.values(commands).reduce((sum, more) => sum + more, 0) / ids.length,
      memberReads: calls.filter(({ method, path }) => method === 'GET' && path.includes(isMember)).length,
      robloxCalls: roblox.requests.length - before.roblox,
      syncs: members.map(({ syncs }) => syncs.length),
    };
  }

  it('An unknown newcomer costs at most 8 commands, no read from Discord, and one sync', async () => {
    const cost = await joinAtOnce(await buildCrowd('unknown'));
    expect(cost.memberReads).to.equal(0);
    expect(cost.perJoin, JSON.stringify(cost.commands)).to.be.at.most(8);
    expect(cost.syncs).to.deep.equal(cost.syncs.map(() => 1));
  });

  it('A verified newcomer costs about 12 commands, and their ranks are read with those of the others', async () => {
    await mapTo(guild, rankFrom(guild, 100));
    // So that those who come later go along, however long each takes to come.
    const reads = roblox.hold({ match: /memberships|v1.users/, times: crowd.verified });
    const cost = await joinAtOnce(await buildCrowd('verified'), reads.letGo);
    expect(cost.memberReads).to.equal(0);
    // The leases of those who wait for Discord are renewed.
    expect(cost.perJoin, JSON.stringify(cost.commands)).to.be.at.most(16);
    expect(cost.robloxCalls).to.be.at.most(crowd.verified / 2);
    expect(cost.syncs).to.deep.equal(cost.syncs.map(() => 1));
  });
});

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { buildCrowd, type Crowd, writesByMember } from './resync-crowd.js';

const dbName = 'stopped_sync';

// SYNC-36
describe('A process stopped in the middle of a sync', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let crowd: Crowd;
  let [stopped, other]: { service: ServiceProcess; headers: Record<string, string> }[] = [];
  const collection = (name: string) => mongoose.connection.useDb(dbName, { useCache: true }).collection<Leased>(name);

  before(async () => {
    const { database: engine } = await world();
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-stop-')),
    ]);
    const { db } = mongoose.connection.useDb(dbName, { useCache: true });
    if (!db) throw new Error('The database is not connected.');
    crowd = await buildCrowd(4, { discord, roblox, database: db });
    // The watch enqueues a sync for recently linked people.
    await collection('members').updateMany({}, { $set: { linkedAt: new Date(Date.now() - 3_600_000) } });
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    const start = async () => {
      const environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
      const service = startProcess({ ...environment, LOG_LEVEL: 'info' }, []);
      await service.logged('ready');
      return { service, headers: await signInAt(service.url, discord, crowd.ownerId) };
    };
    [stopped, other] = [await start(), await start()];
    await eventually(() => collection('guilds').findOne({ present: true }), 'the guild');
    // Prevents a reconciliation in the meantime.
    await collection('guilds').updateMany({}, { $unset: { catchUpSince: 1, catchUpAt: 1 } });
    await ask(other, 'groups', { groupId: crowd.groupId });
    for (const [min, roleId] of [
      [1, crowd.memberRole],
      [100, crowd.officerRole],
    ]) {
      const condition = { type: 'group_rank', groupId: crowd.groupId, min, max: 255 };
      await ask(other, 'mappings', { condition, roleIds: [roleId] });
    }
  });
  after(async () => {
    stopped?.service.signal('SIGCONT');
    await endProcesses();
    await mongoose.connection.useDb(dbName, { useCache: true }).dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  const ask = async (from: typeof other, path: string, body?: object) => {
    const { service, headers = {} } = from ?? {};
    const url = `${service?.url}/api/guilds/${crowd.guildId}/${path}`;
    const answer = await fetch(url, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };

  for (const [index, promoted, rank, roles] of [
    [0, 'one role', 0, 0],
    [3, 'two roles', 1, 1],
  ] as const) {
    it(`A process stopped in a sync writes nothing once another has taken over (${promoted})`, async () => {
      const { chatUserId = '' } = crowd.members[index] ?? {};
      const _id = `sync:${crowd.guildId}:${chatUserId}`;
      const stored = await collection('members').findOne({ chatUserId });
      const question = discord.hold({ match: new RegExp(`^GET .*/members/${chatUserId}$`) });
      const answer = ask(stopped, `members/${chatUserId}/resync`);
      await question.reached;
      stopped?.service.signal('SIGSTOP');
      // The ranks that the stopped process read are old now, and its lease has expired.
      if (rank === 0) roblox.leaveGroup(crowd.groupId, stored?.gameUserId ?? '');
      else roblox.setRank(crowd.groupId, stored?.gameUserId ?? '', rank);
      await collection('leases').updateOne({ _id }, { $set: { until: new Date(0) } });
      expect((await ask(other, `members/${chatUserId}/resync`)).status).to.equal(200);
      const held = () => discord.member(crowd.guildId, chatUserId)?.roleIds;
      expect(held()).to.deep.equal([crowd.memberRole].slice(0, roles));
      const writes = writesByMember(discord).get(chatUserId) ?? 0;
      expect(writes).to.equal(roles);

      question.letGo();
      stopped?.service.signal('SIGCONT');
      const { status, body } = await answer;
      expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'lease_lost' });
      // It has a pending sync, which finds them in step.
      await eventually(async () => !(await collection('members').findOne({ chatUserId }))?.owedSync, 'the owed sync');
      expect(held()).to.deep.equal([crowd.memberRole].slice(0, roles));
      expect(writesByMember(discord).get(chatUserId) ?? 0).to.equal(writes);
    });
  }
});

/** The fields that the test reads and writes directly. */
interface Leased {
  _id: string;
  chatUserId?: string;
  gameUserId?: string;
  owedSync?: object;
  catchUpSince?: Date;
  catchUpAt?: Date;
  linkedAt?: Date;
}

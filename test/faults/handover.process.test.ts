import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type Receiver, startReceiver } from '../features/webhooks/receiver.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { shardOf } from '../sandbox/discord/snowflakes.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { type Change, HandoverLoad } from './handover-load.js';
import { buildCrowd, type Crowd, mapCrowd, postFrom, resyncCrowd } from './resync-crowd.js';

const dbName = 'handover';
const total = 4;
/** An event that nobody hears is never answered. Discord's three seconds would measure the machine. */
const answerWithinMs = 120_000;
const handedOver = 'all shards handed over: this process only answers requests now, so stop it';

interface Told {
  id: string;
  data: { chatUserId: string; added: string[] };
}

// ENV-95
describe('Shards that are handed over from process to process', function () {
  this.timeout(1_800_000);
  let [discord, roblox] = [] as unknown as [DiscordSandbox, RobloxSandbox];
  let dataDir: string;
  let receiver: Receiver;
  let crowds: Crowd[];
  let load: HandoverLoad;
  let last: ServiceProcess | undefined;
  const database = () => mongoose.connection.useDb(dbName, { useCache: true });

  before(async () => {
    [discord, roblox, dataDir, receiver] = await Promise.all([
      startDiscordSandbox({ rateLimits: false, answerWithinMs }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-handover-')),
      startReceiver(),
    ]);
  });
  after(async () => {
    await endProcesses();
    await database().dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), receiver.close(), removeFolder(dataDir)]);
  });

  const start = async (shards: string): Promise<ServiceProcess> => {
    const { database: engine } = await world();
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    const environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    const service = startProcess({ ...environment, LOG_LEVEL: 'info', SHARDS: shards }, []);
    await service.logged('ready');
    return service;
  };
  const end = async (service: ServiceProcess): Promise<void> => {
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  };
  /** Starts processes with the shards of an older one, one after the other, and ends it. */
  const replace = async (older: ServiceProcess, shards: readonly string[]): Promise<ServiceProcess[]> => {
    const newer: ServiceProcess[] = [];
    for (const each of shards) newer.push(await start(each));
    await older.logged(handedOver);
    await end(older);
    return newer;
  };

  const buildCrowds = async (): Promise<Crowd[]> => {
    const { db } = database();
    if (!db) throw new Error('The database is not connected.');
    const built: Crowd[] = [];
    while (built.length < total) {
      const crowd = await buildCrowd(6, { discord, roblox, database: db });
      const has = built.some(({ guildId }) => shardOf(guildId, total) === shardOf(crowd.guildId, total));
      if (has) discord.removeBot(crowd.guildId);
      else built.push(crowd);
    }
    return built;
  };
  /** Rules and a subscriber for each crowd; everybody in step. */
  const settle = async ({ url }: ServiceProcess): Promise<void> => {
    const present = () => database().collection('guilds').countDocuments({ present: true });
    await eventually(async () => (await present()) === crowds.length, 'the guilds');
    for (const crowd of crowds) {
      const post = postFrom(url, crowd, await signInAt(url, discord, crowd.ownerId));
      await mapCrowd(post, crowd);
      await resyncCrowd(post);
      await post('webhooks', { url: receiver.url, events: ['role.synced'] });
    }
    const plans = database().collection('plans');
    await eventually(async () => (await plans.countDocuments({ state: 'completed' })) >= total, 'the resyncs', 120_000);
  };

  const told = (): Told[] => receiver.received.map(({ body }) => JSON.parse(body.toString()) as Told);
  const tellings = ({ chatUserId, added }: Change): number =>
    told().filter(({ data }) => data.chatUserId === chatUserId && data.added.includes(added)).length;
  const missing = ({ guildId, chatUserId, expected }: Change): boolean =>
    expected.some((roleId) => discord.member(guildId, chatUserId)?.roleIds.includes(roleId) !== true);

  it('Nobody waits for a role or an answer while one process becomes two and four, and nothing is told twice', async () => {
    crowds = await buildCrowds();
    const first = await start('0-3/4');
    await settle(first);
    load = new HandoverLoad({ discord, roblox, database: database() }, crowds);
    load.begin();
    const [left, right] = await replace(first, ['0-1/4', '2-3/4']);
    if (left === undefined || right === undefined) throw new Error('Two processes have started.');
    await replace(left, ['0-0/4', '1-1/4']);
    last = (await replace(right, ['2-2/4', '3-3/4'])).at(-1);
    await load.pressEverywhere();
    await load.end();
    expect(load.unanswered).to.deep.equal([]);
    expect(load.changes.length).to.be.greaterThan(20);
    await eventually(() => !load.changes.some(missing), 'the roles', 120_000);
    const untold = () => load.changes.filter((change) => tellings(change) === 0);
    await eventually(() => untold().length === 0, 'the events', 120_000);
    expect(load.changes.filter((change) => tellings(change) > 1)).to.deep.equal([]);
    const ids = told().map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('A dead process leaves its servers without answers until it is started again, and no join is lost', async () => {
    last?.signal('SIGKILL');
    await last?.ended;
    const crowd = crowds.find(({ guildId }) => shardOf(guildId, total) === total - 1);
    if (crowd === undefined) throw new Error('The last shard has a crowd.');
    const { guildId, ownerId, memberRole } = crowd;
    let isAnswered = false;
    const lost = discord.command(guildId, ownerId, 'help').then(() => {
      isAnswered = true;
    });
    lost.catch(() => undefined);
    const chatUserId = await load.join(crowd);
    await start('3-3/4');
    expect((await discord.command(guildId, ownerId, 'help')).ephemeral).to.equal(true);
    await eventually(() => discord.member(guildId, chatUserId)?.roleIds.includes(memberRole), 'the role', 180_000);
    expect(isAnswered).to.equal(false);
  });
});

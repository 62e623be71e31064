import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { chatUser } from '../../../src/core/actors/actor.js';
import { placesOf } from '../../../src/features/accounts/account-model.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { endProcesses, startProcess } from '../../boot/service-process.js';
import { addOther } from '../../features/accounts/other-account.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  setSettings,
  sync,
} from '../../features/sync/sync-setup.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { signIn } from '../../support/api.js';
import { emptyOutboxes } from '../../support/background.js';
import { linkPerson, type TestPerson } from '../../support/build.js';
import { removeFolder } from '../../support/remove-folder.js';
import { type World, world } from '../../support/world.js';

const scriptOf = (name: string) => fileURLToPath(new URL(`../../../src/edges/cli/${name}.js`, import.meta.url));

// ENV-16, ID-93, ID-94
describe('A backup of people with several accounts', () => {
  let folder: string;
  let client: mongoose.mongo.MongoClient;
  let environment: World['environment'];
  let home: GroupGuild;
  let person: TestPerson;
  /** The service's database. The address names none, and the driver would then take another. */
  let own: string;
  const dbName = `restored_accounts_${process.pid}`;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-restored-'));
    const { database, environment: usual, discord } = await world();
    client = await new mongoose.mongo.MongoClient(database.uri).connect();
    environment = usual;
    own = mongoose.connection.name;
    home = await buildGroupGuild();
    const watching = await buildGroupGuild();
    person = await buildSettledMember(home);
    await linkPerson(null, person);
    const chosen = await addOther(person);
    const main = await addOther(person);
    discord.join(watching.guildId, person.chatUserId);
    await mapTo(watching, { type: 'verified' });
    const actor = chatUser(person.chatUserId, person.username);
    await useAccount(actor, chosen.gameUserId, { guildIds: [watching.guildId] });
    await useAccount(actor, main.gameUserId, { main: true });
    // What is planned there stays planned.
    await setSettings(watching, { mode: 'observe' });
    for (const guild of [home, watching]) await sync(guild, person);
    // The relay would empty them between the look and the backup, or in the started service.
    await emptyOutboxes();
  });
  after(async () => {
    await endProcesses();
    await client.db(dbName).dropDatabase();
    await client.close();
    await removeFolder(folder);
  });

  const addressOf = (name: string): string => (environment.MONGODB_URI ?? '').replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  const run = async (script: string, changed: Record<string, string>, file: string): Promise<string> => {
    const env = { ...environment, ...changed };
    return (await promisify(execFile)(process.execPath, [scriptOf(script), file], { env })).stdout;
  };
  /** What is stored of the person: their places with their proofs, and their member in each guild. */
  const storedIn = async (name: string) => {
    const db = client.db(name);
    const accounts = db.collection<{ _id: string }>('accounts').find({ _id: { $in: placesOf(person.chatUserId) } });
    const fields = { guildId: 1, state: 1, gameUserId: 1, chosenGameUserId: 1, givenNickname: 1 };
    const members = db.collection('members').find({ chatUserId: person.chatUserId }, { projection: fields });
    return { accounts: await accounts.sort({ _id: 1 }).toArray(), members: await members.sort({ _id: 1 }).toArray() };
  };

  it('A restored backup has the same main account, choices, proofs, bot tokens and sessions, and a start changes none', async () => {
    const before = await storedIn(own);
    expect([before.accounts.length, before.members.length]).to.deep.equal([3, 2]);
    const [member, owner] = [await signIn(person.chatUserId), await signIn(home.ownerId)];

    const file = join(folder, 'several.backup');
    await run('run-backup', { MONGODB_URI: addressOf(own) }, file);
    const target = { MONGODB_URI: addressOf(dbName), DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) };
    expect(await run('run-restore', target, file)).to.contain('were restored');
    expect(await storedIn(dbName)).to.deep.equal(before);

    const service = startProcess({ ...environment, ...target, LOG_LEVEL: 'info' });
    await service.logged('ready');
    expect(await storedIn(dbName)).to.deep.equal(before);
    const asked = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${service.url}${path}`, { headers })).status;
    expect(await asked(home.path, { authorization: `Bot ${home.token}` })).to.equal(200);
    expect(await asked('/api/auth/me', { cookie: member.cookie })).to.equal(200);
    expect(await asked(home.path, { cookie: owner.cookie })).to.equal(200);
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  });
});

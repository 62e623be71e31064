import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { loadConfig } from '../../../src/config/config.js';
import { loadSecretKeys, placesOf } from '../../../src/config/secret-keys.js';
import { keyFaults } from '../../../src/edges/operations/check-keys.js';
import { ConfigError } from '../../../src/lib/start-error.js';
import { acceptKeys, requireKnownKeys } from '../../../src/platforms/database/known-keys.js';
import { removeFolder } from '../../support/remove-folder.js';
import { world } from '../../support/world.js';

const secretsKey = Buffer.alloc(32, 7).toString('base64');
const keyOf = (kid: string) => ({ kid, secret: kid.repeat(40) });

// ENV-18, ENV-19
describe('The keys of the stored data', () => {
  const known = () => mongoose.connection.collection<{ _id: string }>('service_state');
  let dataDir: string;
  let file: string;
  let before: { _id: string } | null;

  beforeEach(async () => {
    await world();
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-known-keys-'));
    file = join(dataDir, 'keys.json');
    before = await known().findOne({ _id: 'known_keys' });
  });
  afterEach(async () => {
    await known().deleteOne({ _id: 'known_keys' });
    if (before !== null) await known().insertOne(before);
    await removeFolder(dataDir);
  });

  /** The refusal when starting with keys from these sources; undefined if it accepts them. */
  async function refusal(sources: Partial<Parameters<typeof loadSecretKeys>[0]> = {}): Promise<string | undefined> {
    const all = { dataDir, ...sources };
    try {
      await requireKnownKeys({ ...loadSecretKeys(all), places: placesOf(all) });
      return undefined;
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigError);
      return error instanceof Error ? error.message : '';
    }
  }

  it('A start that had to make new keys reports the missing ones, and does not leave the new ones there', async () => {
    const words = await refusal();
    expect(words).to.contain(`Bring back ${file}`).and.contain('rolelink keys --accept').and.not.contain('\n');
    expect(existsSync(file)).to.equal(false);
  });

  it('A start reports missing keys also where an older Rolelink has stored none', async () => {
    await known().deleteOne({ _id: 'known_keys' });
    expect(await refusal()).to.contain(`Bring back ${file}`);
    expect(await known().findOne({ _id: 'known_keys' })).to.equal(null);
    loadSecretKeys({ dataDir });
    expect(existsSync(file)).to.equal(true);
  });

  it('Each missing key is named by its fault and its place', async () => {
    const [a, b] = [keyOf('a'), keyOf('b')];
    await acceptKeys({ secretsKey: Buffer.from(secretsKey, 'base64'), botTokenKeys: [a] });
    expect(await refusal({ secretsKey, botTokenKeys: [a] })).to.equal(undefined);
    expect(await refusal({ secretsKey, botTokenKeys: [b] }))
      .to.contain('BOT_TOKEN_KEYS signed none of its bot tokens. Set BOT_TOKEN_KEYS as before.')
      .and.not.contain('SECRETS_KEY');
    const other = { secretsKey: Buffer.alloc(32, 8).toString('base64') };
    expect(await refusal({ ...other, botTokenKeys: [a] }))
      .to.contain('SECRETS_KEY did not encrypt it. Set SECRETS_KEY as before.')
      .and.not.contain('bot token ');
    await writeFile(file, JSON.stringify({ ...other, botTokenKeys: [a] }));
    expect(await refusal()).to.contain(`SECRETS_KEY did not encrypt it. Bring back ${file}`);
    expect(existsSync(file)).to.equal(true);
  });

  it('Keys of bot tokens may be rotated: one key in common with the start before is enough', async () => {
    const [old, next] = [keyOf('o'), keyOf('n')];
    await acceptKeys({ secretsKey: Buffer.from(secretsKey, 'base64'), botTokenKeys: [old] });
    expect(await refusal({ secretsKey, botTokenKeys: [next, old] })).to.equal(undefined);
    expect(await refusal({ secretsKey, botTokenKeys: [next] })).to.equal(undefined);
    expect(await refusal({ secretsKey, botTokenKeys: [old] })).to.be.a('string');
  });

  it('Keys are stored as fingerprints, which reveal no key', async () => {
    const stored = JSON.stringify(await known().findOne({ _id: 'known_keys' }));
    const { environment } = await world();
    const keys = loadSecretKeys(loadConfig(environment));
    expect(stored).to.not.contain(Buffer.from(keys.secretsKey).toString('base64'));
    for (const { secret } of keys.botTokenKeys) expect(stored).to.not.contain(secret);
  });

  it('The doctor checks the keys of the data', async () => {
    const { environment } = await world();
    const codes = async () =>
      (await keyFaults(loadConfig({ ...environment, DATA_DIR: dataDir }))).map(({ code }) => code);
    expect(await codes()).to.deep.equal(['keys_missing']);
    await writeFile(file, JSON.stringify({ secretsKey, botTokenKeys: [keyOf('x')] }));
    expect(await codes()).to.deep.equal(['keys_wrong']);
    await writeFile(file, '{');
    expect(await codes()).to.deep.equal(['keys_unreadable']);
    expect(await keyFaults(loadConfig(environment))).to.deep.equal([]);
  });
});

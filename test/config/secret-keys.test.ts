import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { ConfigError } from '../../src/lib/start-error.js';

describe('loadSecretKeys', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'rolelink-keys-')), 'made');
  });
  afterEach(() => rmSync(join(dataDir, '..'), { recursive: true }));

  const none = { secretsKey: undefined, botTokenKeys: undefined };
  const given = {
    secretsKey: Buffer.alloc(32, 7).toString('base64'),
    botTokenKeys: [{ kid: 'mine', secret: 'x'.repeat(32) }],
  };

  it('Keys are made once, and no other user of the machine can read them', () => {
    const made = loadSecretKeys({ ...none, dataDir });
    expect(made.secretsKey).to.have.length(32);
    expect(made.botTokenKeys).to.have.length(1);
    expect(made.botTokenKeys[0]?.secret).to.have.length.at.least(43);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).to.equal(0o600);
    expect(loadSecretKeys({ ...none, dataDir })).to.deep.equal(made);
    const elsewhere = loadSecretKeys({ ...none, dataDir: join(dataDir, 'other') });
    expect(elsewhere.secretsKey).not.to.deep.equal(made.secretsKey);
    expect(elsewhere.botTokenKeys).not.to.deep.equal(made.botTokenKeys);
  });

  it('No key is written to disk when both are given', () => {
    const keys = loadSecretKeys({ ...given, dataDir });
    expect(keys).to.deep.equal({ secretsKey: Buffer.alloc(32, 7), botTokenKeys: given.botTokenKeys });
    expect(() => statSync(dataDir)).to.throw('ENOENT');
  });

  it('A missing key is made next to the given one', () => {
    const made = loadSecretKeys({ ...none, dataDir });
    const mixed = loadSecretKeys({ ...none, botTokenKeys: given.botTokenKeys, dataDir });
    expect(mixed).to.deep.equal({ secretsKey: made.secretsKey, botTokenKeys: given.botTokenKeys });
  });

  it('Unreadable keys are reported, and no new ones are made', () => {
    loadSecretKeys({ ...none, dataDir });
    const path = join(dataDir, 'keys.json');
    for (const broken of ['', '{"secretsKey":', '{"secretsKey":"AAAA","botTokenKeys":[]}']) {
      writeFileSync(path, broken);
      expect(() => loadSecretKeys({ ...none, dataDir })).to.throw(ConfigError, path);
      expect(readFileSync(path, 'utf8')).to.equal(broken);
    }
  });
});

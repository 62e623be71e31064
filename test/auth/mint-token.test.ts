import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { api } from '../support/api.js';
import { buildGuild } from '../support/build.js';
import { world } from '../support/world.js';

const program = fileURLToPath(new URL('../../src/auth/mint-token.js', import.meta.url));

/** Runs the command line program as `npm run token` does. */
function runToken(args: string[], env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

describe('npm run token', () => {
  it('prints a token that works at once, beside the running service', async () => {
    const { environment } = await world();
    const { guildId } = await buildGuild();
    const { code, out, err } = await runToken(
      ['--guild', guildId, '--role', 'manager', '--name', 'my site'],
      environment,
    );
    expect(err).to.equal('');
    expect(code).to.equal(0);
    const token = out.trim();
    const { body } = await api(token).get('/api/auth/me');
    expect(body).to.deep.equal({ tokenId: decodeJwt(token).sub, guildId, role: 'manager' });
  });

  it('makes tokens on an embedded database that nobody has open', async () => {
    const { environment } = await world();
    const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-token-'));
    try {
      const env = { ...environment, MONGODB_URI: '', DATA_DIR: dataDir };
      const { code, out } = await runToken(['--guild', '*', '--role', 'viewer', '--name', 'platform'], env);
      expect(code).to.equal(0);
      expect(decodeJwt(out.trim())).to.include({ gid: '*', role: 'viewer' });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('refuses in words, naming every mistake, and makes nothing', async () => {
    const { environment } = await world();
    const { code, out, err } = await runToken(['--guild', 'abc', '--role', 'king'], environment);
    expect(code).to.equal(1);
    expect(out).to.equal('');
    for (const word of ['--guild', '--role', '--name', 'Usage: npm run']) expect(err).to.contain(word);
  });
});

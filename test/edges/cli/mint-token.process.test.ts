import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { api } from '../../support/api.js';
import { buildGuild, tokenFor } from '../../support/build.js';
import { removeFolder } from '../../support/remove-folder.js';
import { world } from '../../support/world.js';

const program = fileURLToPath(new URL('../../../src/edges/cli/mint-token.js', import.meta.url));

/** Runs the command line program as `npm run token` does. */
function runToken(args: string[], env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

describe('npm run token', () => {
  it('npm run token prints a token that works immediately next to the running service, is listed and is logged', async () => {
    const { environment } = await world();
    const { guildId, path, api: owner } = await buildGuild();
    const { code, out, err } = await runToken(
      ['--guild', guildId, '--role', 'manager', '--name', 'my site'],
      environment,
    );
    expect(err).to.equal('');
    expect(code).to.equal(0);
    const token = out.trim();
    expect(token).to.match(/^rlk_eyJ/);
    const { body } = await api(token).get('/api/auth/me');
    const { tokenId } = body;
    const { sub } = decodeJwt(token.slice('rlk_'.length));
    expect(body).to.deep.equal({ kind: 'bot_token', tokenId: sub, guildId, role: 'manager' });
    const listed = (await owner.get(`${path}/tokens`)).body.data;
    const row = listed.find(({ name }: { name: string }) => name === 'my site');
    expect(row).to.include({ tokenId, role: 'manager', createdBy: 'command line' });
    const [entry] = await latestEntries(guildId, 1);
    expect(entry).to.deep.include({ action: 'token.created', target: { kind: 'token', id: tokenId, name: 'my site' } });
    expect(entry?.actor).to.deep.equal({ kind: 'system', id: 'command line', name: 'command line' });
  });

  it('npm run token revokes a token, also one of the platform', async () => {
    const { environment } = await world();
    const token = await tokenFor('*', 'viewer');
    const tokenId = decodeJwt(token.slice('rlk_'.length)).sub ?? '';
    const { code, out } = await runToken(['--revoke', tokenId], environment);
    expect({ code, out }).to.deep.equal({ code: 0, out: 'Revoked: test viewer\n' });
    expect((await api(token).get('/api/auth/me')).status).to.equal(401);
    const again = await runToken(['--revoke', tokenId], environment);
    expect(again).to.include({ code: 1, out: '', err: `There is no token ${tokenId} to revoke.\n` });
  });

  it('npm run token makes tokens on an embedded database that no process has open', async () => {
    const { environment } = await world();
    const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-token-'));
    try {
      const env = { ...environment, MONGODB_URI: '', DATA_DIR: dataDir };
      const { code, out } = await runToken(['--guild', '*', '--role', 'viewer', '--name', 'platform'], env);
      expect(code).to.equal(0);
      expect(decodeJwt(out.trim().slice('rlk_'.length))).to.include({ gid: '*', role: 'viewer' });
    } finally {
      await removeFolder(dataDir);
    }
  });

  it('npm run token refuses wrong options, explains every mistake, and makes nothing', async () => {
    const { environment } = await world();
    const { code, out, err } = await runToken(['--guild', 'abc', '--role', 'king'], environment);
    expect(code).to.equal(1);
    expect(out).to.equal('');
    for (const word of ['--guild', '--role', '--name', 'rolelink token --help']) expect(err).to.contain(word);
  });

  // AUTH-24
  it('npm run token makes a verifier’s token for one server, and none for all servers', async () => {
    const { environment } = await world();
    const { guildId, path } = await buildGuild();
    const wish = ['--role', 'verifier', '--name', 'game'];
    const { out } = await runToken(['--guild', guildId, ...wish], environment);
    const body = { code: 'BCDFGH', gameUserId: '1' };
    const answer = await api(out.trim()).post(`${path}/verification/game-codes/redeem`, body);
    expect(answer.body.code).to.equal('game_code_not_valid');
    for (const role of ['game', 'verifier']) {
      const refused = await runToken(['--guild', '*', '--role', role, '--name', 'game'], environment);
      expect(refused).to.include({ code: 1, out: '' });
      expect(refused.err).to.contain('must be one server');
    }
  });
});

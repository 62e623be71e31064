import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { config } from '../../../src/config/config.js';
import { readDashboard, serveDashboard } from '../../../src/edges/http/pages/dashboard-files.js';
import { root } from '../../structure/source-files.js';
import { api } from '../../support/api.js';
import { removeFolder } from '../../support/remove-folder.js';
import { world } from '../../support/world.js';

const assets = join(root, 'dist/dashboard/assets');
const scripts = (): string[] => readdirSync(assets).filter((name) => name.endsWith('.js'));

/** One request by hand: `fetch` would ask for its own codings and undo them. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { url } = await world();
  const { request } = await import('node:http');
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end();
  });
}

// DASH-3, DASH-4
describe('The files of the dashboard', () => {
  // DASH-2
  it('Paths of pages all get the one shell of the dashboard, and no other path gets it', async () => {
    const shell = await get('/');
    expect(shell.status).to.equal(200);
    expect(shell.body.toString()).to.contain('<div id="root">');
    for (const path of ['/sign-in', '/me', '/g', '/g/1/members?q=x', '/admin', '/admin/guilds']) {
      expect((await get(path)).body.equals(shell.body), path).to.equal(true);
    }
    for (const path of [
      '/nope',
      '/gx',
      '/index.html',
      '/api/nope',
      '/assets/nope.js',
      '/assets/../index.html',
      '/.vite',
    ]) {
      const { status, headers } = await get(path);
      expect([path, status]).to.deep.equal([path, 404]);
      expect(headers['content-type'], path).to.match(/^application\/problem\+json/);
    }
    expect((await get('/', {}, 'POST')).status).to.equal(404);
  });

  // DASH-5
  it('The dashboard allows no script and style but its own, and has Trusted Types on', async () => {
    const { headers } = await get('/g');
    const policy = String(headers['content-security-policy']);
    const pictures = `'self' https://cdn.discordapp.com ${new URL(config().roblox.thumbnailsUrl).origin}`;
    expect(policy.split('; ')).to.include.members([
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "connect-src 'self'"],
      `img-src ${pictures}`,
    ]);
    expect(policy).to.contain("require-trusted-types-for 'script'; trusted-types 'none'").and.not.contain('unsafe');
    expect(headers['cache-control']).to.equal('no-cache');
    expect((await get('/docs')).headers['content-security-policy']).to.contain('sha256-');
  });

  // DASH-151
  it('The letters of every page come from the service, also to pages without scripts', async () => {
    const docs = await get('/docs');
    expect(docs.headers['content-security-policy']).to.contain("font-src 'self'");
    const paths = [...String(docs.body).matchAll(/url\("(\/fonts\/[^"]+)"\)/g)].map(([, path]) => path);
    expect(paths).to.have.length(2);
    for (const path of paths) {
      const { status, headers, body } = await get(String(path));
      expect([status, headers['content-type']]).to.deep.equal([200, 'font/woff2']);
      expect(headers['cache-control']).to.equal('public, max-age=604800');
      expect(body.subarray(0, 4).toString()).to.equal('wOF2');
    }
  });

  it('The dashboard’s files are sent in the coding that the browser accepts, with a header for caches', async () => {
    const path = `/assets/${scripts()[0]}`;
    const plain = await get(path);
    expect(plain.headers['content-encoding']).to.equal(undefined);
    const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).to.deep.equal(['br', 'gzip']);
    expect(brotliDecompressSync(br.body).equals(plain.body)).to.equal(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
    for (const { headers } of [plain, br, gzip]) {
      expect(headers.vary).to.match(/accept-encoding/i);
      expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
      expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
    }
  });

  it('The pictures of the dashboard are sent as they are, and may be kept', async () => {
    const [picture = ''] = readdirSync(assets).filter((name) => name.endsWith('.webp'));
    const { status, headers, body } = await get(`/assets/${picture}`, { 'accept-encoding': 'gzip, br' });
    expect([status, headers['content-type'], headers['content-encoding']]).to.deep.equal([
      200,
      'image/webp',
      undefined,
    ]);
    expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    expect(body.subarray(8, 12).toString()).to.equal('WEBP');
  });

  it('The dashboard’s files are sent neither to a browser that has them nor to HEAD', async () => {
    const { headers } = await get('/');
    const again = await get('/', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.body.length, again.headers.etag]).to.deep.equal([304, 0, headers.etag]);
    expect((await get('/', { 'if-none-match': '"other"' })).status).to.equal(200);
    const head = await get('/', {}, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length']]).to.deep.equal([
      200,
      0,
      headers['content-length'],
    ]);
  });

  it('The dashboard’s files count against no rate limit', async () => {
    const answers = await Promise.all(Array.from({ length: 130 }, () => get('/favicon.svg')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(answers[0]?.headers).to.not.have.property('ratelimit-limit');
    expect((await api().get('/healthz')).status).to.equal(200);
  });

  it('The build of the dashboard holds neither source maps nor its own notes', () => {
    expect(existsSync(join(root, 'dist/dashboard/.vite'))).to.equal(false);
    expect(readdirSync(assets).filter((name) => name.endsWith('.map'))).to.deep.equal([]);
  });

  // API-10, DASH-7
  it('A page that is not built is a 503 that says so and when to come again, and all else is served', async () => {
    const app = new Koa();
    app.use(serveDashboard(new Map()));
    app.use((ctx) => {
      ctx.body = 'else';
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (const path of ['/', '/g/1/members', '/admin']) {
        const answer = await fetch(url + path);
        expect([answer.status, answer.headers.get('retry-after')], path).to.deep.equal([503, '30']);
        expect(await answer.text()).to.contain('npm run build');
      }
      expect(await (await fetch(`${url}/api/info`)).text()).to.equal('else');
    } finally {
      server.close();
    }
  });

  it('A missing build of the dashboard is read as no files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolelink-dashboard-'));
    expect(readDashboard(folder).size).to.equal(0);
    expect(readDashboard(join(folder, 'nowhere')).size).to.equal(0);
    await removeFolder(folder);
  });
});

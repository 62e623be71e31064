import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { world } from '../../support/world.js';

interface Sent {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** Without fetch, which would undo the coding. */
async function get(path: string, headers: Record<string, string>): Promise<Sent> {
  const { url } = await world();
  return await new Promise((resolve, reject) => {
    request(`${url}${path}`, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('The description of the API', () => {
  for (const path of ['/docs', '/api/openapi.json']) {
    it(`${path} sends the API’s description in the coding that the caller takes, at a fraction of its size`, async () => {
      const plain = await get(path, {});
      expect(plain.headers).not.to.have.property('content-encoding');
      const byName = { br: brotliDecompressSync, gzip: gunzipSync };
      for (const coding of ['br', 'gzip'] as const) {
        const { headers, body } = await get(path, { 'accept-encoding': coding });
        expect(headers).to.include({ 'content-encoding': coding, etag: plain.headers.etag });
        expect(headers.vary).to.match(/accept-encoding/i);
        expect(body.length).to.be.below(plain.body.length / 5);
        expect(byName[coding](body).equals(plain.body)).to.equal(true);
      }
    });

    it(`${path} does not send the API’s description again to a caller with the current version`, async () => {
      const { headers } = await get(path, {});
      const again = await get(path, { 'if-none-match': String(headers.etag), 'accept-encoding': 'br' });
      expect([again.status, again.body.length]).to.deep.equal([304, 0]);
      expect((await get(path, { 'if-none-match': '"other"' })).status).to.equal(200);
    });
  }

  it('Browsers may keep the page of the API’s description, but no document below /api', async () => {
    expect((await get('/docs', {})).headers['cache-control']).to.equal('no-cache');
    expect((await get('/api/openapi.json', {})).headers['cache-control']).to.equal('no-store');
  });
});

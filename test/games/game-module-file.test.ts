import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';
import { api } from '../support/api.js';
import { readModule } from './game-server.js';
import { plainLuaOf } from './plain-lua.js';

const read = (name: string): string => readFileSync(`${root}/${name}`, 'utf8');

// GAME-1, GAME-2
describe('The file of the module for games', () => {
  it('The service serves the module of docs/games as plain text without a sign-in, and as a 304 for a known tag', async () => {
    const { status, headers, body } = await api().get('/games/rolelink.luau');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(body).to.equal(await readModule());
    expect(headers.get('cache-control')).to.equal('no-cache');
    const again = await api().get('/games/rolelink.luau', { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.body]).to.deep.equal([304, '']);
  });

  it('The module names the version of the service, in its head and to scripts', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const text = await readModule();
    expect(text.split('\n').slice(0, 3).join()).to.contain(`Rolelink for Roblox games, version ${version}`);
    expect(text).to.contain(`Rolelink.VERSION = "${version}"`);
  });

  it('The image has the module at the place where the service reads it', () => {
    expect(read('Dockerfile')).to.include('\nCOPY docs/games/rolelink.luau docs/games/\n');
    expect(read('.dockerignore')).to.include('\n!docs/games/rolelink.luau\n');
  });

  // GAME-4
  it('The module tells players of no other platform and shows no link', async () => {
    const texts = [...(await readModule()).matchAll(/"([^"\n]*[a-z] [^"\n]*)"/g)].map(([, text = '']) => text);
    expect(texts.length).to.be.greaterThan(10);
    expect(texts.filter((text) => /discord|guilded|twitter/i.test(text))).to.deep.equal([]);
  });

  it('For a plain Lua, the tests take away the types of the module, and keep its lines', () => {
    const luau =
      'export type A = {\n\tb: { string },\n\tc: number?,\n}\n\nfunction A:b(c: Player, d: (A, B?) -> ()): (E?, F)\nend\n';
    expect(plainLuaOf(luau)).to.equal('\n\n\n\n\nfunction A:b(c, d)\nend\n');
  });
});

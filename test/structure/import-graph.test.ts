import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { importCycles, readSources, root, type SourceFile, tooLong } from './source-files.js';

/** From what knows least to what knows most: a file imports, types included, from its own room and those before it. */
const rooms = [
  // Its own package: it imports nothing from the service.
  'client',
  ...['lib', 'config', 'strict-loader'],
  ...['database', 'events', 'jobs', 'discord/rest', 'discord', 'roblox', 'link-sources', 'stripe', 'tracing'].map(
    (room) => `platforms/${room}`,
  ),
  ...['plans', 'actors', 'drafts', 'audit', 'counters', 'guilds', 'groups', 'settings', 'auth', 'access'].map(
    (room) => `core/${room}`,
  ),
  ...['mappings', 'mapping-import', 'members', 'accounts', 'linked-roles', 'billing', 'log-channel', 'rank-watch'].map(
    (room) => `features/${room}`,
  ),
  ...['sync/plan', 'sync/member', 'member-views', 'sync/preview', 'sync/resync'].map((room) => `features/${room}`),
  ...['configuration', 'game-pushes', 'webhooks', 'tokens', 'verification', 'people-import', 'team', 'ranking'].map(
    (room) => `features/${room}`,
  ),
  ...['setup', 'installation', 'me', 'guild-views', 'privacy', 'admin'].map((room) => `features/${room}`),
  ...['http', 'interactions', 'operations', 'cli'].map((room) => `edges/${room}`),
  ...['commands', 'listeners', 'routes'],
  ...['bot-client', 'standing-jobs', 'main'],
];

/**
 * The room that a file stands in: a folder in a wing or in sync, a wing without folders, or the file itself at the top
 * of `src`.
 */
function roomOf(path: string): string {
  const [top = '', wing = '', folder = '', inner = ''] = path.split('/');
  if (top !== 'src') return top;
  if (wing === 'features' && folder === 'sync') return `features/sync/${inner}`;
  if (folder === 'discord' && inner === 'rest') return 'platforms/discord/rest';
  return ['platforms', 'core', 'features', 'edges'].includes(wing) ? `${wing}/${folder}` : wing.replace(/\.ts$/, '');
}

const wingOf = (path: string): string => roomOf(path).split('/')[0] ?? '';

const isLocal = (target: string): boolean => /^(src|commands|listeners|routes)\//.test(target);
const isOf = (name: string) => (target: string) => target === name || target.startsWith(`${name}/`);
const isKoa = (target: string): boolean => /^(koa|@koa\/|koa-)/.test(target);
const isDiscord = (target: string): boolean => /^(discord\.js|discord-api-types|@discordjs\/)/.test(target);

/** Whether an object in this source gets `$push` more than once, by itself or from `push`. */
function pushesTwice(text: string): boolean {
  const pushes = [0];
  for (const [token] of text.matchAll(/[{}]|\$push:|\.\.\.(?:\([^{}]*?&& )?push\([^{}]*?\)(?!\.\$push)/g)) {
    if (token === '{') pushes.push(0);
    else if (token === '}') pushes.pop();
    else if (pushes.push((pushes.pop() ?? 0) + 1) && (pushes.at(-1) ?? 0) > 1) return true;
  }
  return false;
}

describe('The sources', () => {
  const pieces = readSources('commands', 'listeners', 'routes');
  const sources = [...readSources('src'), ...pieces];
  /** `file imports target`, for each import in these files that is not allowed. */
  const offences = (files: readonly SourceFile[], offends: (target: string, from: string) => boolean): string[] =>
    files.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => offends(target, path)).map(({ target }) => `${path} imports ${target}`),
    );

  it('The sources are read whole, and every import of theirs is found', () => {
    expect(sources.length).to.be.greaterThan(150);
    const missing = offences(sources, (target) => isLocal(target) && !existsSync(join(root, target)));
    expect(missing).to.deep.equal([]);
    const main = sources.find(({ path }) => path === 'src/main.ts');
    expect(main?.imports).to.deep.include({ target: 'src/edges/http/http-app.ts', typeOnly: false });
    expect(main?.imports).to.deep.include({ target: 'node:net', typeOnly: true });
  });

  it('Every source is in a room of the order', () => {
    const strays = sources.map(({ path }) => path).filter((path) => !rooms.includes(roomOf(path)));
    expect(strays).to.deep.equal([]);
  });

  it('The sources import in one direction: lib, platforms, core, features, edges, pieces', () => {
    const upwards = offences(
      sources,
      (target, from) => isLocal(target) && rooms.indexOf(roomOf(target)) > rooms.indexOf(roomOf(from)),
    );
    expect(upwards).to.deep.equal([]);
  });

  it('The preview imports nothing of the resync, and the resync nothing of the preview', () => {
    const ofSync = (room: string) => sources.filter(({ path }) => roomOf(path) === `features/sync/${room}`);
    expect(ofSync('preview')).not.to.be.empty;
    const across = offences([...ofSync('preview'), ...ofSync('resync')], (target, from) =>
      isOf(`src/features/sync/${roomOf(from).endsWith('preview') ? 'resync' : 'preview'}`)(target),
    );
    expect(across).to.deep.equal([]);
  });

  it('The service imports nothing of the client for integrators', () => {
    const service = sources.filter(({ path }) => roomOf(path) !== 'client');
    expect(service).to.have.length.below(sources.length);
    expect(offences(service, isOf('src/client'))).to.deep.equal([]);
  });

  it('The sources import one another in no circle', () => {
    expect(importCycles(sources)).to.deep.equal([]);
  });

  it('The sources know Koa at the HTTP edge only, and discord.js at Discord’s platform and edges only', () => {
    const features = sources.filter(({ path }) => ['lib', 'core', 'features'].includes(wingOf(path)));
    expect(offences(features, (target) => isKoa(target) || isDiscord(target))).to.deep.equal([]);
    const apart = sources.filter(({ path }) => !path.startsWith('src/edges/http/'));
    expect(offences(apart, isKoa)).to.deep.equal([]);
    const routes = sources.filter(({ path }) =>
      /^(routes|src\/(edges\/http|platforms\/(roblox|database)))\//.test(path),
    );
    expect(offences(routes, isDiscord)).to.deep.equal([]);
  });

  it('The sources do not know the tests, nor do the tests’ stand-ins know the service', () => {
    expect(offences(sources, isOf('test'))).to.deep.equal([]);
    const standIns = readSources('test/sandbox').filter(({ path }) => !/(-fixture|\.test)\.ts$/.test(path));
    expect(offences(standIns, (target) => isLocal(target) && !isOf('src/lib')(target))).to.deep.equal([]);
  });

  it('The views present purely: their data was read before', () => {
    const views = sources.filter(({ path }) => path.endsWith('-view.ts'));
    expect(views.length).to.be.greaterThan(15);
    const reading = views.filter(({ text }) => /\b(await|async|Promise)\b/.test(text));
    expect(reading.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The sources give an update one `push`: a second one would replace the first', () => {
    const offending = sources.filter(({ text }) => pushesTwice(text)).map(({ path }) => path);
    expect(offending).to.deep.equal([]);
    expect(pushesTwice('update({ $set, ...push(entry), ...(isTold && push(event)) })')).to.equal(true);
    expect(pushesTwice('update({ ...push(entry), $push: { syncs } })')).to.equal(true);
    expect(pushesTwice('update({ $push: { ...push(event).$push, syncs }, ...other({ ...push(entry) }) })')).to.equal(
      false,
    );
  });

  it('The sources ask the clock for the time', () => {
    const others = sources.filter(({ path }) => path !== 'src/lib/clock.ts');
    const readers = others.filter(({ text }) => /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/.test(text));
    expect(readers.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The tests move the time by the clock, and fake no Date', () => {
    const fakers = readSources('test').filter(({ text }) => /useFake[T]imers/.test(text));
    expect(fakers.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The sources read the environment in one place', () => {
    const readers = sources
      .filter(({ text }) =>
        text.replaceAll(/delete process\.env\.\w+|process\.env\.\w+ = /g, '').includes('process.env'),
      )
      .map(({ path }) => path);
    expect(readers).to.deep.equal(['src/config/process-environment.ts']);
  });

  it('The project has only its own folders, so that no commit takes a stray one along', () => {
    const known = /^(commands|docs|listeners|routes|src|test|data|dist.*|node_modules|\..+)$/;
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !known.test(name))).to.deep.equal([]);
  });

  it('The sources are short, or say why not: 300 lines, pieces 60, tests 400', () => {
    const tests = readSources('test');
    expect([...tooLong(sources, 300), ...tooLong(pieces, 60), ...tooLong(tests, 400)]).to.deep.equal([]);
  });

  it('The sources are named after their content', () => {
    const vague = /(^|\/)(index|utils?|helpers?|common|misc|shared|types|constants)(\/|\.ts$)/;
    expect(sources.map(({ path }) => path).filter((path) => vague.test(path))).to.deep.equal([]);
    const strange = sources.filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path.split('/').at(-1) ?? ''));
    expect(strange.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The sources have no default export and no file that only passes on', () => {
    const offending = sources.filter(({ text }) => /^export default/m.test(text) || /^export \* from/m.test(text));
    expect(offending.map(({ path }) => path)).to.deep.equal([]);
  });

  for (const store of ['commands', 'listeners', 'routes'] as const) {
    it(`The sources in ${store}/ are all loaded, one piece each`, () => {
      const loaded = [...container.stores.get(store).values()].map(({ location }) => String(location.full));
      // The framework has its own pieces.
      const ours = loaded.filter((path) => path.startsWith(root) && !path.includes('node_modules'));
      const files = pieces
        .filter(({ path }) => path.startsWith(`${store}/`))
        .map(({ path }) => path.replace(/\.ts$/, '.js'));
      expect(ours).to.have.length(files.length);
      for (const file of files)
        expect(
          ours.filter((path) => path.endsWith(`/${file}`)),
          file,
        ).to.have.length(1);
    });
  }
});

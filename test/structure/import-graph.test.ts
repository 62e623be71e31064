import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { importCycles, readSources, root, type SourceFile } from './source-files.js';

/** From what knows least to what knows most; a file imports from its own layer and those before it. */
const layers = ['lib', 'adapters', 'features', 'edges', 'pieces', 'boot'] as const;
type Layer = (typeof layers)[number];

/** Files whose layer is not that of their folder. */
const layerOfFile: Record<string, Layer> = {
  // Every layer reads the configuration.
  'src/config.ts': 'lib',
  'src/secret-keys.ts': 'lib',
  // Shapes and texts of HTTP that know neither Koa nor any feature: features describe their fields and pages with them.
  'src/http/fields.ts': 'lib',
  'src/http/html.ts': 'lib',
  'src/http/page.ts': 'lib',
  'src/http/answer.ts': 'lib',
  // Texts and their languages, for whoever writes to people on Discord: replies, and posts of features.
  'src/locales/translate.ts': 'lib',
  'src/http/metrics.ts': 'lib',
  // Counters in the database, which a job purges.
  'src/http/rate-limits.ts': 'adapters',
  // Joins the edges' parts.
  'src/client.ts': 'boot',
  'src/main.ts': 'boot',
  'src/strict-loader.ts': 'edges',
  'src/http/print-openapi.ts': 'boot',
};

const layerOfFolder: Record<string, Layer> = {
  lib: 'lib',
  database: 'adapters',
  discord: 'adapters',
  roblox: 'adapters',
  http: 'edges',
  interactions: 'edges',
  locales: 'edges',
  sandbox: 'boot',
};

function layerOf(path: string): Layer {
  const [top, folder = ''] = path.split('/');
  return top === 'src' ? (layerOfFile[path] ?? layerOfFolder[folder] ?? 'features') : 'pieces';
}

const isLocal = (target: string): boolean => /^(src|commands|listeners|routes)\//.test(target);
const isOf = (name: string) => (target: string) => target === name || target.startsWith(`${name}/`);
const isKoa = (target: string): boolean => /^(koa|@koa\/|koa-)/.test(target);
const isDiscord = (target: string): boolean => /^(discord\.js|discord-api-types|@discordjs\/)/.test(target);

describe('the sources', () => {
  const pieces = readSources('commands', 'listeners', 'routes');
  const sources = [...readSources('src'), ...pieces];
  const service = sources.filter(({ path }) => !path.startsWith('src/sandbox/'));
  const sandbox = sources.filter(({ path }) => path.startsWith('src/sandbox/'));

  /** `file imports target`, for each import of these files that is not allowed. */
  const offences = (files: readonly SourceFile[], offends: (target: string, from: string) => boolean): string[] =>
    files.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => offends(target, path)).map(({ target }) => `${path} imports ${target}`),
    );

  it('are read whole, and every import of theirs is found', () => {
    expect(sources.length).to.be.greaterThan(150);
    const missing = offences(sources, (target) => isLocal(target) && !existsSync(join(root, target)));
    expect(missing).to.deep.equal([]);
    const main = sources.find(({ path }) => path === 'src/main.ts');
    expect(main?.imports).to.deep.include({ target: 'src/http/http-app.ts', typeOnly: false });
    expect(main?.imports).to.deep.include({ target: 'node:net', typeOnly: true });
  });

  it('import in one direction: pieces, edges, features, adapters and database, lib', () => {
    // Types leave no arrow at run time: an adapter may give what it translates in the shape that a feature asks for.
    const upwards = service.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => !typeOnly && isLocal(target))
        .filter(({ target }) => layers.indexOf(layerOf(target)) > layers.indexOf(layerOf(path)))
        .map(({ target }) => `${path} (${layerOf(path)}) imports ${target} (${layerOf(target)})`),
    );
    expect(upwards).to.deep.equal([]);
  });

  it('know Koa at the HTTP edge only, and discord.js at Discord’s adapter and edge only', () => {
    const features = service.filter(({ path }) => ['lib', 'features'].includes(layerOf(path)));
    expect(offences(features, (target) => isKoa(target) || isDiscord(target))).to.deep.equal([]);
    const apart = service.filter(({ path }) => !path.startsWith('src/http/'));
    expect(offences(apart, isKoa)).to.deep.equal([]);
    const routes = service.filter(({ path }) => /^(routes|src\/(http|roblox|database))\//.test(path));
    expect(offences(routes, isDiscord)).to.deep.equal([]);
  });

  it('do not know the sandbox, nor the sandbox them', () => {
    expect(offences(service, isOf('src/sandbox'))).to.deep.equal([]);
    // The demo starts the service and its sandboxes, as a person would.
    const standIns = sandbox.filter(({ path }) => !/^src\/sandbox\/demo[\w-]*\.ts$/.test(path));
    const known = (target: string): boolean => isOf('src/sandbox')(target) || isOf('src/lib')(target);
    expect(offences(standIns, (target) => isLocal(target) && !known(target))).to.deep.equal([]);
  });

  it('read the environment in one place', () => {
    const readers = sources
      .filter(({ text }) =>
        text.replaceAll(/delete process\.env\.\w+|process\.env\.\w+ = /g, '').includes('process.env'),
      )
      .map(({ path }) => path);
    // The demo is a command line of its own.
    expect(readers.filter((path) => !path.startsWith('src/sandbox/demo'))).to.deep.equal(['src/config.ts']);
  });

  it('import one another in no circle but the one of members and their syncs', () => {
    const folders = importCycles(sources).map((cycle) => [...new Set(cycle.map((path) => path.split('/')[1]))].sort());
    // Unlinking a member syncs them, and a sync notes what it did with the member.
    for (const circle of folders) expect(['members', 'sync']).to.include.members(circle);
  });

  it('are short: 300 lines, pieces 60, tests 400', () => {
    const tooLong = (files: readonly SourceFile[], limit: number): string[] =>
      files.filter(({ lines }) => lines > limit).map(({ path, lines }) => `${path} has ${lines} lines`);
    const tests = readSources('test');
    expect([...tooLong(sources, 300), ...tooLong(pieces, 60), ...tooLong(tests, 400)]).to.deep.equal([]);
  });

  it('are named after what is in them', () => {
    const vague = /(^|\/)(index|utils?|helpers?|common|misc|shared|types|constants)(\/|\.ts$)/;
    expect(sources.map(({ path }) => path).filter((path) => vague.test(path))).to.deep.equal([]);
    const strange = sources.filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path.split('/').at(-1) ?? ''));
    expect(strange.map(({ path }) => path)).to.deep.equal([]);
  });

  it('have no default export and no file that only passes on', () => {
    const offending = sources.filter(({ text }) => /^export default/m.test(text) || /^export \* from/m.test(text));
    expect(offending.map(({ path }) => path)).to.deep.equal([]);
  });

  for (const store of ['commands', 'listeners', 'routes'] as const) {
    it(`in ${store}/ are all loaded, one piece each`, () => {
      const loaded = [...container.stores.get(store).values()].map(({ location }) => String(location.full));
      // The framework has pieces of its own.
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

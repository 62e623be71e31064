import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { importCycles, readDashboardSources, readSources, root, type SourceFile, tooLong } from './source-files.js';

/** The folders, each importing only from those before it; pages import from no other page. */
const rooms = ['api', 'i18n', 'parts', 'guild', 'frame', 'pages'];
const outside = ['src/client/api-types.ts', 'src/lib/fill-text.ts', 'src/lib/typed-value.ts', 'src/locales/'];

const roomOf = (path: string): string => path.split('/')[2] ?? '';
const pageOf = (path: string): string => path.split('/')[3] ?? '';
const isLocal = (target: string): boolean => target.startsWith('src/');
/** A target as the source that it is: `.js` stands for `.ts` and `.tsx`. */
const sourceOf = (target: string): string =>
  existsSync(join(root, target)) ? target : target.replace(/\.ts$/, '.tsx');

describe('The sources of the dashboard', () => {
  const sources = readDashboardSources();
  const offences = (offends: (target: string, from: SourceFile) => boolean): string[] =>
    sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => isLocal(target) && offends(sourceOf(target), source))
        .map(({ target }) => `${source.path} imports ${target}`),
    );

  it('The dashboard’s sources are read whole, and every import of theirs is found', () => {
    expect(sources.length).to.be.greaterThan(20);
    expect(offences((target) => !existsSync(join(root, target)))).to.deep.equal([]);
  });

  it('The dashboard knows of the service only its API, the languages, and how a text is filled or a value typed', () => {
    const strays = offences(
      (target) => !target.startsWith('src/dashboard/') && !outside.some((known) => target.startsWith(known)),
    );
    expect(strays).to.deep.equal([]);
    const knowing = readSources('src', 'commands', 'listeners', 'routes').filter(({ imports }) =>
      imports.some(({ target }) => target.startsWith('src/dashboard/')),
    );
    expect(knowing.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The dashboard imports in one direction: api and i18n, parts, guild, frame, pages; and no page from another', () => {
    const upwards = offences((target, { path }) => {
      const [from, to] = [rooms.indexOf(roomOf(path)), rooms.indexOf(roomOf(target))];
      const isPair = from <= 1 && to <= 1;
      return from >= 0 && to > from && !isPair;
    });
    expect(upwards).to.deep.equal([]);
    const across = offences(
      (target, { path }) => roomOf(path) === 'pages' && roomOf(target) === 'pages' && pageOf(path) !== pageOf(target),
    );
    expect(across).to.deep.equal([]);
  });

  it('The dashboard’s sources import one another in no circle, types included', () => {
    const resolved = sources.map((source) => ({
      ...source,
      imports: source.imports.map((imported) => ({ ...imported, target: sourceOf(imported.target) })),
    }));
    expect(importCycles(resolved)).to.deep.equal([]);
  });

  it('The dashboard’s sources are short, named after their content, and have no default export', () => {
    expect(tooLong(sources, 300)).to.deep.equal([]);
    const vague = /(^|\/)(index|utils?|helpers?|common|misc|shared|types|constants)(\/|\.tsx?$)/;
    expect(sources.filter(({ path }) => vague.test(path)).map(({ path }) => path)).to.deep.equal([]);
    const strange = sources.filter(({ path }) => !/\/[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(path));
    expect(strange.map(({ path }) => path)).to.deep.equal([]);
    const defaults = sources.filter(({ text }) => /^export default/m.test(text) || /^export \* from/m.test(text));
    expect(defaults.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The dashboard uses no component of Mantine that writes a style element, and no markup as text', () => {
    const forbidden = /\b(AppShell|SimpleGrid|Grid|visibleFrom|hiddenFrom|dangerouslySetInnerHTML|innerHTML)\b/;
    expect(sources.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('The dashboard names no class that its style sheet lacks', () => {
    const missing = sources.flatMap(({ path, text }) => {
      const [, sheet] = /import css from '([^']+\.module\.css)'/.exec(text) ?? [];
      if (sheet === undefined) return [];
      const rules = readFileSync(join(root, dirname(path), sheet), 'utf8');
      const named = [...text.matchAll(/\bcss\.(\w+)/g)].map(([, name = '']) => name);
      return named.filter((name) => !new RegExp(`\\.${name}\\b`).test(rules)).map((name) => `${path}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('Every page is in the route table, in the menu of its server, and in the tests of the browser', () => {
    const read = (path: string) => readFileSync(join(root, path), 'utf8');
    const table = read('src/dashboard/route-table.ts');
    const folders = readdirSync(join(root, 'src/dashboard/pages'), { withFileTypes: true });
    const names = folders.filter((each) => each.isDirectory()).map(({ name }) => name);
    expect(names.filter((name) => !table.includes(`import('./pages/${name}/`))).to.deep.equal([]);
    const ofServer = table.split('createRoute(').flatMap((text) => {
      const [, path] = /getParentRoute: \(\) => guild,\s+path: '([a-z]+)'/.exec(text) ?? [];
      return path !== undefined && /\.\.\.(page|latePage)\(/.test(text) ? path : [];
    });
    expect(ofServer.length).to.be.greaterThan(10);
    const menu = read('src/dashboard/frame/navigation.ts');
    expect(ofServer.filter((path) => !menu.includes(`'/g/$guildId/${path}'`))).to.deep.equal([]);
    const visits = readSources('test/web').map(({ text }) => text);
    const isVisited = (path: string) =>
      visits.some((text) => new RegExp(`(:guild|\\$\\{\\w+(\\.\\w+)?\\}|')/${path}\\b`).test(text));
    expect(ofServer.filter((path) => !isVisited(path))).to.deep.equal([]);
  });

  it('The dashboard asks for the time in one place', () => {
    const readers = sources.filter(({ text }) => /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/.test(text));
    expect(readers.map(({ path }) => path)).to.deep.equal(['src/dashboard/parts/now.ts']);
  });
});

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { paperPaths, readText as read, readPapers, withoutCode } from './papers-read.js';
import { readSources, root } from './source-files.js';

const papers = readPapers(paperPaths);
const headingsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);

/** A heading as the anchor that GitHub makes from it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A paper's sentences that are long enough to say something, in a form that compares. */
function sentencesOf(text: string): string[] {
  const prose = withoutCode(text).replaceAll(/^#(?= )/gm, '');
  const blocks = prose.split(/\n\s*\n|\n\s*(?=[-*] |\d+\. )|\||(?<=[.!?:;])\s/);
  return blocks
    .map((block) => block.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
    .filter((words) => words.length >= 12)
    .map((words) => words.join(' '));
}

describe('The papers', () => {
  const sources = readSources('src', 'commands', 'listeners', 'routes', 'test');

  it('The code cites no other papers than these', () => {
    const strays = sources.filter(({ text }) => /\b[D]ESIGN\b/.test(text));
    expect(strays.map(({ path }) => path)).to.deep.equal([]);
    const named = sources.flatMap(({ text }) => text.match(/\bdocs\/(?:spec\/)?[\w-]+\.md\b/g) ?? []);
    expect([...new Set(named)].filter((path) => !paperPaths.includes(path))).to.deep.equal([]);
  });

  it('The papers name files and folders that are there', () => {
    const ours =
      /(?<![\w/<.-])(?:(?:src|test|docs|commands|listeners|routes)\/(?:[\w-]+\/)*(?:[\w.-]+\.\w+)?(?![\w</-])|\.ci\/run)/g;
    const named = papers.flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/`([^`]+)`/g)]
        .flatMap(([, code = '']) => code.match(ours) ?? [])
        .map((target) => ({ path, target })),
    );
    expect(named.length).to.be.greaterThan(50);
    const missing = named.filter(({ target }) => !existsSync(join(root, target)));
    expect(missing.map(({ path, target }) => `${path} names ${target}`)).to.deep.equal([]);
  });

  it('The papers link to papers and headings that are there', () => {
    const links = papers.flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([link, file = '', anchor = '']) => ({
        ...{ path, link, anchor },
        target: file === '' ? path : normalize(join(dirname(path), file)),
      })),
    );
    expect(links.length).to.be.greaterThan(15);
    const broken = links.filter(({ target, anchor }) => {
      if (!existsSync(join(root, target))) return true;
      return anchor !== '' && !headingsOf(read(target)).map(anchorOf).includes(anchor);
    });
    expect(broken.map(({ path, link }) => `${path} ${link}`)).to.deep.equal([]);
  });

  it('The papers name scripts that npm has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = papers.flatMap(({ text }) => [
      ...[...text.matchAll(/npm run (?:--silent )?([\w-]+(?::\w+)*)/g)].map(([, name = '']) => name),
      ...[...text.matchAll(/npm (start|test)\b/g)].map(([, name = '']) => name),
    ]);
    expect(named).to.include.members(['start', 'test', 'demo', 'token']);
    expect(named.filter((name) => !(name in scripts))).to.deep.equal([]);
  });

  it('The papers name all variables of the environment and no others', () => {
    const known = [...read('src/config/config.ts').matchAll(/^ {4}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name);
    expect(known).to.include.members(['PORT', 'MONGODB_URI', 'STRIPE_API_URL']);
    const explained = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
    expect(explained).to.have.members(known);
    const specified = [...read('docs/spec/environment.md').matchAll(/^\| (.+?) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/[A-Z_]{4,}/g) ?? [],
    );
    expect(specified).to.have.members(known);
    // Variables that only tests use.
    const ofTests = sources.flatMap(({ text }) => [...text.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name));
    const ofRelease = [...read('.github/workflows/release.yml').matchAll(/vars\.(\w+)/g)].map(([, name]) => name);
    const named = papers.flatMap(({ text }) => withoutCode(text).match(/(?<=`)[A-Z][A-Z0-9]*_[A-Z0-9_]+/g) ?? []);
    const all = [...known, ...ofTests, ...ofRelease];
    expect(named.filter((name) => !all.includes(name))).to.deep.equal([]);
  });

  it('The papers say each sentence once', () => {
    const where = new Map<string, string[]>();
    for (const { path, text } of papers) {
      for (const sentence of sentencesOf(text.replaceAll(/^# ?/gm, ''))) {
        where.set(sentence, [...(where.get(sentence) ?? []), path]);
      }
    }
    expect(where.size).to.be.greaterThan(300);
    const repeated = [...where].filter(([, among]) => among.length > 1);
    expect(repeated.map(([sentence, among]) => `${among.join(', ')}: ${sentence}`)).to.deep.equal([]);
  });

  it('The README has at most 150 lines', () => {
    expect(read('README.md').split('\n').length - 1).to.be.at.most(150);
  });
});

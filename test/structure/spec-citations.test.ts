import { expect } from 'chai';
import { paperPaths, readPapers, specPaths } from './papers-read.js';
import { readDashboardSources, readSources } from './source-files.js';

interface Rule {
  /** Such as `SYNC-12`. */
  id: string;
  page: string;
  /** Its first sentence. */
  sentence: string;
}

const longestRule = 25;

/** Rules for those who change the code stand with their other rules. */
const rulePages = [...specPaths, 'CONTRIBUTING.md'];
const rules: Rule[] = readPapers(rulePages).flatMap(({ path, text }) =>
  [...text.matchAll(/^- \*\*([A-Z]+-\d+)\*\* (.+)$/gm)].map(([, id = '', body = '']) => ({
    ...{ id, page: path },
    sentence: body.split(/(?<=[.:])\s+(?=[A-Z`*/…])/)[0] ?? '',
  })),
);
const byId = new Map(rules.map((rule) => [rule.id, rule]));
const prefixes = [...new Set(rules.map(({ id }) => id.replace(/-\d+$/, '')))];
const citation = new RegExp(String.raw`(?<![\w-])(?:${prefixes.join('|')})-\d+(?![\w-])`, 'g');
const citedIn = (text: string): string[] => text.match(citation) ?? [];

describe('The rules of the specification', () => {
  const sources = [...readSources('src', 'commands', 'listeners', 'routes', 'test'), ...readDashboardSources()].filter(
    ({ path }) => !path.startsWith('test/structure/'),
  );
  const cited = sources.flatMap(({ path, text }) => citedIn(text).map((id) => ({ path, id })));

  it('Each rule has a number of its own, and the numbers of a page follow one another', () => {
    expect(rules.length).to.be.greaterThan(500);
    expect(byId.size).to.equal(rules.length);
    for (const path of rulePages) {
      const numbers = rules.filter(({ page }) => page === path).map(({ id }) => Number(id.split('-')[1]));
      expect(numbers, path).to.deep.equal([...numbers].sort((a, b) => a - b));
    }
    const inSpec = rules.filter(({ page }) => specPaths.includes(page));
    const pages = new Map(inSpec.map(({ id, page }) => [`${id.replace(/-\d+$/, '')} ${page}`, page]));
    expect(pages.size, 'a prefix on two pages').to.equal(prefixes.length);
  });

  it('Each rule begins with a sentence of at most 25 words that says must or may', () => {
    const weak = rules.filter(
      ({ sentence }) =>
        sentence.split(/\s+/).length > longestRule ||
        !/\b(?:must|may)\b/.test(sentence) ||
        /^(?:who|whoever|whom|whose|what|whatever)\b/i.test(sentence),
    );
    expect(weak.map(({ id, sentence }) => `${id} ${sentence}`)).to.deep.equal([]);
  });

  it('Each part with rules begins by naming the people who need it', () => {
    const parts = readPapers(specPaths).flatMap(({ path, text }) =>
      text.split(/^(?=#{1,2} )/m).map((part) => ({ path, part, title: part.split('\n')[0] ?? '' })),
    );
    const ruled = parts.filter(({ part }) => /^- \*\*[A-Z]+-\d+\*\*/m.test(part));
    expect(ruled.length).to.be.greaterThan(80);
    const needless = ruled.filter(
      ({ part }) => !/^#.+\n\n\*An? (?:member|admin|owner|integrator|operator)\b.+\.\*\n/.test(part),
    );
    expect(needless.map(({ path, title }) => `${path} ${title}`)).to.deep.equal([]);
  });

  it('A rule says that a request must answer a status, and no paper ends a thought by calling it an example', () => {
    const clumsy = readPapers(paperPaths).flatMap(({ path, text }) =>
      (text.match(/\bmust be [2-5]\d\d\b|\b(?:is|are) an? examples?\./g) ?? []).map((words) => `${path}: ${words}`),
    );
    expect(clumsy).to.deep.equal([]);
  });

  it('Each citation in code, tests and papers names a rule', () => {
    expect(cited.length).to.be.greaterThan(400);
    const inPapers = readPapers(rulePages).flatMap(({ path, text }) => citedIn(text).map((id) => ({ path, id })));
    const unknown = [...cited, ...inPapers].filter(({ id }) => !byId.has(id));
    expect(unknown.map(({ path, id }) => `${path} cites ${id}`)).to.deep.equal([]);
  });

  it('No source cites the specification by the chapters that it had before', () => {
    const old = sources.filter(({ text }) => /\b[S]PEC(?:\.md|\s+\*?\s*§)/.test(text));
    expect(old.map(({ path }) => path)).to.deep.equal([]);
  });

  it('The rules that no test cites are listed', () => {
    const held = new Set(cited.filter(({ path }) => path.startsWith('test/')).map(({ id }) => id));
    const open = rules.filter(({ id }) => !held.has(id)).map(({ id }) => id);
    expect(open.length).to.be.lessThan(rules.length);
    process.stdout.write(
      `      ${open.length} of ${rules.length} rules have no test that cites them: ${open.join(' ')}\n`,
    );
  });
});

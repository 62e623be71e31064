import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readMarkdown } from '../../src/lib/markdown.js';
import { locale } from '../../src/lib/translate.js';

/** docs/privacy.md's hash at its last translation. */
const translatedFrom = 'e5a468c8ba60';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The page made from a text. Its links lead to the web here, since only those are shown with their address. */
async function htmlOf(path: string): Promise<string> {
  const { title, content } = await readMarkdown(read(path).replaceAll('](', '](https://papers/'), '');
  return `<h1>${title}</h1>${content.source}`;
}

/** Headings, paragraphs, lists and tables, in their order. */
const blocksOf = (html: string): string[] => html.match(/<(h[1-3]|p|ul|ol|table)>.*?<\/\1>/gs) ?? [];

/** Such as `ul: li li`, or `table: tr th th tr td td`. */
const shapeOf = (block: string): string =>
  (block.match(/(?<=<)(?:h[1-3]|p|ul|ol|table|tr|th|td|li)(?=>)/g) ?? []).join(' ').replace(' ', ': ');

/** The texts in a block: its cells, its items, or itself. */
const partsOf = (block: string): string[] => block.match(/<(h[1-3]|p|th|td|li)>.*?<\/\1>/gs) ?? [];

/** The parts that are the same in every language, in any order: code, link addresses, and numbers in digits. */
function marksOf(part: string): string {
  const fixed = /<code>.*?<\/code>|(?<=href=").*?(?=")/g;
  const words = part.replaceAll(fixed, '').replaceAll(/<[^>]*>|&[^;]*;/g, '');
  return [...(part.match(fixed) ?? []), ...(words.match(/\d+/g) ?? [])].sort().join(' ');
}

const english = await htmlOf('docs/privacy.md');

describe('The privacy texts', () => {
  it('The English privacy text has not changed since it was translated', () => {
    const now = createHash('sha256').update(english).digest('hex').slice(0, 12);
    const toDo = 'docs/privacy.md says something new: say it in src/locales/*-privacy.md too, then note this here';
    expect(now, toDo).to.equal(translatedFrom);
  });

  it('The image contains the privacy text in every language', () => {
    expect(read('Dockerfile')).to.include('\nCOPY docs/privacy.md docs/\nCOPY src/locales/*-privacy.md src/locales/\n');
  });

  for (const name of locale.options.filter((each) => each !== 'en')) {
    const path = `src/locales/${name}-privacy.md`;

    it(`The privacy text in ${name} has the same headings, lists and tables`, async () => {
      expect(blocksOf(await htmlOf(path)).map(shapeOf), path).to.deep.equal(blocksOf(english).map(shapeOf));
    });

    it(`The privacy text in ${name} has the same code, links and numbers, and no English`, async () => {
      const parts = blocksOf(await htmlOf(path)).flatMap(partsOf);
      for (const [at, original] of blocksOf(english).flatMap(partsOf).entries()) {
        const part = parts[at] ?? '';
        expect(marksOf(part), `${path} on ${original}`).to.equal(marksOf(original));
        expect(part, `still English in ${path}`).not.to.equal(original);
      }
    });
  }
});

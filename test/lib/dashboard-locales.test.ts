import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formsOf, placeholder } from '../../src/lib/fill-text.js';
import { type Locale, locale } from '../../src/lib/translate.js';
import { readDashboardSources } from '../structure/source-files.js';

const readTexts = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../src/dashboard/locales/${path}.json`, import.meta.url), 'utf8'));
const subjects = ['doctor', 'me', 'moving', 'ranking'];
/** All pages' words. */
const textsOf = (name: Locale): Record<string, string> =>
  Object.assign(readTexts(name), ...subjects.map((subject) => readTexts(`${subject}/${name}`)));
const placeholdersOf = (text = ''): Set<string> =>
  new Set([...text.matchAll(placeholder)].map(([, name = '']) => name));
const english = textsOf('en');

describe('The words of the dashboard', () => {
  it('The dashboard uses all its words', () => {
    const source = readDashboardSources()
      .map(({ text }) => text)
      .join('\n');
    // A name that ends in a value is used when its beginning is: `role.${role}`.
    const beginnings = [...source.matchAll(/`([\w.]+)\$\{/g)].map(([, beginning = '']) => beginning);
    const endings = [...source.matchAll(/\$\{\w+(?:\.\w+)*\}(_\w+)`/g)].map(([, ending = '']) => ending);
    const unused = Object.keys(english).filter((key) => {
      if (source.includes(`'${key}'`) || source.includes(`"${key}"`)) return false;
      return (
        !beginnings.some((beginning) => beginning.includes('.') && key.startsWith(beginning)) &&
        !endings.some((ending) => key.endsWith(ending))
      );
    });
    expect(unused).to.deep.equal([]);
  });

  for (const name of locale.options) {
    it(`The dashboard’s ${name} has every word, with its placeholders and the plural forms of the language`, () => {
      const texts = textsOf(name);
      expect(Object.keys(texts)).to.have.members(Object.keys(english));
      const rules = new Intl.PluralRules(name);
      const needed = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
      for (const [key, text] of Object.entries(texts)) {
        expect(placeholdersOf(text), `${name} ${key}`).to.deep.equal(placeholdersOf(english[key]));
        expect(text.replaceAll(placeholder, ''), `${name} ${key}`).to.not.match(/[{}]/);
        for (const [, , forms] of text.matchAll(placeholder)) {
          if (forms !== undefined) expect(new Set(Object.keys(formsOf(forms))), `${name} ${key}`).to.deep.equal(needed);
        }
      }
    });
  }
});

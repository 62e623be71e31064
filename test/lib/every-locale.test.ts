import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formsOf, type Locale, locale, placeholder, type TextKey, t, withLocale } from '../../src/lib/translate.js';

const folder = new URL('../../../src/locales/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');
const textsOf = (name: Locale): Record<string, string> => JSON.parse(read(name));
const placeholdersOf = (text = ''): string[] => [...text.matchAll(placeholder)].map(([, name = '']) => name);

/** English refusals are in words already. */
const refusalsOf = (name: Locale): Record<string, string> =>
  name === 'en' ? {} : JSON.parse(read(`${name}-refusals`));

const english = textsOf('en');
const others = locale.options.filter((name) => name !== 'en');

/** Texts that are the same in every language: names, and what is all placeholders and signs. */
const isWordless = (text: string): boolean => !/\p{L}{2}/u.test(text.replaceAll(/\{\w+\}/g, ''));

describe('the language', () => {
  it('is that of the running code, and English where nobody has said otherwise', async () => {
    const title = () => t('mapping.title');
    expect(title()).to.equal('Mappings');
    const inGerman = withLocale('de', async () => {
      await new Promise(setImmediate);
      return [title(), withLocale('en', title), title()];
    });
    expect(title()).to.equal('Mappings');
    expect(await inGerman).to.deep.equal(['Zuordnungen', 'Mappings', 'Zuordnungen']);
  });

  for (const name of locale.options) {
    it(`${name} has for each plural the forms that it needs, each with its number`, () => {
      const { pluralCategories } = new Intl.PluralRules(name).resolvedOptions();
      const plurals = Object.entries({ ...textsOf(name), ...refusalsOf(name) }).flatMap(([key, text]) =>
        [...text.matchAll(placeholder)].flatMap(([, , forms]) => (forms === undefined ? [] : { key, forms })),
      );
      expect(plurals).to.have.length.above(0);
      for (const { key, forms } of plurals) {
        expect(Object.keys(formsOf(forms)), key).to.have.members(pluralCategories);
        // One form may do without its number ("every hour").
        expect(formsOf(forms).other, key).to.contain('#');
      }
      const broken = Object.entries(textsOf(name)).filter(([, text]) => /[{}]/.test(text.replaceAll(placeholder, '')));
      expect(broken, 'placeholders that nothing fills').to.deep.equal([]);
    });
  }

  for (const name of others) {
    describe(name, () => {
      const texts = textsOf(name);

      it('has every text, and no other', () => {
        const missing = Object.keys(english).filter((key) => !(key in texts));
        expect(missing, `add to ${name}.json`).to.deep.equal([]);
        const unknown = Object.keys(texts).filter((key) => !(key in english));
        expect(unknown, `remove from ${name}.json`).to.deep.equal([]);
      });

      it('has the placeholders of the English texts', () => {
        for (const [key, text] of Object.entries(texts)) {
          expect(new Set(placeholdersOf(text)), key).to.deep.equal(new Set(placeholdersOf(english[key])));
        }
      });

      it('is translated', () => {
        const same = Object.keys(texts).filter((key) => texts[key] === english[key] && !isWordless(english[key] ?? ''));
        // What Discord or Roblox calls the same in both languages.
        expect(same, `still English in ${name}.json`).to.have.members(['settings.nickname', 'sync.nickname']);
      });

      it('fits where Discord shows it', () => {
        for (const [key, text] of Object.entries(texts)) {
          expect(text.length, key).to.be.within(1, /^(command|option)\./.test(key) ? 100 : 1_500);
        }
        const labels: TextKey[] = [
          'verify.done',
          'verify.use_profile_code',
          'verify.form_title',
          'verify.form_username',
        ];
        for (const key of labels) expect(texts[key]?.length, key).to.be.within(1, 45);
      });
    });
  }
});

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Locale, locale, type TextKey, t, withLocale } from '../../src/lib/translate.js';

const folder = new URL('../../../src/locales/', import.meta.url);
const textsOf = (name: Locale): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const placeholdersOf = (text = ''): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

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

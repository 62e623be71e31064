import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formsOf, placeholder } from '../../src/lib/fill-text.js';
import { type Locale, locale, type TextKey, t, withLocale } from '../../src/lib/translate.js';

const folder = new URL('../../../src/locales/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');
const textsOf = (name: Locale): Record<string, string> => JSON.parse(read(name));
const placeholdersOf = (text = ''): string[] => [...text.matchAll(placeholder)].map(([, name = '']) => name);

/** English refusals are in words already. */
const refusalsOf = (name: Locale): Record<string, string> =>
  name === 'en' ? {} : JSON.parse(read(`${name}-refusals`));

const english = textsOf('en');
const others = locale.options.filter((name) => name !== 'en');

/** Terms that Discord or Roblox uses in both languages. */
const sameAsEnglish: Partial<Record<Locale, TextKey[]>> = {
  de: [
    'sync.nickname',
    'settings.nickname',
    'setup.words_text',
    'import.title',
    'import.text_label',
    'permission.Administrator',
    'log_field.name',
    'log_field.nickname',
    'log_kind.panel',
    'log_kind.teammate',
    'log_kind.webhook',
    'log_kind.guild',
  ],
  es: ['log_field.roleIds', 'log_field.plan', 'log_kind.webhook'],
  fr: ['log_field.description', 'log_kind.webhook'],
  pl: ['import.title', 'permission.Administrator', 'log_field.plan'],
  'pt-BR': ['why.rank', 'log_kind.webhook'],
  tr: ['log_field.plan'],
};

const buttons: ReadonlySet<string> = new Set<TextKey>([
  'verify.continue_with_roblox',
  'verify.use_profile_code',
  'verify.update_roles',
  'verify.link_another',
  'verify.done',
  'verify.new_words',
  'verify.try_again',
  'verify.other_username',
  'verify.start_again',
  'unlink.yes',
  'claim.yes',
  'claim.no',
  'transfer.keep',
  'notice.not_me',
  'resync.confirm',
  'resync.cancel',
  'preview.apply',
  'list.next',
  'panel.verify',
  'welcome.set_up',
  'dashboard.open',
  'setup.apply',
  'setup.make_missing',
  'setup.make_verified',
  'setup.change_words',
  'import.apply',
  'config.apply',
  'change.preview',
  'change.resync',
  'change.undo',
]);

/** Texts that are the same in every language: names, and texts with only placeholders and signs. */
const isWordless = (text: string): boolean => !/\p{L}{2}/u.test(text.replaceAll(/\{\w+\}/g, ''));

describe('Languages', () => {
  it('A text is in the language of the running code, and in English where none is set', async () => {
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
    it(`The language ${name} has for each plural the forms that it needs, each with its number`, () => {
      const rules = new Intl.PluralRules(name);
      const needed = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
      const plurals = Object.entries({ ...textsOf(name), ...refusalsOf(name) }).flatMap(([key, text]) =>
        [...text.matchAll(placeholder)].flatMap(([, , forms]) => (forms === undefined ? [] : { key, forms })),
      );
      expect(plurals.length).to.be.above(0);
      for (const { key, forms } of plurals) {
        const { one, ...others } = formsOf(forms);
        expect(new Set(Object.keys({ one, ...others })), key).to.deep.equal(needed);
        // The form for one may do without its number ("every hour").
        for (const form of Object.values(others)) expect(form, key).to.contain('#');
      }
      const broken = Object.entries(textsOf(name)).filter(([, text]) => /[{}]/.test(text.replaceAll(placeholder, '')));
      expect(broken, 'placeholders that nothing fills').to.deep.equal([]);
    });
  }

  for (const name of others) {
    describe(name, () => {
      const texts = textsOf(name);

      it(`The language ${name} has every text, and no other`, () => {
        const missing = Object.keys(english).filter((key) => !(key in texts));
        expect(missing, `add to ${name}.json`).to.deep.equal([]);
        const unknown = Object.keys(texts).filter((key) => !(key in english));
        expect(unknown, `remove from ${name}.json`).to.deep.equal([]);
      });

      it(`The language ${name} has the placeholders of the English texts`, () => {
        for (const [key, text] of Object.entries(texts)) {
          expect(new Set(placeholdersOf(text)), key).to.deep.equal(new Set(placeholdersOf(english[key])));
        }
      });

      it(`The language ${name} is translated, but for texts that are the same in English`, () => {
        const same = Object.keys(texts).filter((key) => texts[key] === english[key] && !isWordless(english[key] ?? ''));
        expect(same, `still English in ${name}.json`).to.have.members(sameAsEnglish[name] ?? []);
      });

      it(`The language ${name} has the refusals that German has, with their placeholders`, () => {
        const [refusals, german] = [refusalsOf(name), refusalsOf('de')];
        expect(Object.keys(refusals), `${name}-refusals.json`).to.have.members(Object.keys(german));
        for (const [code, text] of Object.entries(refusals)) {
          expect(placeholdersOf(text), code).to.have.members(placeholdersOf(german[code]));
        }
      });

      it(`The texts of ${name} fit where Discord shows them`, () => {
        for (const [key, text] of Object.entries(texts)) expect(text.length, key).to.be.within(1, limitOf(key));
        for (const [code, text] of Object.entries(refusalsOf(name))) expect(text.length, code).to.be.within(1, 300);
      });
    });
  }
});

/** Discord's character limit at a text's place; a message has 2,000, values included. */
function limitOf(key: string): number {
  if (key === 'command.account_menu') return 32;
  if (
    /^(verify\.form_(title|username)|import\.(title|text_label|from_which)|setup\.words_(title|heading|text|button|color))$/.test(
      key,
    )
  )
    return 45;
  if (buttons.has(key)) return 80;
  return /^(command|option)\.|^verify\.form_hint$/.test(key) ? 100 : 1_500;
}

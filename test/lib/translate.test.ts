import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { fillText, placeholder } from '../../src/lib/fill-text.js';
import { type TextKey, t, withLocale } from '../../src/lib/translate.js';
import { readSources } from '../structure/source-files.js';

const root = new URL('../../../', import.meta.url);
const texts: Record<string, string> = JSON.parse(readFileSync(new URL('src/locales/en.json', root), 'utf8'));

/** All sources that may use texts, as one string each. */
const sources = readSources('src', 'commands', 'listeners', 'routes').map(({ text }) => text);

/** Every `t` call with a plain key: the key, and its values' names. */
const calls = sources.flatMap((source) =>
  [...source.matchAll(/\bt\(\s*'([\w.]+)'(,\s*\{)?/g)].map(({ 0: start, 1: key = '', 2: values, index }) => ({
    key,
    values: values === undefined ? [] : propertiesFrom(source.slice(index + start.length)),
  })),
);

describe('The texts of Discord replies', () => {
  it('A text gets each placeholder filled, and none in a value', () => {
    expect(t('account.none', { person: '{person}' })).to.equal("{person} doesn't have a Roblox account linked here.");
    const line = t('mapping.line', { name: '', condition: 'verified {roles}', roles: '<@&1>' });
    expect(line).to.equal('verified {roles} → <@&1>');
  });

  it('A text writes numbers and plurals as the language does', () => {
    const more = (count: number) => t('preview.more', { count });
    expect([1, 2, 1234].map(more)).to.deep.equal([
      '… and 1 more member',
      '… and 2 more members',
      '… and 1,234 more members',
    ]);
    expect(withLocale('de', () => [1, 1234].map(more))).to.deep.equal([
      '… und 1 weiteres Mitglied',
      '… und 1.234 weitere Mitglieder',
    ]);
    expect(t('settings.every_hours', { hours: 1 })).to.equal('every hour');
  });

  it('A text may have the plural forms of languages with more than one and other', () => {
    const polish = '{roles, plural, one {# rola} few {# role} many {# ról} other {# roli}} {name}';
    const words = [1, 3, 5, 22].map((roles) => fillText(polish, { roles, name: '{roles}' }, 'pl'));
    expect(words).to.deep.equal(['1 rola {roles}', '3 role {roles}', '5 ról {roles}', '22 role {roles}']);
    expect(fillText('{roles, plural, other {#}} {roles}', {}, 'pl')).to.equal('{roles, plural, other {#}} {roles}');
  });

  it('The service uses all texts of Discord replies', () => {
    const prefixes = sources.flatMap((source) =>
      [...source.matchAll(/`([a-z]\w*\.[\w.]*)\$\{/g)].map(([, prefix = '']) => prefix),
    );
    const unused = Object.keys(texts).filter(
      (key) =>
        !prefixes.some((prefix) => key.startsWith(prefix)) && !sources.some((source) => source.includes(`'${key}'`)),
    );
    expect(unused).to.deep.equal([]);
  });

  it('Each use of a text gives every value that it names, and no other', () => {
    expect(calls.length).to.be.above(50);
    for (const { key, values } of calls) {
      const placeholders = new Set([...(texts[key] ?? '').matchAll(placeholder)].map(([, name]) => name));
      expect(values, key).to.have.members([...placeholders]);
    }
  });

  it('Every text for people has one kind of apostrophe', () => {
    for (const folder of [
      'src/locales',
      'src/dashboard/locales',
      'src/dashboard/locales/doctor',
      'src/dashboard/locales/me',
      'src/dashboard/locales/moving',
      'src/dashboard/locales/ranking',
    ]) {
      for (const file of readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.json')))
        expect(readFileSync(new URL(`${folder}/${file}`, root), 'utf8'), file).to.not.contain('\u2019');
    }
    // The API's words too; the reader of the environment names other quotes to refuse them.
    const others = readSources('src', 'routes').filter(({ path }) => !path.endsWith('secret-texts.ts'));
    expect(others.flatMap(({ path, text }) => (text.includes('\u2019') ? path : []))).to.deep.equal([]);
  });

  it('The English texts fit where Discord shows them', () => {
    const lengthOf = (key: string) => texts[key as TextKey]?.length ?? 0;
    for (const key of Object.keys(texts)) {
      expect(lengthOf(key), key).to.be.within(1, /^(command|option)\./.test(key) ? 100 : 1_500);
    }
  });
});

/** The property names in the object literal that `text` continues: `a, b: f({ c }) }` has a and b. */
function propertiesFrom(text: string): string[] {
  let depth = 0;
  let own = '';
  for (const character of text) {
    if ('})]'.includes(character) && depth === 0) break;
    if ('})]'.includes(character)) depth -= 1;
    if (depth === 0) own += character;
    if ('{(['.includes(character)) depth += 1;
  }
  return own.split(',').flatMap((property) => /^\s*(\w+)/.exec(property)?.[1] ?? []);
}

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { locale as locales } from '../../src/lib/translate.js';
import { dangerousPermissions } from '../../src/platforms/discord/permissions.js';

const textsOf = (locale: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../src/dashboard/locales/${locale}.json`, import.meta.url), 'utf8'));

describe('Words of permissions', () => {
  it('Every permission that makes a role dangerous has words in every language', () => {
    const all = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);
    const names = dangerousPermissions(all);
    expect(names).to.include('ManageMessages');
    for (const locale of locales.options) {
      const texts = textsOf(locale);
      expect(names.filter((name) => !(`permission.${name}` in texts))).to.deep.equal([]);
    }
  });
});

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { fixedValueWords } from '../../src/dashboard/guild/fixed-values.js';

const file = new URL('../../../src/dashboard/locales/en.json', import.meta.url);
const texts: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
const words = (path: string, value: string) =>
  fixedValueWords(path, value, { has: (key) => key in texts, t: (key) => texts[key] ?? key });

describe('The words for fixed values on the dashboard', () => {
  it('A value of the log that is one of a few has the words of its page', () => {
    expect(words('role', 'manager')).to.equal('Manager');
    expect(words('plan', 'pro')).to.equal('Pro');
    expect(words('reason', 'account_age')).to.equal('account too young');
    expect(words('obstacle', 'role_above_bot')).to.equal("is above Rolelink's role");
  });

  it('A state, a consent and the source of an import have words in the log', () => {
    expect(words('state', 'invited')).to.equal('Invited');
    expect(words('state', 'cancelled')).to.equal('Cancelled');
    expect(words('consent', 'given')).to.equal('given');
    expect(words('reason', 'self')).to.equal('by the person');
    expect(words('method', 'game_code')).to.equal('Verified by a code in a Roblox game');
    expect(words('source', 'bloxlink')).to.equal('Bloxlink');
    expect(words('importedFrom', 'list')).to.equal(texts['me.imported_list']);
  });

  it('A value of a setting that is one of a few has the words of its form', () => {
    expect(words('mode', 'observe')).to.equal('Only observe, change nothing');
    expect(words('verification.methods', 'oauth')).to.equal('Signing in to Roblox');
    expect(words('locale', 'de')).to.equal('Deutsch');
  });

  it('A value in the own words of a person has no other words', () => {
    expect(words('reason', 'Spam')).to.equal(undefined);
    expect(words('nickname.template', '{gameUsername}')).to.equal(undefined);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';

const english: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'src/dashboard/locales/doctor/en.json'), 'utf8'),
);
const operations = join(root, 'src/edges/operations');
const checks = readdirSync(operations).filter((name) => /^check-.*\.ts$/.test(name));
const source = [...checks, 'doctor.ts'].map((name) => readFileSync(join(operations, name), 'utf8')).join('\n');

/** The codes that a `by` call names, be it among its first words or, without nesting, its second. */
const codesOf = (by: string): string[] =>
  [...source.matchAll(new RegExp(`\\b(?:${by})\\(([^;]*?)\\)[;,\\]]`, 'gs'))].flatMap(
    ([, said = '']) => said.match(/'[a-z]+(?:_[a-z]+)+'/g)?.map((code) => code.slice(1, -1)) ?? [],
  );

describe('The findings of the set-up check', () => {
  // DASH-19
  it('Every finding of the set-up check has words in the languages of the dashboard', () => {
    const [said, toMend] = [codesOf('ok|off|unknown'), codesOf('warning|fault')];
    expect(said).to.include.members(['disk_ok', 'stripe_off', 'clock_unknown']);
    expect(toMend).to.include.members(['discord_intent_off', 'stripe_key_wrong', 'clock_off']);
    const wanted = [...said, ...toMend].map((code) => `finding.${code}`).concat(toMend.map((code) => `todo.${code}`));
    expect(wanted.filter((key) => !(key in english))).to.deep.equal([]);
    const names = [...source.matchAll(/^ {2}name: '([A-Z][^']*)'/gm)].map(([, name = '']) => `check.${name}`);
    expect(names).to.include('check.Disk');
    expect(names.filter((key) => !(key in english))).to.deep.equal([]);
  });
});

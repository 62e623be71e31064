import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { healthIssue } from '../../src/core/guilds/health-issue.js';
import { remedyOf } from '../../src/dashboard/pages/overview/health-remedy.js';
import { locale as locales } from '../../src/lib/translate.js';

const textsOf = (locale: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../src/dashboard/locales/${locale}.json`, import.meta.url), 'utf8'));

const codes = healthIssue.shape.code.options;
const issue = (code: (typeof codes)[number], parts: object = {}) =>
  ({ code, detail: 'What is wrong.', severity: 'error', ...parts }) as const;

describe('Remedies of health issues', () => {
  it('Every issue of health leads to a place in the dashboard, or has its remedy as text in every language', () => {
    expect(codes.length).to.be.greaterThan(20);
    for (const locale of locales.options) {
      const texts = textsOf(locale);
      for (const code of codes) {
        const remedy = remedyOf(issue(code));
        expect(texts, `${locale} ${code}`).to.include.keys(`health.${code}`, `health_why.${code}`);
        if (remedy !== 'explained') expect(texts, `${locale} ${code}`).to.include.keys(remedy.label);
      }
    }
  });

  it('The remedy is a text if only Discord, Roblox or the operator can fix the issue', () => {
    const told = codes.filter((code) => remedyOf(issue(code)) === 'explained');
    const elsewhere =
      /^(discord_unreachable|discord_calls_wait|missing_\w+|role_above_bot|refused_by_discord|several_roles|other_bot|ranks_stale|rules_unfinished|roblox_\w+|ranking_\w+|universe_key_needed)$/;
    expect(told).to.deep.equal(codes.filter((code) => elsewhere.test(code)));
  });

  it('The remedy of an issue leads to the very thing that it is about', () => {
    const mapping = issue('role_deleted', { mappingIds: ['map_a'] });
    expect(remedyOf(mapping)).to.include({ to: '/g/$guildId/mappings/$mappingId' }).and.to.have.property('params');
    const several = issue('became_dangerous', { mappingIds: ['map_a', 'map_b'] });
    expect(remedyOf(several)).to.deep.include({ to: '/g/$guildId/mappings', search: { only: ['map_a', 'map_b'] } });
    const group = issue('group_missing', { groupId: '7', groupName: 'Rangers', mappingIds: ['map_a'] });
    expect(remedyOf(group)).to.deep.include({ to: '/g/$guildId/groups', hash: 'group-7' });
    const detached = issue('group_missing', { groupId: '7', mappingIds: ['map_a'] });
    expect(remedyOf(detached)).to.deep.include({ params: { mappingId: 'map_a' } });
    const webhook = issue('webhook_disabled', { webhookId: 'whk_a' });
    expect(remedyOf(webhook)).to.deep.include({ params: { webhookId: 'whk_a' } });
    expect(remedyOf(issue('log_channel_unwritable'))).to.deep.include({ hash: 'setting-logChannelId' });
  });

  it('The remedy of a newer service’s code is its own sentence', () => {
    expect(remedyOf({ ...issue('role_deleted'), code: 'of_tomorrow' as 'role_deleted' })).to.equal('explained');
  });
});

import { expect } from 'chai';
import type { AuditAction } from '../../../src/core/audit/audit-actions.js';
import { isTold, lineOf } from '../../../src/features/log-channel/log-channel-text.js';
import { withLocale } from '../../../src/lib/translate.js';

const guildId = '100000000000000001';
const owner = { kind: 'user' as const, id: '100000000000000002', name: 'Olga' };

/** The line of an entry with these changes, as the log channel and /logs show it. */
function line(action: AuditAction, changes: Record<string, { from: unknown; to: unknown }>): string {
  const target = { kind: 'settings', id: guildId };
  const entry = { _id: 'log_1', guildId, at: new Date(), actor: owner, action, target, changes };
  if (!isTold(entry)) throw new Error(`${action} is not told in the log channel.`);
  return lineOf(entry);
}

const settings = (changes: Record<string, { from: unknown; to: unknown }>): string =>
  line('settings.updated', changes).replace(/^.*?: /, '');

describe('The changes in the log channel', () => {
  it('A changed setting has the name and value that the settings page shows', () => {
    expect(settings({ 'verification.enabled': { from: true, to: false } })).to.equal('Members can verify: on → off');
    expect(settings({ 'resync.everyHours': { from: null, to: 6 } })).to.equal('Hours between resyncs: 6');
    expect(settings({ mode: { from: 'observe', to: 'enforce' } })).to.equal(
      'Roles and nicknames: only observed, another bot gives them out → kept in sync',
    );
  });

  it('A changed list of a setting has each of its values in words', () => {
    const methods = { from: ['oauth', 'profile_code'], to: ['oauth'] };
    expect(settings({ 'verification.methods': methods })).to.equal(
      'Verification methods: signing in to Roblox, a code in the Roblox profile → signing in to Roblox',
    );
    expect(settings({ 'restrictions.deniedGroupIds': { from: [], to: ['17', '18'] } })).to.equal(
      'Restrictions (In one of these groups): – → 17, 18',
    );
  });

  it('A changed role or channel is a mention', () => {
    const role = '100000000000000003';
    expect(settings({ 'bypass.keepRoles': { from: [], to: [role] } })).to.equal(
      `Members keep their roles: – → <@&${role}>`,
    );
    expect(settings({ logChannelId: { from: role, to: null } })).to.equal(`Log channel: <#${role}> → –`);
    expect(line('mapping.updated', { roleIds: { from: [role], to: [] } })).to.contain(`Roles: <@&${role}> → –`);
  });

  it('A change reads in the language of the server', () => {
    const changes = { 'verification.enabled': { from: true, to: false }, locale: { from: 'en', to: 'de' } };
    expect(withLocale('de', () => settings(changes))).to.equal(
      'Mitglieder können sich verifizieren: an → aus; Sprache: English → Deutsch',
    );
  });

  it('A field without words keeps its name, and its value is shown as it is', () => {
    expect(settings({ 'someday.new': { from: null, to: { a: 1 } } })).to.equal('someday.new: {"a":1}');
  });
});

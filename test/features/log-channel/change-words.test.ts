import { expect } from 'chai';
import { type AuditAction, auditAction } from '../../../src/core/audit/audit-actions.js';
import { lineOf } from '../../../src/features/log-channel/log-channel-text.js';
import { withLocale } from '../../../src/lib/translate.js';

const guildId = '100000000000000001';
const owner = { kind: 'user' as const, id: '100000000000000002', name: 'Olga' };

/** An entry's line with these changes, as the log channel and /logs show it. */
function line(action: AuditAction, changes: Record<string, { from: unknown; to: unknown }>): string {
  const target = { kind: 'settings', id: guildId };
  return lineOf({ _id: 'log_1', guildId, at: new Date(), actor: owner, action, target, changes });
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

  it('A changed list of a setting shows each of its values as text', () => {
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

  it('An entry that the log channel leaves out has words in /logs too', () => {
    const words = withLocale('de', () => line('panel.posted', {}));
    expect(words).to.equal('<@100000000000000002> hat das Panel gepostet.');
    for (const action of auditAction.options) expect(line(action, {}), action).not.to.contain(action);
  });

  it('A kick and a failed verification show their reason as text', () => {
    const reason = (to: string) => ({ reason: { from: null, to } });
    expect(line('member.kicked', reason('account_age'))).to.contain('(account too young)');
    expect(line('verification.failed', reason('oauth_denied'))).to.contain(': sign-in refused on Roblox');
  });
});

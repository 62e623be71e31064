import { expect } from 'chai';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import type { AuditAction } from '../../../src/core/audit/audit-actions.js';
import { latestEntries, recordAudit } from '../../../src/core/audit/audit-service.js';
import { withLogContext } from '../../../src/lib/logger.js';
import { buildGuild } from '../../support/build.js';

// LOG-2, LOG-3, LOG-7
describe('The log', () => {
  let guildId: string;

  before(async () => {
    ({ guildId } = await buildGuild());
  });

  const target = { kind: 'mapping', id: 'map_1', name: 'Officers' };
  const record = (action: AuditAction, entry: Partial<Parameters<typeof recordAudit>[0]> = {}) =>
    recordAudit({ guildId, actor: chatUser('7', 'Ann'), action, target, ...entry });

  it('The log keeps actor, action, target, time and request', async () => {
    const changes = { name: { from: null, to: 'Officers' }, roleIds: { from: ['1'], to: ['1', '2'] } };
    await withLogContext({ requestId: 'req-1' }, () => record('mapping.updated', { changes }));
    const [entry] = await latestEntries(guildId, 1);
    const { _id, at, ...rest } = entry ?? {};
    expect(_id).to.match(/^log_[0-9a-f]{24}$/);
    expect(at?.getTime()).to.be.closeTo(Date.now(), 60_000);
    expect(rest).to.deep.equal({
      guildId,
      actor: { kind: 'user', id: '7', name: 'Ann' },
      action: 'mapping.updated',
      target,
      changes,
      requestId: 'req-1',
    });
  });

  it('An entry names the interaction or job where there was no request, and nothing where there was neither', async () => {
    await withLogContext({ interactionId: 'int-1', jobId: 'job-1' }, () => record('group.added'));
    await withLogContext({ jobId: 'job-1' }, () => record('role.blocked', { actor: systemActor('retry-syncs') }));
    await record('panel.posted');
    const [third, second, first] = await latestEntries(guildId, 3);
    expect(first).to.include({ action: 'group.added', requestId: 'int-1' });
    expect(second).to.deep.include({ action: 'role.blocked', requestId: 'job-1' });
    expect(second?.actor).to.deep.equal({ kind: 'system', id: 'retry-syncs', name: 'retry-syncs' });
    expect(third).to.include({ action: 'panel.posted' }).and.not.to.have.any.keys('requestId', 'changes');
  });

  it('Each guild has a log of its own, and entries without a guild have one too', async () => {
    const { guildId: other } = await buildGuild();
    await record('session.ended', { guildId: null, target: { kind: 'session', id: other } });
    expect((await latestEntries(other, 10)).map(({ action }) => action)).not.to.include.members(['mapping.updated']);
    expect((await latestEntries(guildId, 10)).map(({ action }) => action)).not.to.include('session.ended');
    const ofNone = (await latestEntries('platform', 10)).find(({ target: { id } }) => id === other);
    expect(ofNone).to.include({ action: 'session.ended', guildId: 'platform' });
  });
});

import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findGuild } from '../../../src/core/guilds/guild-service.js';
import { purgeAuditLog } from '../../../src/core/guilds/log-retention.js';
import type { PlanName } from '../../../src/core/plans/plans.js';
import { buildGuild } from '../../support/build.js';
import { daysAgo, emptyLog, insertEntry } from '../audit/entries-setup.js';

// PLAN-8
describe('The purge of the log', () => {
  let guildId: string;

  beforeEach(async () => {
    ({ guildId } = await buildGuild());
    await emptyLog(guildId);
    for (const days of [1, 29, 31, 89, 91, 364, 366]) await insertEntry(guildId, { at: daysAgo(days) });
  });

  const setPlan = (plan: PlanName) => GuildRecord.updateOne({ _id: guildId }, { $set: { plan } });
  /** The remaining entries' ages, in days, without those that the service writes today. */
  const ages = async (log = guildId) =>
    (await AuditLog.find({ guildId: log }, { sort: { at: -1 } }))
      .map(({ at }) => Math.round((Date.now() - at.getTime()) / 86_400_000))
      .filter((days) => days > 0);
  const inDays = (days: number): Date => daysAgo(-days);

  it('The purge of the log removes exactly the entries that are older than the guild’s plan keeps', async () => {
    const { guildId: neighbour } = await buildGuild();
    await insertEntry(neighbour, { at: daysAgo(300) });
    const kept: [PlanName, number[]][] = [
      ['enterprise', [1, 29, 31, 89, 91, 364]],
      ['pro', [1, 29, 31, 89]],
      ['free', [1, 29]],
    ];
    for (const [plan, expected] of kept) {
      await setPlan(plan);
      await purgeAuditLog(new Date());
      await purgeAuditLog(new Date(Date.now() + 1), AbortSignal.timeout(10_000));
      await forgetGrace();
      await purgeAuditLog(new Date());
      expect(await ages()).to.deep.equal(expected);
    }
    expect(await ages(neighbour)).to.include(300);
  });

  /** As if the plan had been lowered more than a week ago. */
  const forgetGrace = () =>
    GuildRecord.updateOne({ _id: guildId }, { $set: { 'logRetention.shorterFrom': new Date(0) } });

  it('The purge of the log waits for a week after a downgrade', async () => {
    await purgeAuditLog(new Date());
    await setPlan('free');
    await purgeAuditLog(new Date());
    expect(await ages(), 'at once').to.deep.equal([1, 29, 31, 89, 91, 364]);
    await purgeAuditLog(inDays(0.5));
    expect(await ages(), 'before the week is over').to.include(364);
    await forgetGrace();
    await purgeAuditLog(new Date());
    expect(await ages(), 'then').to.deep.equal([1, 29]);
  });

  it('A downgrade that is taken back within the week destroys no log, and the next begins a new week', async () => {
    await purgeAuditLog(new Date());
    await setPlan('free');
    await purgeAuditLog(new Date());
    await setPlan('enterprise');
    await purgeAuditLog(new Date());
    await setPlan('free');
    await purgeAuditLog(new Date());
    expect(await ages()).to.deep.equal([1, 29, 31, 89, 91, 364]);
    const { logRetention } = (await findGuild(guildId)) ?? {};
    expect(logRetention?.days).to.equal(365);
    expect(logRetention?.shorterFrom?.getTime()).to.be.closeTo(inDays(7).getTime(), 10_000);
  });

  // LOG-10
  it('The purge of the log keeps entries without a guild for a year', async () => {
    const [old, young] = [
      await insertEntry('platform', { at: daysAgo(366), action: 'session.ended' }),
      await insertEntry('platform', { at: daysAgo(364), action: 'session.ended' }),
    ];
    await purgeAuditLog(new Date());
    expect(await AuditLog.findOne({ guildId: 'platform', _id: old })).to.equal(null);
    expect(await AuditLog.findOne({ guildId: 'platform', _id: young })).not.to.equal(null);
  });
});

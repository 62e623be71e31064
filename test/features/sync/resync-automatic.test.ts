import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { automaticEveryHours, startDueResyncs } from '../../../src/features/sync/resync/resync-schedule.js';
import { latestResync } from '../../../src/features/sync/resync/resync-service.js';
import { buildResyncGuild, type ResyncGuild, resyncEntries, resyncIn, rolesOf } from './resync-setup.js';
import { setSettings } from './sync-setup.js';

const hourMs = 60 * 60_000;
const never = new AbortController().signal;

/** A guild with one member to change that the bot came to so many hours ago. */
async function buildOld(hours: number, change: object = {}): Promise<ResyncGuild> {
  const guild = await buildResyncGuild({ count: 1, inStep: 0 });
  const joinedAt = new Date(Date.now() - hours * hourMs);
  await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { joinedAt, ...change } });
  return guild;
}

describe('automatic resync', () => {
  it('goes as often as the plan allows, or less if the settings wish', () => {
    const resync = (everyHours: number | null, automatic = true) => ({
      ...defaultSettings,
      resync: { automatic, everyHours },
    });
    expect(automaticEveryHours({ plan: 'free' }, resync(1))).to.equal(null);
    expect(automaticEveryHours({ plan: 'pro' }, resync(null))).to.equal(6);
    expect(automaticEveryHours({ plan: 'pro' }, resync(1))).to.equal(6);
    expect(automaticEveryHours({ plan: 'pro' }, resync(24))).to.equal(24);
    expect(automaticEveryHours({ plan: 'enterprise' }, resync(null))).to.equal(1);
    expect(automaticEveryHours({ plan: 'enterprise' }, resync(null, false))).to.equal(null);
  });

  it('starts by itself when it is due, and not again when somebody looks again', async () => {
    const guild = await buildOld(2);
    await startDueResyncs(new Date(), never);
    const job = await latestResync(guild.guildId);
    expect(job).to.deep.include({ memberIds: null, fixedPlan: false });
    expect(await resyncIn(guild, job?._id ?? '', 'completed')).to.include({ changed: 1 });
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([guild.memberRole]);
    expect((await resyncEntries(guild.guildId))[0]?.actor).to.include({ kind: 'system', id: 'automatic-resync' });
    await startDueResyncs(new Date(Date.now() + 0.9 * hourMs), never);
    expect((await latestResync(guild.guildId))?._id).to.equal(job?._id);
  });

  it('leaves alone who has no plan for it, has switched it off, is suspended or waits longer', async () => {
    const guilds = [
      await buildOld(200, { plan: 'free' }),
      await buildOld(5, { plan: 'pro' }),
      await buildOld(200, { state: 'suspended' }),
      await buildOld(200),
      await buildOld(5),
    ];
    if (guilds[3]) await setSettings(guilds[3], { resync: { automatic: false, everyHours: null } });
    if (guilds[4]) await setSettings(guilds[4], { resync: { automatic: true, everyHours: 6 } });
    await startDueResyncs(new Date(), never);
    for (const guild of guilds) expect(await latestResync(guild.guildId)).to.equal(null);
  });
});

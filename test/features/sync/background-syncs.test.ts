import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { stopBackgroundSyncs, syncSoon } from '../../../src/features/sync/member/background-syncs.js';
import { yieldToInteractive } from '../../../src/features/sync/member/yield-to-interactive.js';
import { foreground } from '../../../src/lib/foreground.js';
import { inLane } from '../../../src/lib/lane.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, mapTo, rankFrom, rolesOf, withoutNicknames } from './sync-setup.js';

describe('Background syncs', () => {
  withPromptSyncs();
  it('A background sync yields before each step while a person is being served, unless a person waits for it', async () => {
    const { roblox } = await world();
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const roleIds = await mapTo(guild, rankFrom(guild, 1));
    const person = await buildSettledMember(guild);
    // Another sync they have, which is no longer pending, would give the role earlier.
    await stopBackgroundSyncs();
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    const served = new AbortController();
    const serving = foreground.serve(() => delay(60_000, undefined, served).catch(() => undefined));
    const asideIn = (lane: 'press' | 'single') => inLane(lane, yieldToInteractive).then(() => lane);
    expect(await Promise.race([asideIn('single'), asideIn('press')])).to.equal('press');
    const startedAt = performance.now();
    syncSoon({ guildId: guild.guildId, chatUserId: person.chatUserId }, 'rank_change');
    await eventually(async () => (await rolesOf(guild, person))?.length, 'the role');
    // Before it reads and before it writes, 100 ms each; the timers' clock may be a little ahead.
    expect(performance.now() - startedAt).to.be.above(190);
    served.abort();
    await serving;
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('Background syncs go by guild in turn: 300 joins in one delay a join in another by a few syncs only', async () => {
    const { discord } = await world();
    const [crowded, quiet] = [await buildGroupGuild(), await buildGroupGuild()];
    for (const guild of [crowded, quiet]) await withoutNicknames(guild);
    await mapTo(crowded, { type: 'unverified' });
    const roleIds = await mapTo(quiet, { type: 'unverified' });
    const crowd = await Promise.all(Array.from({ length: 300 }, () => buildPerson()));
    const person = await buildPerson();
    const here = { guildId: crowded.guildId };
    try {
      for (const { chatUserId } of crowd) discord.join(crowded.guildId, chatUserId);
      await eventually(async () => (await Members.count(here)) === crowd.length, 'the crowd');
      const synced = { ...here, 'syncs.0': { $exists: true } };
      const countSynced = () => Members.acrossGuilds.collection.countDocuments(synced);
      const before = await countSynced();
      discord.join(quiet.guildId, person.chatUserId);
      await eventually(async () => (await findMember(quiet.guildId, person.chatUserId))?.syncs.length, 'the sync');
      expect(await rolesOf(quiet, person)).to.deep.equal(roleIds);
      expect((await countSynced()) - before).to.be.lessThan(40);
    } finally {
      await stopBackgroundSyncs();
      await Members.acrossGuilds.deleteMany(here);
    }
  });
});

import { expect } from 'chai';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { stopBackgroundSyncs } from '../../../src/features/sync/member/background-syncs.js';
import { buildPerson, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, mapTo, rolesOf, withoutNicknames } from './sync-setup.js';

describe('background syncs', () => {
  it('go by guild in turn: 300 joins in one keep somebody who joins another waiting for a few syncs only', async () => {
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

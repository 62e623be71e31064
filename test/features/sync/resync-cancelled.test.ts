import { expect } from 'chai';
import { getMember } from '../../../src/features/members/member-service.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, resyncIn } from './resync-setup.js';

describe('Resyncs that are cancelled while Discord answers', () => {
  for (const [method, rank] of [
    ['PUT', 1],
    ['PATCH', 100],
  ] as const) {
    it(`A resync cancelled during Discord’s answer stores its changes with the member (${method})`, async () => {
      const { discord, roblox } = await world();
      const guild = await buildResyncGuild({ count: 1, inStep: 0 });
      const person = at(guild.people, 0);
      // Their own sync would see the new rank too.
      const settled = async () => (await getMember(guild.guildId, person.chatUserId)).owedSync === undefined;
      await eventually(settled, 'the sync of joining');
      roblox.setRank(guild.groupId, person.gameUserId, rank);
      const match = new RegExp(`^${method} .*/guilds/${guild.guildId}/members/`);
      const write = discord.hold({ match, when: 'after' });
      const { body } = await guild.api.post(`${guild.path}/resync`);
      await write.reached;
      expect((await guild.api.delete(`${guild.path}/resync/${body.jobId}`)).status).to.equal(200);
      write.letGo();
      await resyncIn(guild, body.jobId, 'cancelled');
      const noted = async () => (await getMember(guild.guildId, person.chatUserId)).syncs.at(-1)?.added;
      expect((await eventually(noted, 'the note')).length).to.equal(rank === 1 ? 1 : 2);
      expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.property('applying');
    });
  }
});

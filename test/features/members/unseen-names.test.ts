import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { at } from '../sync/preview-setup.js';
import { buildResyncGuild, resync } from '../sync/resync-setup.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, setSettings, sync } from '../sync/sync-setup.js';

// ROBLOX-11
describe('Discord names that changed unheard', () => {
  withPromptSyncs();
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  /** As if the service had heard about the name before only. */
  const forget = (guildId: string, { chatUserId }: Pick<TestPerson, 'chatUserId'>) =>
    Members.update({ guildId, chatUserId }, { $set: { chatUsername: 'old.name', names: ['old.name'] } });
  const expectKept = async (guildId: string, { chatUserId, username, gameUsername }: TestPerson) => {
    const { chatUsername, names } = await getMember(guildId, chatUserId);
    expect(chatUsername).to.equal(username);
    expect(names).to.have.members([username, gameUsername.toLowerCase()]);
  };

  it('A resync takes a changed Discord name over from its pages, for the list and its search', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    const person = at(guild.people, 0);
    await forget(guild.guildId, person);
    expect(await resync(guild)).to.include({ state: 'completed' });
    await expectKept(guild.guildId, person);
    const { body } = await guild.api.get(`${guild.path}/members?q=${person.username}`);
    expect(body.data.map(({ memberId }: { memberId: string }) => memberId)).to.include(person.chatUserId);
  });

  describe('The Discord name of one member', () => {
    let guild: GroupGuild;
    let person: TestPerson;

    beforeEach(async () => {
      guild = await buildGroupGuild();
      person = await buildSettledMember(guild);
      await forget(guild.guildId, person);
    });

    it('A sync takes a changed Discord name over', async () => {
      await sync(guild, person);
      await expectKept(guild.guildId, person);
    });

    for (const view of ['', '/why']) {
      it(`GET …/members/:memberId${view} takes a changed Discord name over`, async () => {
        expect((await guild.api.get(`${guild.path}/members/${person.chatUserId}${view}`)).status).to.equal(200);
        await expectKept(guild.guildId, person);
      });
    }

    // ROBLOX-12
    it('A changed Discord name enqueues a sync when the nickname contains it', async () => {
      const template = '{gameUsername} ({chatUsername})';
      await setSettings(guild, { nickname: { ...defaultSettings.nickname, template } });
      await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
      const shown = () => discord.member(guild.guildId, person.chatUserId)?.nickname;
      await runPendingSyncs(guild.guildId);
      expect(shown()).to.equal(`${person.gameUsername} (${person.username})`);
    });
  });
});

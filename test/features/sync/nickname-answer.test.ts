import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at, preview } from './preview-setup.js';
import { buildResyncGuild, memberWrites, resync } from './resync-setup.js';
import { buildGroupGuild, buildSettledMember, lastSyncOf, setSettings, sync } from './sync-setup.js';

const invisible = '\u200b';
const nickname = { enabled: true, template: `{gameUsername}${invisible} of us${invisible}` };

// SYNC-19, SYNC-20, SYNC-21
describe('Nicknames that Discord alters', () => {
  withPromptSyncs();
  it('A nickname that Discord alters counts as given, so that syncs, previews and resyncs find it in step', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 1 });
    await setSettings(guild, { nickname });
    const person = at(guild.people, 0);
    const made = `${person.gameUsername} of us`;
    expect(await resync(guild)).to.include({ changed: 1 });
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(made);
    expect(await getMember(guild.guildId, person.chatUserId)).to.include({ givenNickname: made });
    expect(await lastSyncOf(guild, person)).to.include({ nickname: made });
    expect(await resync(guild)).to.include({ changed: 0 });
    expect((await preview(guild)).members).to.deep.equal([]);
    expect(await sync(guild, person)).to.include({ nickname: undefined });
    expect(await memberWrites(guild.guildId)).to.deep.equal(['PATCH']);
  });

  it('A nickname that Discord altered is restored after a change, replaced for another wish, and taken with the link', async () => {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    await setSettings(guild, { nickname });
    const person = await buildSettledMember(guild);
    const { chatUserId, gameUsername } = person;
    const shown = () => discord.member(guild.guildId, chatUserId)?.nickname;
    expect(shown()).to.equal(`${gameUsername} of us`);
    discord.setNickname(guild.guildId, chatUserId, 'Somebody');
    expect(await sync(guild, person)).to.include({ nickname: `${gameUsername} of us` });
    await setSettings(guild, { nickname: { ...nickname, template: '{gameUsername}!' } });
    expect(await sync(guild, person)).to.include({ nickname: `${gameUsername}!` });
    expect(await getMember(guild.guildId, chatUserId)).not.to.have.property('askedNickname');
    await setSettings(guild, { nickname });
    await sync(guild, person);
    await unlinkMember(guild.guild, chatUserId, systemActor('test'));
    await eventually(() => shown() === null, 'the end of the nickname');
  });

  it('A nickname of which Discord leaves nothing is not written again', async () => {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    await setSettings(guild, { nickname: { enabled: true, template: invisible } });
    const person = await buildSettledMember(guild);
    discord.forgetRequests();
    expect(await sync(guild, person)).to.include({ nickname: undefined });
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });
});

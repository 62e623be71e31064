import { expect } from 'chai';
import { sendDueJoinMessages } from '../../../src/edges/interactions/join-message.js';
import { privateWords } from '../../commands/private-answer.js';
import { type Api, asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { heard, listen } from '../events/listening.js';
import { caughtUp, enqueueNow } from '../sync/reconciliation-setup.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom, rolesOf, setSettings } from '../sync/sync-setup.js';
import { askEverywhere, callersOf, expectHidden } from './hidden-walk.js';
import { rolesBecome } from './roles-become.js';

// The service knows the person by a unique Roblox name, and they have not agreed that this server sees it.

// ID-18
describe('People without consent', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let unverified: string;
  let callers: Api[];

  beforeEach(async () => {
    const { roblox, ...rest } = await world();
    ({ discord } = rest);
    guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    await mapTo(guild, rankFrom(guild, 100));
    [unverified = ''] = await mapTo(guild, { type: 'unverified' });
    const { id: logChannelId } = discord.channel(guild.guildId);
    await setSettings(guild, { reveal: 'ask', logChannelId });
    await listen(guild);
    person = await buildPerson({ gameUsername: `Hidden_${guild.guildId.slice(-8)}` });
    await linkPerson(null, person);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    discord.join(guild.guildId, person.chatUserId);
    await rolesBecome(guild, person, [unverified]);
    callers = await callersOf(guild);
  });

  const everywhere = () => askEverywhere(guild, person, person, callers);

  it('No request of the server’s team or tokens sees the account of a person without consent', async () => {
    await everywhere();
    await enqueueNow(guild);
    await caughtUp(guild);
    await everywhere();
    expect(await rolesOf(guild, person)).to.deep.equal([unverified]);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(null);
  });

  it('No command, log, channel or delivery shows the account of a person without consent', async () => {
    const { guildId, ownerId } = guild;
    await sendDueJoinMessages(new AbortController().signal);
    const member = person.chatUserId;
    const asked = [
      discord.command(guildId, ownerId, 'account', { member }),
      discord.command(guildId, ownerId, 'why', { member }),
      discord.command(guildId, ownerId, 'update', {}),
      discord.command(guildId, ownerId, 'preview', {}),
      discord.command(guildId, ownerId, 'logs', {}),
      discord.command(guildId, person.chatUserId, 'update', {}),
    ];
    for (const one of asked) expectHidden(person, await privateWords(one), 'a command');
    await (await asPerson(person)).put(`/api/auth/me/consents/${guildId}`, { shown: false });
    await everywhere();
    for (const message of discord.messages(discord.channel(guildId).id))
      expectHidden(person, message.content, 'the channel');
    const events = await heard(guild, 'role.synced', 'verification.completed', 'member.unlinked');
    expectHidden(person, JSON.stringify(events), 'the events');
  });

  it('A person without consent stays hidden when they prove another account elsewhere', async () => {
    const { gameUserId, gameUsername } = await buildPerson({ gameUsername: `Second_${guild.guildId.slice(-8)}` });
    person = { ...person, gameUserId, gameUsername };
    await linkPerson(null, person);
    await everywhere();
    expect(await heard(guild, 'verification.completed')).to.deep.equal([]);
  });
});

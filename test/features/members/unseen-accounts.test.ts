import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { countsOfPairs } from '../../../src/features/accounts/account-import.js';
import { linkAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { privateWords } from '../../commands/private-answer.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { heard, listen } from '../events/listening.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  setSettings,
} from '../sync/sync-setup.js';
import { askEverywhere, callersOf, expectHidden, type HiddenGame } from './hidden-walk.js';

// The person is linked here by one account, and has another one in use elsewhere. An attacker owns this server.

// ID-95, ID-99
describe('Accounts that a server does not see', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let unseen: HiddenGame;
  let stranger: HiddenGame;
  let verified: string[];
  const actor = () => chatUser(person.chatUserId, person.username);
  const prove = (guildId: string | null, { gameUserId, gameUsername }: HiddenGame) =>
    linkAccount(
      {
        ...{ chatUserId: person.chatUserId, chatUsername: person.username, guildId, method: 'oauth', use: 'here' },
        game: { gameUserId, gameUsername, gameDisplayName: gameUsername },
      },
      actor(),
    );

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    verified = await mapTo(guild, { type: 'verified' });
    const { id: logChannelId } = discord.channel(guild.guildId);
    await setSettings(guild, { logChannelId });
    person = await buildSettledMember(guild);
    await listen(guild);
    unseen = await buildPerson({ gameUsername: `Unseen_${guild.guildId.slice(-8)}` });
    stranger = await buildPerson();
    const elsewhere = await buildGuild();
    await buildMember(elsewhere, { person, linked: false });
    await prove(elsewhere.guildId, unseen);
  });

  it('No request, command, message or event of the server tells of another account', async () => {
    await askEverywhere(guild, person, unseen, await callersOf(guild));
    const { guildId, ownerId } = guild;
    const member = person.chatUserId;
    for (const name of ['account', 'why', 'logs', 'preview']) {
      const options = name === 'account' || name === 'why' ? { member } : {};
      expectHidden(unseen, await privateWords(discord.command(guildId, ownerId, name, options)), name);
    }
    for (const { content } of discord.messages(discord.channel(guildId).id)) expectHidden(unseen, content, 'channel');
    expect(await heard(guild, 'verification.completed', 'member.unlinked')).to.deep.equal([]);
    expectHidden(unseen, JSON.stringify(await heard(guild, 'role.synced')), 'events');
  });

  it('An import that guesses the other account is judged like any stranger’s', async () => {
    const other = (await buildSettledMember(guild, { linked: false })).chatUserId;
    const outcomes = async (chatUserId: string) => {
      const of = async ({ gameUserId }: HiddenGame) =>
        (await countsOfPairs(guild.guildId, [{ chatUserId, gameUserId }])).counts;
      expect(await of(unseen), chatUserId).to.deep.equal(await of(stranger));
    };
    await outcomes(person.chatUserId);
    await outcomes(other);
  });

  it('A restriction of the other account changes nothing about the person', async () => {
    const restrictions = { action: 'refuse_roles' as const, deniedGameUserIds: [unseen.gameUserId] };
    await setSettings(guild, { restrictions: { ...defaultSettings.restrictions, ...restrictions } });
    const { status } = await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`, {});
    expect(status).to.equal(200);
    expect(await rolesOf(guild, person)).to.deep.equal(verified);
  });

  it('The end of another account, and its becoming the main one while this one is chosen, tell the server nothing', async () => {
    await useAccount(actor(), person.gameUserId, { guildIds: [guild.guildId] });
    const before = (await guild.api.get(`${guild.path}/logs`)).body.data.length;
    await useAccount(actor(), person.gameUserId, { main: true });
    await useAccount(actor(), unseen.gameUserId, { main: true });
    await unlinkAccount(person.chatUserId, actor(), 'self', unseen.gameUserId);
    expect((await guild.api.get(`${guild.path}/logs`)).body.data).to.have.length(before);
  });
});

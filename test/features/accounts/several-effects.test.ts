import { expect } from 'chai';
import { type Actor, chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { confirmGoneAccounts } from '../../../src/features/accounts/account-gone.js';
import { Accounts, withoutGame } from '../../../src/features/accounts/account-model.js';
import { refreshNames } from '../../../src/features/accounts/account-names.js';
import { linkAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { settleAccountsLeft } from '../../../src/features/accounts/account-settling.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildMember, skipReconciliations, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { runImport } from '../people-import/import-setup.js';
import { caughtUp, enqueueNow } from '../sync/reconciliation-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  rolesOf,
  sync,
} from '../sync/sync-setup.js';
import { accountEnds } from './account-ends.js';
import { addOther } from './other-account.js';

// Ben's main account is used at home, and his other one by choice in the other server.

const { signal } = new AbortController();
const inHours = (hours: number) => new Date(clock.epochMs() + hours * 3_600_000);

describe('What happens to one of several accounts', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let home: GroupGuild;
  let other: GroupGuild;
  let ben: TestPerson;
  let alt: TestPerson;
  let actor: Actor;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    [home, other] = [await buildGroupGuild(), await buildGroupGuild()];
    ben = await buildSettledMember(home);
    await buildSettledMember(other, { person: ben, linked: false });
    alt = await addOther(ben);
    actor = chatUser(ben.chatUserId, ben.username);
    await useAccount(actor, alt.gameUserId, { guildIds: [other.guildId] });
    await settled();
  });
  afterEach(() => skipReconciliations());

  async function settled(): Promise<void> {
    for (const { guildId } of [home, other]) await runPendingSyncs(guildId);
  }
  const member = ({ guildId }: GroupGuild) => getMember(guildId, ben.chatUserId);
  const used = async () => [(await member(home)).gameUserId, (await member(other)).gameUserId];
  const nicknames = () => [home, other].map(({ guildId }) => discord.member(guildId, ben.chatUserId)?.nickname);
  /** All that the server at home stores about Ben, and its log. */
  const atHome = async () => {
    const { outbox: _, ...stored } = await member(home);
    return [stored, await latestEntries(home.guildId, 50)];
  };

  // ID-98
  it('A new name of an account changes the servers that use it, and no other', async () => {
    const before = await atHome();
    const renamed = `${alt.gameUsername}Anew`;
    roblox.renameUser(alt.gameUserId, renamed);
    await refreshNames(inHours(21), signal);
    await settled();
    expect(nicknames()).to.deep.equal([ben.gameUsername, renamed]);
    expect(await atHome()).to.deep.equal(before);
  });

  // ID-98
  it('Premium of an account gives roles in the servers that use it', async () => {
    roblox.setPremium(alt.gameUserId);
    const [atHomeRole = '', there = ''] = [
      ...(await mapTo(home, { type: 'premium' })),
      ...(await mapTo(other, { type: 'premium' })),
    ];
    await refreshNames(inHours(21), signal);
    for (const guild of [home, other]) await sync(guild, ben);
    expect(await rolesOf(home, ben)).not.to.include(atHomeRole);
    expect(await rolesOf(other, ben)).to.include(there);
  });

  // ID-109
  it('A gone account is gone in the servers that use it, and comes back there', async () => {
    const [officer = ''] = await mapTo(other, rankFrom(other, 100));
    const [officerAtHome = ''] = await mapTo(home, rankFrom(home, 100));
    roblox.setRank(other.groupId, alt.gameUserId, 100);
    roblox.setRank(home.groupId, ben.gameUserId, 100);
    for (const guild of [home, other]) await sync(guild, ben);
    const before = await atHome();
    roblox.setBanned(alt.gameUserId, true);
    await sync(other, ben);
    await confirmGoneAccounts(inHours(1), signal);
    await settled();
    expect(await member(other)).to.have.property('goneSince');
    expect(await rolesOf(other, ben)).to.deep.equal([]);
    expect(await rolesOf(home, ben)).to.deep.equal([officerAtHome]);
    expect(await atHome()).to.deep.equal(before);
    roblox.setBanned(alt.gameUserId, false);
    await refreshNames(inHours(21), signal);
    await settled();
    expect(await rolesOf(other, ben)).to.deep.equal([officer]);
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  // ID-92, ID-109
  it('The undo of an unlink gives back the account that the server used, whichever is the main one by then', async () => {
    const link = `${other.path}/members/${ben.chatUserId}/link`;
    const undo = async () => {
      const { body } = await other.api.post(`${other.path}/members/undo-unlink`, { memberIds: [ben.chatUserId] });
      return body.data[0].reason;
    };
    const before = await atHome();
    await other.api.delete(link);
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
    expect(await undo()).to.equal(null);
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    expect(await atHome()).to.deep.equal(before);

    await other.api.delete(link);
    await addOther(ben).then(({ gameUserId }) => useAccount(actor, gameUserId, { main: true }));
    expect(await undo()).to.equal(null);
    expect((await member(other)).gameUserId).to.equal(alt.gameUserId);

    await other.api.delete(link);
    await unlinkAccount(ben.chatUserId, actor, 'self', alt.gameUserId);
    expect(await undo()).to.equal('acted');
    expect((await member(other)).gameUserId).to.equal(undefined);
  });

  // RESYNC-28, ID-109
  it('A reconciliation links the account that is chosen there, and the main one without a choice', async () => {
    const forgetLink = ({ guildId }: GroupGuild) =>
      Members.update(
        { guildId, chatUserId: ben.chatUserId },
        { $set: { state: 'joined' }, $unset: { gameUserId: 1, gameUsername: 1, gameDisplayName: 1, linkedAt: 1 } },
      );
    for (const guild of [home, other]) {
      await forgetLink(guild);
      await enqueueNow(guild);
      await caughtUp(guild);
    }
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    await forgetLink(other);
    await unlinkAccount(ben.chatUserId, actor, 'self', alt.gameUserId);
    await enqueueNow(other);
    await caughtUp(other);
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
  });

  // ID-99
  it('An import that names another account of a person leaves every server the one that it uses', async () => {
    const pairs = [{ chatUserId: ben.chatUserId, gameUserId: alt.gameUserId }];
    await runImport(home, { people: pairs });
    await settled();
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  // ID-96, ID-109
  it('A chosen account that somebody else proves ends in its server alone, which sees no other one', async () => {
    const before = await atHome();
    const thief = await buildMember(home, { linked: false });
    const { chatUserId, username: chatUsername } = thief;
    const { gameUserId, gameUsername } = alt;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    await linkAccount({ chatUserId, chatUsername, guildId: null, game, method: 'oauth' }, systemActor('test'));
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
    expect((await atHome())[0]).to.deep.equal(before[0]);
  });

  // ENV-17, ID-109
  it('A place without its account after a restore ends the link there, and one that moved to another place ends nothing', async () => {
    const stored = (await Accounts.findOne({ gameUserId: alt.gameUserId }).lean()) ?? expect.fail('no account');
    const { _id, ...account } = withoutGame(stored);
    const settle = () => settleAccountsLeft(inHours(1), signal);
    await Accounts.replaceOne({ _id }, account);
    await Accounts.create({ ...stored, _id: `${ben.chatUserId}@5` });
    await settle();
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    const moved = (await Accounts.findOne({ gameUserId: alt.gameUserId }).lean()) ?? expect.fail('no account');
    const { _id: place, ...lost } = withoutGame(moved);
    await Accounts.replaceOne({ _id: place }, lost);
    await settle();
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
    await accountEnds(place);
  });

  // ENV-17, ID-28
  it('A place without its account after a restore still ends the account that it was about to replace', async () => {
    const stored = (await Accounts.findOne({ gameUserId: alt.gameUserId }).lean()) ?? expect.fail('no account');
    const replaced = await Accounts.findOne({ gameUserId: ben.gameUserId }).lean();
    const actor = { kind: 'user' as const, id: ben.chatUserId, name: 'ben' };
    const mark = { id: 'killed', reason: 'transferred' as const, actor, since: new Date() };
    const owed = { replaces: ben.gameUserId, replacesLinkOf: replaced?.linkedAt ?? expect.fail('no account') };
    const { _id, ...account } = withoutGame({ ...stored, unsettled: { ...mark, ...owed } });
    await Accounts.replaceOne({ _id }, account);
    await settleAccountsLeft(inHours(1), signal);
    expect(await used()).to.deep.equal([undefined, undefined]);
    await accountEnds(_id);
  });
});

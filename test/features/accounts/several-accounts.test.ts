import { expect } from 'chai';
import { type Actor, chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { choicesOf } from '../../../src/features/accounts/account-choices.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { AccountChoiceNeeded } from '../../../src/features/accounts/account-places.js';
import { findAccount, linkAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { settleAccount } from '../../../src/features/accounts/account-settling.js';
import type { AccountUse } from '../../../src/features/accounts/account-use.js';
import { withdrawConsent } from '../../../src/features/accounts/consents.js';
import { ownAccounts, useAccount } from '../../../src/features/accounts/own-accounts.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from '../../support/build.js';
import { heard, listen } from '../events/listening.js';

describe('Several accounts of a person', () => {
  withPromptSyncs();
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let actor: Actor;
  let alt: string;

  const gameOf = (gameUserId: string) => ({ gameUserId, gameUsername: `name${gameUserId}`, gameDisplayName: 'n' });
  const prove = (gameUserId: string, guild: TestGuild | null, use: AccountUse | 'ask', method = 'oauth' as const) =>
    linkAccount(
      {
        ...{ chatUserId: ben.chatUserId, chatUsername: ben.username, guildId: guild?.guildId ?? null },
        ...{ game: gameOf(gameUserId), method, use },
      },
      actor,
    );
  const usedIn = async ({ guildId }: TestGuild) => (await findMember(guildId, ben.chatUserId))?.gameUserId;
  const used = async () => [await usedIn(home), await usedIn(other)];
  const names = async () => (await ownAccounts(ben.chatUserId)).map(({ account }) => account.gameUserId);
  /** The first link's sync may end in the meantime. */
  const logOf = async ({ guildId }: TestGuild) =>
    (await latestEntries(guildId, 50)).filter(({ action }) => action !== 'member.synced');
  const newGame = async () => (await buildPerson()).gameUserId;
  /** The mark that a request writes first to `gameUserId`, and that a kill left. */
  const leave = (gameUserId: string, left: { agoMs?: number; replaces?: string; chosenFor?: string[] }) => {
    const { agoMs = 60_000, ...rest } = left;
    const by = { kind: 'user' as const, id: ben.chatUserId, name: 'ben' };
    const mark = { id: `killed ${gameUserId}`, reason: 'transferred' as const, actor: by };
    const unsettled = { ...mark, since: new Date(Date.now() - agoMs), ...rest };
    return Accounts.updateOne({ gameUserId }, { $set: { unsettled } });
  };

  beforeEach(async () => {
    [home, other] = [await buildGuild(), await buildGuild()];
    ben = await buildMember(home, { linked: false });
    await buildMember(other, { person: ben, linked: false });
    actor = chatUser(ben.chatUserId, ben.username);
    alt = await newGame();
    await prove(ben.gameUserId, home, 'ask');
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
  });

  // VER-35
  it('A proof of another account writes nothing until the person has chosen its use', async () => {
    const refused = await prove(alt, other, 'ask').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AccountChoiceNeeded);
    expect(await names()).to.deep.equal([ben.gameUserId]);
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
    await prove(ben.gameUserId, other, 'ask');
  });

  // ID-93, ID-94, ID-95
  it('An account that is used in one server only changes nothing elsewhere', async () => {
    const events = ['verification.completed', 'member.unlinked'] as const;
    await listen(home, [...events]);
    const before = await logOf(home);
    await prove(alt, other, 'here');
    expect(await used()).to.deep.equal([ben.gameUserId, alt]);
    expect(await names()).to.deep.equal([ben.gameUserId, alt]);
    expect((await findAccount(ben.chatUserId))?.gameUserId).to.equal(ben.gameUserId);
    expect(await logOf(home)).to.deep.equal(before);
    expect(await heard(home, ...events)).to.deep.equal([]);
  });

  // ID-94
  it('A new main account is used in every server without a choice of its own', async () => {
    await prove(alt, other, 'here');
    const third = await newGame();
    await prove(third, null, 'main');
    expect(await used()).to.deep.equal([third, alt]);
    expect(await names()).to.deep.equal([third, ben.gameUserId, alt]);
  });

  // ID-28
  it('A replaced account gives its place to the new one wherever it was used', async () => {
    await prove(alt, other, 'here');
    const third = await newGame();
    await prove(third, other, 'replace');
    expect(await used()).to.deep.equal([ben.gameUserId, third]);
    expect(await names()).to.deep.equal([ben.gameUserId, third]);
    const fourth = await newGame();
    await prove(fourth, home, 'replace');
    expect(await used()).to.deep.equal([fourth, third]);
    expect(await names()).to.deep.equal([fourth, third]);
  });

  it('A replacement by an account that the person has already keeps it once', async () => {
    await prove(alt, other, 'here');
    await prove(alt, home, 'replace');
    expect(await names()).to.deep.equal([alt]);
    expect(await used()).to.deep.equal([alt, alt]);
  });

  it('A replacement ends the account although the clock was set back since it was proved', async () => {
    await prove(alt, other, 'here');
    clock.jump(-hourMs);
    await prove(alt, home, 'replace');
    expect(await names()).to.deep.equal([alt]);
    expect(await used()).to.deep.equal([alt, alt]);
  });

  it('A replacement that a kill left half done is finished, and a later proof of the replaced account stays', async () => {
    await prove(alt, other, 'here');
    await leave(alt, { replaces: ben.gameUserId });
    await settleAccount(ben.chatUserId);
    expect(await names()).to.have.members([ben.gameUserId, alt]);
    await leave(alt, { agoMs: -60_000, replaces: ben.gameUserId });
    await settleAccount(ben.chatUserId);
    expect(await names()).to.deep.equal([alt]);
    expect(await used()).to.deep.equal([alt, alt]);
  });

  it('A replacement that is not finished yet is finished by the next choice or proof of its account', async () => {
    const acts = [() => useAccount(actor, alt, { guildIds: [home.guildId] }), () => prove(alt, null, 'here')];
    await prove(alt, other, 'here');
    for (const act of acts) {
      await leave(alt, { agoMs: -60_000, replaces: ben.gameUserId });
      await act();
      expect(await names()).to.deep.equal([alt]);
      expect(await used()).to.deep.equal([alt, alt]);
      await prove(ben.gameUserId, null, 'here');
    }
  });

  // ID-93
  it('A replacement that a kill left half done is finished when its account ends or is taken first', async () => {
    const ends = [
      () => unlinkAccount(ben.chatUserId, actor, 'self', alt),
      () => unlinkAccount(ben.chatUserId, actor, 'erased', alt),
      async () => {
        const { chatUserId, username: chatUsername } = await buildPerson();
        const theirs = { chatUserId, chatUsername, guildId: null, game: gameOf(alt), method: 'oauth' as const };
        await linkAccount(theirs, chatUser(chatUserId, chatUsername));
      },
    ];
    for (const end of ends) {
      alt = await newGame();
      await prove(alt, other, 'here');
      await leave(alt, { agoMs: -60_000, replaces: ben.gameUserId });
      await end();
      expect(await names()).to.deep.equal([]);
      expect(await used()).to.deep.equal([undefined, undefined]);
      await prove(ben.gameUserId, home, 'here');
    }
  });

  // ID-97
  it('A choice that a kill left half done is finished, unless the person has answered or chosen there since', async () => {
    await prove(alt, null, 'here');
    const third = await newGame();
    await prove(third, null, 'here');
    const chosenFor = [other.guildId];
    await leave(alt, { chosenFor });
    await settleAccount(ben.chatUserId);
    expect(await used()).to.deep.equal([ben.gameUserId, alt]);

    await leave(alt, { chosenFor });
    await useAccount(actor, third, { guildIds: [other.guildId] });
    expect(await used()).to.deep.equal([ben.gameUserId, third]);

    await leave(alt, { chosenFor });
    await withdrawConsent(other.guildId, actor);
    await settleAccount(ben.chatUserId);
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
    expect(await findMember(other.guildId, ben.chatUserId)).to.include({ consent: 'refused' });
  });

  it('A choice that a kill left half done is finished by a later choice or proof of the same account', async () => {
    await prove(alt, null, 'here');
    await leave(alt, { chosenFor: [other.guildId] });
    await useAccount(actor, alt, { guildIds: [home.guildId] });
    expect(await used()).to.deep.equal([alt, alt]);
    await useAccount(actor, ben.gameUserId, { guildIds: [home.guildId, other.guildId] });
    await leave(alt, { agoMs: -60_000, chosenFor: [other.guildId] });
    await prove(alt, home, 'here');
    expect(await used()).to.deep.equal([alt, alt]);
  });

  // ID-96
  it('A server with a chosen account that has ended sees no other one until the person says so', async () => {
    await prove(alt, other, 'here');
    await unlinkAccount(ben.chatUserId, actor, 'self', alt);
    expect(await used()).to.deep.equal([ben.gameUserId, undefined]);
    const third = await newGame();
    await prove(third, null, 'main');
    expect(await used()).to.deep.equal([third, undefined]);
    await useAccount(actor, third, { guildIds: [other.guildId] });
    expect(await used()).to.deep.equal([third, third]);
  });

  it('A removal of all accounts leaves no choice for the next one', async () => {
    await prove(alt, other, 'here');
    await unlinkAccount(ben.chatUserId, actor);
    expect(await used()).to.deep.equal([undefined, undefined]);
    const third = await newGame();
    await prove(third, home, 'ask');
    expect(await used()).to.deep.equal([third, third]);
  });

  // ID-93
  it('A person’s sixth account is refused, and a replacement is not', async () => {
    for (let n = 0; n < 4; n += 1) await prove(await newGame(), null, 'here');
    const sixth = await newGame();
    const refused = await prove(sixth, null, 'here').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'accounts_full' });
    expect((await choicesOf({ ...ben, guildId: null }, sixth)).map(({ refusal }) => refusal)).to.deep.equal([
      'accounts_full',
      'accounts_full',
      null,
    ]);
    await prove(sixth, null, 'replace');
    expect(await names())
      .to.have.length(5)
      .and.include(sixth)
      .and.not.include(ben.gameUserId);
  });

  // VER-35
  it('The choices about another account name the servers that change', async () => {
    await prove(alt, other, 'here');
    const third = await newGame();
    const choices = await choicesOf({ chatUserId: ben.chatUserId, guildId: other.guildId }, third);
    const changes = new Map(
      choices.map(({ use, changes: those }) => [use, those.map(({ guildId }) => guildId).sort()]),
    );
    expect(changes.get('here')).to.deep.equal([other.guildId]);
    expect(changes.get('main')).to.deep.equal([home.guildId, other.guildId].sort());
    expect(changes.get('replace')).to.deep.equal([other.guildId]);
  });

  // ID-9
  it('A transferred account leaves its person the others', async () => {
    await prove(alt, other, 'here');
    const thief = await buildMember(home, { linked: false });
    const { chatUserId, username: chatUsername } = thief;
    const game = gameOf(ben.gameUserId);
    await linkAccount({ chatUserId, chatUsername, guildId: home.guildId, game, method: 'oauth' }, systemActor('test'));
    expect(await names()).to.deep.equal([alt]);
    expect(await used()).to.deep.equal([alt, alt]);
  });

  // ID-94
  it('A server of main accounts takes no other one, and keeps a link from before', async () => {
    await prove(alt, other, 'here');
    for (const { guildId } of [home, other]) await writeSettings(guildId, { ...defaultSettings, accounts: 'main' });
    const refused = await useAccount(actor, alt, { guildIds: [home.guildId] }).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'main_account_required' });
    expect(await used()).to.deep.equal([ben.gameUserId, alt]);
    const third = await newGame();
    const choices = await choicesOf({ chatUserId: ben.chatUserId, guildId: home.guildId }, third);
    expect(choices.map(({ refusal }) => refusal)).to.deep.equal(['main_account_required', null, null]);
    await prove(third, home, 'main');
    expect(await used()).to.deep.equal([third, alt]);
  });

  // RESTR-20
  it('A person with a restricted account comes into no other use there', async () => {
    const restrictions = { ...defaultSettings.restrictions, deniedGameUserIds: [ben.gameUserId] };
    await writeSettings(home.guildId, { ...defaultSettings, restrictions });
    const refused = await prove(alt, null, 'here')
      .then(() => useAccount(actor, alt, { guildIds: [home.guildId] }))
      .catch((error: unknown) => error);
    expect(refused).to.include({ code: 'account_restricted' });
    await useAccount(actor, alt, { main: true });
    expect(await used()).to.deep.equal([ben.gameUserId, alt]);
    await unlinkAccount(ben.chatUserId, actor, 'self', ben.gameUserId);
    expect(await used()).to.deep.equal([alt, alt]);
    await prove(ben.gameUserId, other, 'here');
    expect(await used()).to.deep.equal([undefined, ben.gameUserId]);
  });
});

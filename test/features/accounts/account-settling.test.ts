import { expect } from 'chai';
import mongoose from 'mongoose';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { Accounts, type StoredAccount } from '../../../src/features/accounts/account-model.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { settleAccountsLeft } from '../../../src/features/accounts/account-settling.js';
import { endLink } from '../../../src/features/members/member-links.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { hourMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, type TestPerson } from '../../support/build.js';
import { rolesBecome } from '../members/roles-become.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, retryNow } from '../sync/sync-setup.js';
import { accountEnds } from './account-ends.js';

const by = { kind: 'user' as const, id: '7', name: 'Ann' };
const mark = (reason: 'self' | 'transferred', ageMs = 60_000) => ({
  unsettled: { id: `mark ${Math.random()}`, reason, actor: by, since: new Date(Date.now() - ageMs) },
});
const settle = () => settleAccountsLeft(new Date(Date.now() - 30_000), new AbortController().signal);
const withoutGame = { gameUserId: 1, gameUsername: 1, gameDisplayName: 1, method: 1, linkedAt: 1 } as const;
const storedAccount = ({ chatUserId }: TestPerson) => Accounts.findById(chatUserId).lean<StoredAccount>();

describe('Settling of accounts', () => {
  withPromptSyncs();
  let guilds: [GroupGuild, GroupGuild];
  let verifiedRoles: string[];
  let person: TestPerson;

  beforeEach(async () => {
    guilds = [await buildGroupGuild(), await buildGroupGuild()];
    verifiedRoles = [];
    for (const guild of guilds) verifiedRoles.push(...(await mapTo(guild, { type: 'verified' })));
    person = await buildSettledMember(guilds[0]);
    await buildSettledMember(guilds[1], { person, linked: false });
    await haveRoles(true);
  });

  const haveRoles = (isLinked: boolean) =>
    Promise.all(guilds.map((guild, n) => rolesBecome(guild, person, isLinked ? verifiedRoles.slice(n, n + 1) : [])));

  it('Account settling ends links that an unlinking has not reached, with its actor and reason, and then forgets the account', async () => {
    await Accounts.updateOne({ _id: person.chatUserId }, { $unset: withoutGame, $set: mark('transferred') });
    const first = await getMember(guilds[0].guildId, person.chatUserId);
    await endLink(first, 'transferred', { ...by, role: null, platformAdmin: false });
    await settle();
    await retryNow(guilds[0], person);
    await haveRoles(false);
    for (const { guildId } of guilds) {
      expect(await findMember(guildId, person.chatUserId)).to.include({ state: 'unlinked' });
      const ended = (await latestEntries(guildId, 20)).filter(({ action }) => action === 'member.unlinked');
      expect(ended).to.have.length(1);
      expect(ended[0]?.actor).to.include(by);
      expect(ended[0]?.changes?.reason).to.deep.equal({ from: null, to: 'transferred' });
    }
    await accountEnds(person.chatUserId);
  });

  it('Account settling brings a new game account to the guilds that do not have it yet', async () => {
    const { gameUserId, gameUsername } = await buildPerson();
    const change = { gameUserId, gameUsername, gameDisplayName: gameUsername, ...mark('transferred') };
    await Accounts.updateOne({ _id: person.chatUserId }, { $set: change });
    await settle();
    for (const { guildId } of guilds) {
      expect(await findMember(guildId, person.chatUserId)).to.include({ state: 'linked', gameUserId, gameUsername });
    }
    expect(await storedAccount(person)).not.to.have.property('unsettled');
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId });
  });

  it('Account settling links members of other guilds that a first proof has not reached', async () => {
    const newcomer = await buildSettledMember(guilds[0], { linked: false });
    const { chatUserId, gameUserId, gameUsername } = newcomer;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    await Accounts.create({ _id: chatUserId, ...game, method: 'oauth', linkedAt: new Date(), ...mark('transferred') });
    await settle();
    expect(await findMember(guilds[0].guildId, chatUserId)).to.include({ state: 'linked', gameUserId });
    await rolesBecome(guilds[0], newcomer, verifiedRoles.slice(0, 1));
  });

  it('Account settling leaves changes younger than half a minute to the process that made them', async () => {
    await Accounts.updateOne({ _id: person.chatUserId }, { $unset: withoutGame, $set: mark('self', 10_000) });
    await settle();
    expect(await storedAccount(person)).to.have.property('unsettled');
    expect(await findMember(guilds[1].guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  // SYNC-41
  it('An account that a kill left unsettled while the clock was ahead is settled after the clock was set back', async () => {
    await Accounts.updateOne({ _id: person.chatUserId }, { $unset: withoutGame, $set: mark('self', -2 * hourMs) });
    await mendDueTimes();
    await settleAccountsLeft(new Date(Date.now() + 1_000), new AbortController().signal);
    await haveRoles(false);
    await accountEnds(person.chatUserId);
  });

  it('Account settling continues after an account that cannot be settled, which stays for later', async () => {
    const [broken] = guilds;
    const other = await buildSettledMember(broken, { linked: false });
    const { chatUserId: _id, gameUserId, gameUsername } = other;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    await Accounts.create({ _id, ...game, method: 'oauth', linkedAt: new Date(), ...mark('self', 90_000) });
    const settings = mongoose.connection.collection('settings');
    await settings.updateOne({ guildId: broken.guildId }, { $set: { settings: { locale: 'xx' } } }, { upsert: true });
    await Accounts.updateOne({ _id: person.chatUserId }, { $unset: withoutGame, $set: mark('self') });
    await settle();
    expect(await storedAccount(other)).to.have.property('unsettled');
    await accountEnds(person.chatUserId);
    expect(await findMember(guilds[1].guildId, person.chatUserId)).to.include({ state: 'unlinked' });
    await settings.deleteOne({ guildId: broken.guildId });
    await settle();
    expect(await storedAccount(other)).not.to.have.property('unsettled');
    expect(await findMember(broken.guildId, other.chatUserId)).to.include({ state: 'linked' });
  });
});

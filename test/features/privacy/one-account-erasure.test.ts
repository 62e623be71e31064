import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { refuseImports } from '../../../src/features/accounts/refused-imports.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { ImportRows, rowId } from '../../../src/features/people-import/people-import-model.js';
import { eraseGame } from '../../../src/features/privacy/erasure.js';
import { PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import { createVerification } from '../../../src/features/verification/verification-service.js';
import { clock } from '../../../src/lib/clock.js';
import { asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, sync } from '../sync/sync-setup.js';
import { eraseAll, eraseNow, everythingNaming } from './privacy-setup.js';

// PRIV-13, PRIV-19, PRIV-20
describe('The erasure of one of several accounts', () => {
  let discord: World['discord'];
  let [home, other]: GroupGuild[] = [];
  let person: TestPerson;
  let alt: TestPerson;

  /** Uses the account in a second server, which gives its nickname there. */
  beforeEach(async () => {
    ({ discord } = await world());
    [home, other] = [await buildGroupGuild(), await buildGroupGuild()];
    person = await buildSettledMember(home);
    await linkPerson(null, person);
    await mapTo(other, { type: 'verified' });
    discord.join(other.guildId, person.chatUserId);
    alt = await addOther(person);
    await sync(other, person);
    await useIn(other, alt.gameUserId);
    expect(nicknameIn(other)).to.equal(alt.gameUsername);
  });

  const useIn = async (guild: GroupGuild | undefined, gameUserId: string) => {
    const guildIds = [guild?.guildId ?? ''];
    await useAccount(chatUser(person.chatUserId, person.username), gameUserId, { guildIds });
    await runPendingSyncs(guildIds[0] ?? '');
  };
  const nicknameIn = (guild: GroupGuild | undefined) =>
    discord.member(guild?.guildId ?? '', person.chatUserId)?.nickname;
  const erase = async () => {
    await eraseGame(person.chatUserId, { gameUserId: alt.gameUserId, linkedAt: new Date(0) });
    await eraseAll();
  };
  const exported = async () => (await (await asPerson(person)).get('/api/auth/me/export')).body;

  it('An erased account and the nicknames from it are nowhere, in the log and the syncs of its servers too', async () => {
    if (home === undefined || other === undefined) throw new Error('There is no server.');
    const theirs = { guildId: other.guildId, 'target.id': person.chatUserId };
    expect(await AuditLog.count({ ...theirs, 'changes.nickname.to': alt.gameUsername })).to.equal(1);
    await erase();
    expect(nicknameIn(other)).to.equal(null);
    expect(await everythingNaming(`"${alt.gameUserId}"`, alt.gameUsername)).to.deep.equal([]);
    // What happened with roles is still said, and a server that never used it notices nothing.
    expect(await AuditLog.count({ ...theirs, action: 'member.synced' })).to.be.greaterThan(0);
    const elsewhere = { guildId: home.guildId, 'target.id': person.chatUserId };
    expect(await AuditLog.count({ ...elsewhere, 'changes.nickname.to': person.gameUsername })).to.equal(1);
    expect(await findMember(home.guildId, person.chatUserId)).to.include({ givenNickname: person.gameUsername });
    const { syncs = [] } = (await findMember(other.guildId, person.chatUserId)) ?? {};
    expect(syncs).to.have.length.greaterThan(1);
  });

  it('An account that a server used before is erased there as well', async () => {
    await useIn(other, person.gameUserId);
    expect(nicknameIn(other)).to.equal(person.gameUsername);
    await erase();
    expect(await everythingNaming(`"${alt.gameUserId}"`, alt.gameUsername)).to.deep.equal([]);
    expect(nicknameIn(other)).to.equal(person.gameUsername);
    expect(await findMember(other?.guildId ?? '', person.chatUserId)).to.include({
      state: 'linked',
      givenNickname: person.gameUsername,
    });
  });

  it('An erased account is in no planned change, no import and no verification any more', async () => {
    if (other === undefined) throw new Error('There is no server.');
    const { guildId, api, path } = other;
    discord.setNickname(guildId, person.chatUserId, 'Other');
    await sync(other, await buildSettledMember(other));
    expect((await api.post(`${path}/sync/preview`, {})).status).to.equal(200);
    const byAccount = { chatUserId: person.chatUserId, 'standing.gameUserId': alt.gameUserId };
    expect(await PlannedChanges.acrossGuilds.countDocuments(byAccount)).to.be.greaterThan(0);
    const pair = { chatUserId: person.chatUserId, gameUserId: alt.gameUserId };
    const _id = rowId('pim_1', pair.chatUserId, pair.gameUserId);
    await ImportRows.acrossGuilds.insertMany([{ _id, guildId, importId: 'pim_1', ...pair }]);
    await refuseImports(guildId, pair.chatUserId, pair.gameUserId);
    const { chatUserId, username } = person;
    await createVerification({ guildId: null, method: 'oauth', chatUserId }, chatUser(chatUserId, username));
    const connected = [{ gameUserId: alt.gameUserId, name: alt.gameUsername }];
    await Verifications.updateOne({ chatUserId: person.chatUserId }, { $set: { connected } });
    await erase();
    expect(await everythingNaming(alt.gameUserId, alt.gameUsername)).to.deep.equal([]);
  });

  it('A person’s export says in words that the account chosen for a server was erased, and shows no false id', async () => {
    const chosen = async () => {
      const { memberships } = await exported();
      return memberships.find(({ guildId }: { guildId: string }) => guildId === other?.guildId);
    };
    expect(await chosen()).to.include({ chosenGameUserId: alt.gameUserId, choiceErased: null });
    await erase();
    expect(await chosen()).to.include({ chosenGameUserId: null, choiceErased: true });
    await useIn(other, person.gameUserId);
    expect(await chosen()).to.include({ chosenGameUserId: person.gameUserId, choiceErased: null });
  });

  it('An erasure of one account waits for the syncs of its servers before it clears the log', async () => {
    if (other === undefined) throw new Error('There is no server.');
    const where = { guildId: other.guildId, chatUserId: person.chatUserId };
    discord.inject({ match: new RegExp(`/guilds/${other.guildId}/members/`), status: 503 });
    await eraseGame(person.chatUserId, { gameUserId: alt.gameUserId, linkedAt: new Date(0) });
    await eraseNow();
    expect((await Members.findOne(where))?.owedSync).to.not.equal(undefined);
    expect(await AuditLog.count({ guildId: other.guildId, 'changes.nickname.to': alt.gameUsername })).to.equal(1);
    discord.clearFaults();
    clock.advance(60_000);
    await eraseAll();
    clock.restore();
    expect(await everythingNaming(`"${alt.gameUserId}"`, alt.gameUsername)).to.deep.equal([]);
  });
});

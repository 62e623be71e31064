import { expect } from 'chai';
import { trusted } from 'mongoose';
import sinon from 'sinon';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { newEntry } from '../../../src/core/audit/audit-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { goOnErasing } from '../../../src/features/privacy/erasure.js';
import { openErasures, storeErasure } from '../../../src/features/privacy/erasure-store.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { startResync } from '../../../src/features/sync/resync/resync-service.js';
import { callerOfBotToken, mintBotToken } from '../../../src/features/tokens/bot-tokens.js';
import { createVerification } from '../../../src/features/verification/verification-service.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { push } from '../../../src/platforms/events/outbox.js';
import { startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { plannedRuns } from '../../../src/platforms/jobs/runs.js';
import { signIn } from '../../support/api.js';
import { emptyOutboxes, withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  setSettings,
} from '../sync/sync-setup.js';
import { eraseAll, eraseNow, everythingNaming } from './privacy-setup.js';

const path = '/api/auth/me';

let discord: World['discord'];
let guild: GroupGuild;
let verified: string;
let person: TestPerson;
const member = () => findMember(guild.guildId, person.chatUserId);

const erase = async () => {
  const answer = await (await signIn(person.chatUserId)).delete(path);
  expect(answer.status).to.equal(202);
  return answer;
};

/** Registers hooks: each test gets a guild with a verified person that has a role. */
function usePerson(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild);
  });
}

// PRIV-1, PRIV-2, PRIV-3
describe('Erasure of a person', () => {
  usePerson();

  // PRIV-4
  it('An erasure never ends a link that was proved after the request, even while it reads the account', async () => {
    await storeErasure(person.chatUserId, person.username);
    const { gameUserId, gameUsername } = await buildPerson();
    const read = sinon.stub(Accounts, 'updateOne').callsFake((...change: Parameters<typeof Accounts.updateOne>) => {
      read.restore();
      // The erasure has read the account, and is about to end its link.
      const proof = linkPerson(null, { ...person, gameUserId, gameUsername });
      const late = proof.then(() => Accounts.updateOne(...change));
      return late as unknown as ReturnType<typeof Accounts.updateOne>;
    });
    try {
      await eraseAll();
    } finally {
      read.restore();
    }
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId });
  });

  it('An erasure immediately signs the person out everywhere', async () => {
    const [here, there] = [await signIn(person.chatUserId), await signIn(person.chatUserId)];
    const { status, headers } = await here.delete(path);
    expect(status).to.equal(202);
    expect(headers.getSetCookie()[0]).to.match(/^rolelink_session=; .*Max-Age=0/);
    for (const session of [here, there]) expect((await session.get(path)).status).to.equal(401);
    await eraseAll();
  });

  it('An erasure is done once for each request, also by simultaneous runs', async () => {
    const { chatUserId, username } = await buildPerson();
    const { pseudonym } = await storeErasure(chatUserId, username);
    const { signal } = new AbortController();
    await Promise.all([goOnErasing(signal), goOnErasing(signal), goOnErasing(signal)]);
    const told = await AuditLog.find({ guildId: 'platform', action: 'account.erased', 'target.id': pseudonym });
    expect(told).to.have.length(1);
  });

  it('An erasure is for people alone, and works for people without stored data', async () => {
    expect((await guild.api.delete(path)).body.code).to.equal('forbidden');
    const nobody = await buildPerson();
    expect((await (await signIn(nobody.chatUserId)).delete(path)).status).to.equal(202);
    await eraseAll();
    expect(await everythingNaming(nobody.chatUserId)).to.deep.equal([]);
  });
});

describe('Traces of an erased person', () => {
  usePerson();

  it('An erased person is named nowhere, though the erasure had to stop before the log had all entries', async () => {
    const { chatUserId, username } = person;
    await storeErasure(chatUserId, username);
    const target = { kind: 'mapping', id: 'map_1' };
    const entry = newEntry({
      guildId: guild.guildId,
      actor: chatUser(chatUserId, username),
      action: 'mapping.removed',
      target,
    });
    // As a killed process leaves it.
    await GuildRecord.updateOne({ _id: guild.guildId }, push(entry));
    let asked = 0;
    const stopping = {
      get aborted() {
        asked += 1;
        return asked > 1;
      },
    };
    await goOnErasing(stopping as AbortSignal);
    await emptyOutboxes();
    await eraseAll();
    expect(await everythingNaming(chatUserId)).to.deep.equal([]);
    const told = await AuditLog.findOne({ guildId: guild.guildId, _id: entry.id });
    expect(told?.actor.id).to.match(/^erased_/);
  });

  it('An erasure leaves the person in no resync that is not done yet', async () => {
    const { chatUserId, username } = person;
    const { chatUserId: other } = await buildSettledMember(guild);
    const by = { ...chatUser(guild.ownerId, 'owner'), role: 'manager' } as const;
    await stopJobs();
    try {
      await startResync(guild.guild, by, { memberIds: [chatUserId, other] });
      await erase();
      await eraseAll();
    } finally {
      await startJobs();
    }
    const job = () => Plans.findOne({ guildId: guild.guildId, kind: 'part' });
    await eventually(async () => (await job())?.state === 'completed', 'its end');
    expect((await job())?.memberIds).to.deep.equal([other]);
    const left = await everythingNaming(chatUserId, `"${username}"`);
    expect(left.filter((text) => !text.startsWith('webhook_deliveries'))).to.deep.equal([]);
  });

  for (const [setBackMs, when] of [
    [0, ''],
    [hourMs, ' by a clock that was set back since'],
  ] as const) {
    it(`An erasure takes the roles back${when} and leaves nothing that names the person but pseudonyms`, async () => {
      const other = await buildGuild();
      await buildMember(other, { person });
      const { chatUserId, username, gameUserId } = person;
      const me = chatUser(chatUserId, username);
      await createVerification({ guildId: guild.guildId, method: 'profile_code', chatUserId }, me);
      await startResync(guild.guild, { ...me, role: 'manager' }, { memberIds: [chatUserId] });
      const token = { guildId: guild.guildId, role: 'viewer', name: 'integration', createdBy: chatUserId } as const;
      const { text } = await mintBotToken(token);
      const { chatUserId: friend } = await buildPerson();
      const row = { guildId: guild.guildId, role: 'viewer', state: 'active', invitedAt: new Date() } as const;
      await Teammates.insert({ ...row, chatUserId, username, invitedBy: guild.ownerId });
      await Teammates.insert({ ...row, chatUserId: friend, username: 'friend', invitedBy: chatUserId });
      expect(await rolesOf(guild, person)).to.deep.equal([verified]);
      expect((await everythingNaming(chatUserId)).length).to.be.greaterThan(8);

      clock.jump(-setBackMs);
      await erase();
      await eraseAll();
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      expect(discord.member(guild.guildId, chatUserId)?.nickname).to.equal(null);
      const left = await everythingNaming(chatUserId, gameUserId, `"${username}"`);
      expect(left.filter((text) => !text.startsWith('webhook_deliveries'))).to.deep.equal([]);
      expect((await Teammates.findOne({ guildId: guild.guildId, chatUserId: friend }))?.invitedBy).to.match(/^erased_/);
      const refused = await callerOfBotToken(text).then(() => 'taken', String);
      expect(refused).to.contain('revoked');
      const entries = await AuditLog.find({ guildId: guild.guildId, action: 'member.unlinked' });
      expect(entries).to.have.length(1);
      expect(entries[0]?.target.id).to.match(/^erased_/);
      expect(entries[0]?.changes).to.deep.include({ reason: { from: null, to: 'erased' } });
      const pseudonym = entries[0]?.target.id ?? '';
      const told = await AuditLog.find({ guildId: 'platform', action: 'account.erased', 'target.id': pseudonym });
      expect(told).to.have.length(1);
    });
  }

  // PRIV-10
  it('An erasure leaves the roles where unlinking leaves them, and keeps a nameless record of the unlink', async () => {
    await setSettings(guild, { unlink: { removeRoles: false, resetNickname: true } });
    discord.changeAvatar(person.chatUserId, 'a'.repeat(32));
    await eventually(async () => (await member())?.chatAvatar !== undefined, 'the picture');
    await erase();
    await eraseAll();
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
    const bare = await member();
    expect(bare).to.deep.include({ state: 'unlinked', chatUsername: '', names: [], syncs: [] });
    expect(Object.keys(bare ?? {})).not.to.include.members(['gameUserId', 'gameUsername', 'givenNickname', 'owedSync']);
    const { job } = await startResync(guild.guild, chatUser(guild.ownerId, 'owner', 'owner'));
    await eventually(async () => {
      const { body } = await guild.api.get(`${guild.path}/resync/${job._id}`);
      return body.state === 'completed';
    }, 'the resync');
    expect(await rolesOf(guild, person), 'as the settings say').to.deep.equal([verified]);
    expect(await member(), 'a page of members brings nothing back').not.to.have.property('chatAvatar');
    // A changed name or picture doesn't either, and leaving removes the rest.
    discord.changeAvatar(person.chatUserId, 'b'.repeat(32));
    discord.setNickname(guild.guildId, person.chatUserId, 'Somebody');
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => {
      await emptyOutboxes();
      return (await member()) === null;
    }, 'the removal of the rest');
  });

  it('An erasure leaves an owner the owner of their server, as Discord has them', async () => {
    const owned = await buildGuild();
    expect((await (await signIn(owned.ownerId)).delete(path)).status).to.equal(202);
    await eraseAll();
    const left = await everythingNaming(owned.ownerId);
    expect(left.map((text) => text.split(':')[0])).to.deep.equal(['guilds']);
    const back = await signIn(owned.ownerId);
    expect((await back.get(owned.path)).body.role).to.equal('owner');
    expect(defaultSettings.trustDiscordAdmins).to.equal(true);
  });
});

describe('An erasure that takes time', () => {
  usePerson();

  it('An erasure waits for Discord and then continues, after any event in between', async () => {
    const end = discord.inject({ match: new RegExp(`members/${person.chatUserId}`), status: 503 });
    await erase();
    await eraseNow();
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await member()).to.include({ state: 'unlinked' });
    expect((await openErasures()).map(({ _id }) => _id)).to.include(person.chatUserId);
    end();
    const mine = { guildId: guild.guildId, chatUserId: person.chatUserId };
    await Members.update(mine, { $set: { 'owedSync.dueAt': new Date(0) } });
    await eraseAll();
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(await member()).to.equal(null);
  });

  it('An erasure polls again soon while roles are being taken back, before its job is due', async () => {
    const taking = discord.hold({ match: new RegExp(`^(PATCH|DELETE) .*members/${person.chatUserId}`) });
    await erase();
    await taking.reached;
    await eraseNow();
    await eventually(() => plannedRuns().some(({ name }) => name === 'erasures'), 'the plan for the next look');
    taking.letGo();
    const isOpen = async () => (await openErasures()).some(({ _id }) => _id === person.chatUserId);
    await eventually(async () => !(await isOpen()), 'the end of the erasure');
    expect(await member()).to.equal(null);
  });

  it('An erasure waits for nothing in a suspended guild, where nothing may be done', async () => {
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    await erase();
    await eraseAll();
    expect(await member()).to.equal(null);
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
  });

  it('An erasure spares a session and a link that begin during it', async () => {
    const end = discord.inject({ match: new RegExp(`members/${person.chatUserId}`), status: 503 });
    await erase();
    await eraseNow();
    const again = await signIn(person.chatUserId);
    await linkPerson(guild.guildId, person);
    end();
    const mine = { guildId: guild.guildId, chatUserId: person.chatUserId };
    await Members.update(mine, { $set: { 'owedSync.dueAt': new Date(0) } });
    await eraseAll();
    expect((await again.get(path)).body.account).to.include({ gameUserId: person.gameUserId });
    expect(await member()).to.include({ state: 'linked' });
  });

  it('An erasure reaches up to the last time that the person asks for it', async () => {
    const end = discord.inject({ match: new RegExp(`members/${person.chatUserId}`), status: 503 });
    await erase();
    await eraseNow();
    await linkPerson(guild.guildId, person);
    await erase();
    end();
    const mine = { guildId: guild.guildId, chatUserId: person.chatUserId };
    await eventually(async () => {
      await Members.update(
        { ...mine, 'owedSync.id': trusted({ $exists: true }) },
        { $set: { 'owedSync.dueAt': new Date(0) } },
      );
      await eraseNow();
      return (await member()) === null;
    }, 'the end');
    await eraseAll();
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await everythingNaming(person.gameUserId)).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { checkLinkedRoles } from '../../../src/edges/operations/check-linked-roles.js';
import { registerLinkedRoles } from '../../../src/edges/operations/linked-role-records.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { settleAccountsLeft } from '../../../src/features/accounts/account-settling.js';
import { giveWord } from '../../../src/features/accounts/account-words.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { LinkedRoles } from '../../../src/features/linked-roles/linked-role-model.js';
import { writeLinkedRoles } from '../../../src/features/linked-roles/linked-role-service.js';
import { clock } from '../../../src/lib/clock.js';
import { poke } from '../../../src/platforms/jobs/standing.js';
import { asPerson, cookiesOf } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { connect, publish, shown, stored } from './linked-role-setup.js';

const dayMs = 24 * 60 * 60 * 1000;
const path = '/api/auth/me/linked-roles';

let discord: World['discord'];
let roblox: World['roblox'];
let groupId: string;
let end: () => Promise<void>;

const facts = (rank: number, change: Record<string, string> = {}) =>
  Object.assign({ verified: '1', premium: '0', account_age: '100' }, change, {
    [`rank_${groupId}`]: String(rank),
    [`member_since_${groupId}`]: change[`member_since_${groupId}`] ?? '0',
  });

const writes = () =>
  discord.requests.filter(({ path: at, method }) => method === 'PUT' && at.endsWith('role-connection'));

const actionsOf = async ({ chatUserId }: TestPerson) => {
  const found = await AuditLog.acrossGuilds.find({ 'target.id': chatUserId }).sort({ _id: 1 }).lean();
  const own = found.filter(({ action }) => action.startsWith('linked_role.'));
  return own.map(({ action, changes }) => `${action} ${String(changes?.reason?.to ?? '')}`.trim());
};

async function buildLinked(rank = 10): Promise<TestPerson> {
  const person = await buildPerson({ createdAt: new Date(clock.epochMs() - 100.5 * dayMs) });
  if (rank > 0) roblox.setRank(groupId, person.gameUserId, rank);
  await linkPerson(null, person);
  return person;
}

async function buildConnected(): Promise<TestPerson> {
  const person = await buildLinked();
  await connect(person);
  await shown(person, facts(10));
  return person;
}

const again = ({ chatUserId }: TestPerson) =>
  LinkedRoles.updateOne({ _id: chatUserId }, { $set: { dueAt: clock.now() }, $inc: { wish: 1 } });

const failedLook = async (person: TestPerson, before: number) => {
  await eventually(async () => {
    poke(writeLinkedRoles);
    return ((await stored(person))?.failures ?? 0) > before;
  }, 'a look that fails');
};

/** Registers hooks: the operator publishes Linked Roles for a group, and the platforms are well. */
function usePublished(): void {
  before(async () => {
    ({ discord, roblox } = await world());
    ({ id: groupId } = roblox.addGroup({ name: 'Crew' }));
    roblox.addGroupRole(groupId, { name: 'Deckhand', rank: 10 });
    end = await publish(`verified, premium, account_age, rank:${groupId}=Rank in Crew, member_since:${groupId}`);
  });

  after(() => end());

  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });
}

// LINK-6, LINK-8, LINK-9, LINK-17
describe('Linked Roles', () => {
  usePublished();

  // LINK-2, LINK-4
  it('Linked Roles are registered once in every language, with the address where people connect themselves', async () => {
    const { url } = await world();
    const [verified, , age, rank] = discord.roleConnectionRecords();
    expect(verified).to.include({ type: 7, key: 'verified', name: 'Verified on Roblox' });
    expect(verified).to.have.nested.property('name_localizations.es-419', 'Verificado en Roblox');
    expect(age).to.include({ type: 2, key: 'account_age' });
    expect(rank).to.include({ type: 2, key: `rank_${groupId}`, name: 'Rank in Crew' });
    expect(discord.verificationUrl()).to.equal(`${url}/linked-roles`);
    discord.verificationUrl('https://example.com/mine');
    const before = discord.requests.length;
    await registerLinkedRoles();
    // Nothing from the application; a person's facts may come from a test before this.
    const written = discord.requests
      .slice(before)
      .filter(({ method, path: at }) => method !== 'GET' && !at.includes('/users/'));
    expect(written).to.deep.equal([]);
    expect(discord.verificationUrl()).to.equal('https://example.com/mine');
    discord.roleConnectionRecords([]);
    await registerLinkedRoles();
    expect(discord.roleConnectionRecords()).to.have.length(5);
  });

  // LINK-7
  it('Linked Roles are written once the person has agreed, and shown to them', async () => {
    const { url } = await world();
    const person = await buildLinked();
    const begun = await fetch(`${url}/linked-roles`, { redirect: 'manual' });
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    expect(asked.get('scope')).to.equal('identify role_connections.write');
    const me = await asPerson(person);
    expect((await me.get(path)).body).to.deep.equal({
      ...{ available: true, connectedAt: null, writtenAt: null, gameUsername: null, facts: [] },
    });
    const back = await connect(person);
    expect([back.status, back.headers.get('location')]).to.deep.equal([303, '/me']);
    expect(cookiesOf(back)).to.contain('rolelink_session=');
    await shown(person, facts(10));
    expect(discord.roleConnection(person.chatUserId)).to.include({ name: 'Roblox', username: person.gameUsername });
    const mine = await eventually(async () => {
      const { body } = await me.get(path);
      return body.writtenAt === null ? null : body;
    });
    expect(mine).to.deep.include({ available: true, gameUsername: person.gameUsername });
    expect(mine.facts).to.deep.include({ key: `rank_${groupId}`, value: '10' });
    expect(await actionsOf(person)).to.deep.equal(['linked_role.connected']);
    const text = JSON.stringify(await stored(person));
    expect(text).not.to.match(/accessToken|refreshToken/);
    const exported = await me.get('/api/auth/me/export');
    expect(exported.body.linkedRoles).to.deep.include({ gameUsername: person.gameUsername });
    expect(JSON.stringify(exported.body)).not.to.contain((await stored(person))?.tokens);
  });

  // LINK-7, LINK-11
  it('Linked Roles are not written after a refusal, without an account, or for an account from a game code alone', async () => {
    const [declining, stranger, claimed] = [await buildLinked(), await buildPerson(), await buildPerson()];
    expect((await connect(declining, false)).status).to.equal(400);
    expect(await stored(declining)).to.equal(null);
    const voucher = { chatUserId: null, ceilingRoleId: null };
    const { chatUserId, gameUserId, gameUsername } = claimed;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    await giveWord({ guildId: '1', chatUserId, game, method: 'game_code', voucher }, systemActor('test'));
    for (const person of [stranger, claimed]) {
      await connect(person);
      await eventually(async () => (await stored(person))?.keys, 'the first look');
      expect(discord.roleConnection(person.chatUserId)).to.equal(undefined);
    }
    await linkPerson(null, stranger);
    await eventually(() => discord.roleConnection(stranger.chatUserId), 'what a link brings');
  });

  // LINK-11
  it('Linked Roles follow the account: a new rank at the next check, a link that ends, and one that begins', async () => {
    const person = await buildConnected();
    roblox.setRank(groupId, person.gameUserId, 100);
    clock.advance(61 * 60_000);
    await shown(person, facts(100));
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    await shown(person, undefined);
    expect(await stored(person)).to.deep.include({ failures: 0 });
    await linkPerson(null, person);
    await shown(person, facts(100));
    const before = writes().length;
    clock.advance(61 * 60_000);
    await shown(person, facts(100));
    expect(writes().length).to.equal(before);
  });

  // LINK-12
  it('Linked Roles of an account that is gone hold its proof alone', async () => {
    const person = await buildConnected();
    await Accounts.updateOne({ _id: person.chatUserId }, { $set: { goneSince: clock.now() } });
    await again(person);
    await shown(person, facts(0, { account_age: '0' }));
  });

  it('Linked Roles count the days of an account and a membership again each day', async () => {
    const person = await buildConnected();
    clock.advance(dayMs);
    await shown(person, facts(10, { account_age: '101', [`member_since_${groupId}`]: '1' }));
  });
});

describe('Linked Roles of failing platforms', () => {
  usePublished();

  // LINK-5
  it('A refusal of the facts by Discord is logged, is a finding of the doctor, and stops nothing', async () => {
    discord.roleConnectionRecords([]);
    discord.inject({ match: /^PUT .*\/role-connections\/metadata$/, status: 400, code: 50_035 });
    const told = await linesOf(() => registerLinkedRoles());
    expect(told.map(({ msg }) => msg)).to.include('Discord refuses what LINKED_ROLES publishes');
    expect((await checkLinkedRoles.run()).map(({ code }) => code)).to.include('linked_roles_not_registered');
    discord.clearFaults();
    await registerLinkedRoles();
    expect((await checkLinkedRoles.run()).map(({ code }) => code)).not.to.include('linked_roles_not_registered');
  });

  // LINK-13
  it('Linked Roles write nothing while Roblox fails, contradicts itself or shows no such account', async () => {
    const person = await buildConnected();
    roblox.leaveGroup(groupId, person.gameUserId);
    roblox.inject({ match: /memberships/, status: 403 });
    const before = writes().length;
    await again(person);
    await failedLook(person, 0);
    expect(writes().length).to.equal(before);
    roblox.clearFaults();
    // The older host still shows the group: one answer in two demotes no one.
    roblox.setRank(groupId, person.gameUserId, 10);
    roblox.inject({ match: /groups\/-\/memberships/, corrupt: 'empty_data' });
    await again(person);
    await failedLook(person, 1);
    expect(discord.roleConnection(person.chatUserId)?.metadata).to.include({ [`rank_${groupId}`]: '10' });
    roblox.clearFaults();
    roblox.leaveGroup(groupId, person.gameUserId);
    await again(person);
    await shown(person, facts(0));
  });

  // ID-98
  it('Linked Roles show the main account, whatever a server uses, and the next one when it changes', async () => {
    const person = await buildConnected();
    const guild = await buildGuild();
    await buildMember(guild, { person, linked: false });
    const other = await addOther(person, { createdAt: new Date(clock.epochMs() - 7.5 * dayMs) });
    roblox.setRank(groupId, other.gameUserId, 100);
    const actor = chatUser(person.chatUserId, person.username);
    await useAccount(actor, other.gameUserId, { guildIds: [guild.guildId] });
    await again(person);
    await shown(person, facts(10));
    await useAccount(actor, other.gameUserId, { main: true });
    await shown(person, facts(100, { account_age: '7' }));
    await unlinkAccount(person.chatUserId, actor, 'self', other.gameUserId);
    await shown(person, facts(10));
  });

  // LINK-10
  it('Linked Roles stay pending while Discord has not answered, as after a kill, and are retried', async () => {
    const person = await buildLinked();
    const release = discord.inject({ match: /^PUT .*role-connection$/, held: true, when: 'after', times: 1 });
    await connect(person);
    await eventually(() => discord.roleConnection(person.chatUserId), 'what Discord has not confirmed yet');
    const held = await stored(person);
    expect(held?.dueAt.getTime()).to.be.at.most(clock.epochMs());
    expect(held?.written).to.equal(undefined);
    release();
    await eventually(async () => (await stored(person))?.written, 'what was owed to be paid');
    roblox.setRank(groupId, person.gameUserId, 100);
    discord.inject({ match: /^PUT .*role-connection$/, status: 503 });
    await again(person);
    await failedLook(person, 0);
    expect((await stored(person))?.dueAt.getTime()).to.be.greaterThan(clock.epochMs());
    discord.clearFaults();
    await again(person);
    await shown(person, facts(100));
  });

  it('Settling a killed process’s work removes the Linked Roles of the ended link', async () => {
    const person = await buildConnected();
    const actor = { kind: 'user', id: person.chatUserId, name: person.username } as const;
    await Accounts.updateOne(
      { _id: person.chatUserId },
      {
        $unset: { gameUserId: 1, gameUsername: 1, gameDisplayName: 1, method: 1, linkedAt: 1 },
        $set: { unsettled: { id: 'x', reason: 'self', actor, since: new Date(0) } },
      },
    );
    expect(discord.roleConnection(person.chatUserId)).not.to.equal(undefined);
    await settleAccountsLeft(clock.now(), new AbortController().signal);
    await shown(person, undefined);
  });

  // LINK-18
  it('Linked Roles renew their tokens before they expire, and a withdrawn consent deletes them', async () => {
    const person = await buildConnected();
    const former = (await stored(person))?.tokens;
    roblox.setRank(groupId, person.gameUserId, 100);
    clock.advance(6 * dayMs);
    await shown(person, facts(100, { account_age: '106', [`member_since_${groupId}`]: '6' }));
    const renewed = await stored(person);
    expect(renewed?.tokens).not.to.equal(former);
    expect(renewed?.tokensExpireAt.getTime()).to.be.greaterThan(clock.epochMs() + 6 * dayMs);
    discord.withdrawConsent(person.chatUserId);
    roblox.setRank(groupId, person.gameUserId, 10);
    await again(person);
    poke(writeLinkedRoles);
    await eventually(async () => (await stored(person)) === null, 'the end of it');
    // The change that emptied the row logs its entry a moment later.
    await eventually(async () => (await actionsOf(person)).length > 1, 'the entry of its end');
    expect(await actionsOf(person)).to.deep.equal(['linked_role.connected', 'linked_role.disconnected refused']);

    const other = await buildConnected();
    discord.withdrawConsent(other.chatUserId);
    clock.advance(6 * dayMs);
    poke(writeLinkedRoles);
    await eventually(async () => (await stored(other)) === null, 'the end of one whose tokens could not be renewed');
  });
});

// LINK-15
describe('Linked Roles of a group that Roblox no longer knows', () => {
  it('Linked Roles keep the last values of a group that Roblox no longer knows', async () => {
    ({ discord, roblox } = await world());
    const { id } = roblox.addGroup({ name: 'Sunk' });
    roblox.addGroupRole(id, { name: 'Deckhand', rank: 10 });
    const stop = await publish(`verified, rank:${id}`);
    try {
      const person = await buildPerson();
      roblox.setRank(id, person.gameUserId, 10);
      await linkPerson(null, person);
      await connect(person);
      await shown(person, { verified: '1', [`rank_${id}`]: '10' });
      roblox.removeGroup(id);
      await again(person);
      await shown(person, { verified: '1', [`rank_${id}`]: '10' });
      expect(await stored(person)).to.include({ failures: 0 });
    } finally {
      await stop();
    }
  });
});

// LINK-16
describe('The end of Linked Roles', () => {
  usePublished();

  // LINK-18
  it('Linked Roles end when the person ends them, even while Discord is away, and by an erasure', async () => {
    const person = await buildConnected();
    const me = await asPerson(person);
    discord.inject({ match: /^DELETE .*role-connection$/, status: 503 });
    expect((await me.delete(path)).status).to.equal(204);
    expect((await me.get(path)).body).to.include({ connectedAt: null });
    await failedLook(person, 0);
    expect(discord.roleConnection(person.chatUserId)).not.to.equal(undefined);
    discord.clearFaults();
    await again(person);
    await shown(person, undefined);
    poke(writeLinkedRoles);
    await eventually(async () => (await stored(person)) === null, 'that nothing is stored');
    expect(await actionsOf(person)).to.deep.equal(['linked_role.connected', 'linked_role.disconnected self']);
    expect((await me.delete(path)).status).to.equal(204);

    const erased = await buildConnected();
    expect((await (await asPerson(erased)).delete('/api/auth/me')).status).to.equal(202);
    await shown(erased, undefined);
    await eventually(async () => (await LinkedRoles.exists({ _id: erased.chatUserId })) === null, 'the erasure');
  });

  it('Linked Roles end for everyone when the operator publishes none any more', async () => {
    const person = await buildConnected();
    await end();
    const { url } = await world();
    const refused = await fetch(`${url}/linked-roles`, { redirect: 'manual' });
    expect([refused.status, await refused.text()]).to.satisfy(
      ([status, words]: [number, string]) => status === 404 && words.includes('set up here'),
    );
    expect((await (await asPerson(person)).get(path)).body).to.include({ available: false });
  });
});

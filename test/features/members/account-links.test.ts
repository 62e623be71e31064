import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import {
  findAccount,
  findAccountOfGame,
  linkAccount,
  unlinkAccount,
} from '../../../src/features/accounts/account-service.js';
import { countLinkedMembers } from '../../../src/features/members/linked-counts.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { accountEnds } from '../accounts/account-ends.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  refusal,
  rolesOf,
  sync,
} from '../sync/sync-setup.js';
import { rolesBecome } from './roles-become.js';

let discord: World['discord'];
let guilds: [GroupGuild, GroupGuild];
let verifiedRoles: string[];

const nicknameOf = ({ guildId }: GroupGuild, { chatUserId }: TestPerson) =>
  discord.member(guildId, chatUserId)?.nickname;

const gameOf = async ({ guildId }: GroupGuild, { chatUserId }: TestPerson) => {
  const member = await findMember(guildId, chatUserId);
  return member && { state: member.state, gameUserId: member.gameUserId };
};

/** Waits until the person's roles are right in both guilds and no sync is pending. */
const settled = (person: TestPerson, linked: boolean) =>
  eventually(
    async () => {
      for (const [n, guild] of guilds.entries()) {
        const member = await findMember(guild.guildId, person.chatUserId);
        const held = (await rolesOf(guild, person))?.includes(verifiedRoles[n] ?? '');
        if (member === null || member.owedSync !== undefined || held !== linked) return false;
      }
      return true;
    },
    `everybody ${linked ? 'linked' : 'unlinked'}`,
  );

/** A proof made in one guild, and the sync that a verification runs then. */
const prove = async (guild: GroupGuild, person: TestPerson) => {
  await linkPerson(guild.guildId, person);
  await sync(guild, person);
};

const inBoth = async (): Promise<TestPerson> => {
  const person = await buildSettledMember(guilds[0], { linked: false });
  return buildSettledMember(guilds[1], { linked: false, person });
};

/** Registers hooks: each test gets two guilds with a role for all verified members. */
function useGuilds(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord } = await world());
  });

  beforeEach(async () => {
    guilds = [await buildGroupGuild(), await buildGroupGuild()];
    verifiedRoles = [];
    for (const guild of guilds) verifiedRoles.push(...(await mapTo(guild, { type: 'verified' })));
  });

  afterEach(() => sinon.restore());
}

describe('The link of an account', () => {
  useGuilds();

  it('A link reaches every guild of the person, and each guild’s log has an entry', async () => {
    const person = await inBoth();
    await prove(guilds[0], person);
    await settled(person, true);
    const account = await findAccount(person.chatUserId);
    expect(account).to.include({ _id: person.chatUserId, gameUserId: person.gameUserId, method: 'profile_code' });
    const { linkedAt } = account ?? {};
    expect(await findAccountOfGame(person.gameUserId)).to.deep.include({ _id: person.chatUserId, linkedAt });
    expect(await Accounts.findById(person.chatUserId).lean()).not.to.have.property('unsettled');
    for (const guild of guilds) {
      expect(await gameOf(guild, person)).to.deep.equal({ state: 'linked', gameUserId: person.gameUserId });
      expect(nicknameOf(guild, person)).to.equal(person.gameUsername);
      expect(await countLinkedMembers(guild.guildId)).to.equal(1);
      const linked = (await latestEntries(guild.guildId, 20)).find(({ action }) => action === 'member.linked');
      expect(linked).to.deep.include({ changes: { gameUserId: { from: null, to: person.gameUserId } } });
    }
    const told = (await latestEntries(guilds[0].guildId, 20)).map(({ action }) => action);
    expect(told).to.include.members(['account.linked', 'member.linked', 'member.synced']);
  });

  it('A link that is made again changes nothing', async () => {
    const person = await inBoth();
    await prove(guilds[0], person);
    await settled(person, true);
    discord.forgetRequests();
    await prove(guilds[0], person);
    await settled(person, true);
    for (const guild of guilds) {
      const entries = (await latestEntries(guild.guildId, 50)).filter(({ action }) => action === 'member.linked');
      expect(entries).to.have.length(1);
    }
  });

  it('A link to another game account replaces the former one in every guild', async () => {
    const [person, other] = [await inBoth(), await buildPerson()];
    await prove(guilds[0], person);
    await settled(person, true);
    const switched = { ...person, gameUserId: other.gameUserId, gameUsername: other.gameUsername };
    await prove(guilds[1], switched);
    for (const guild of guilds) {
      await eventually(() => nicknameOf(guild, person) === other.gameUsername, 'the new name');
      expect(await gameOf(guild, person)).to.deep.equal({ state: 'linked', gameUserId: other.gameUserId });
    }
    expect(await findAccountOfGame(person.gameUserId)).to.equal(null);
    const { changes } =
      (await latestEntries(guilds[0].guildId, 20)).find(({ action }) => action === 'member.linked') ?? {};
    expect(changes).to.deep.equal({ gameUserId: { from: person.gameUserId, to: other.gameUserId } });
  });

  it('A fresh proof takes an account over, and unlinks the former owner everywhere', async () => {
    const [former, owner] = [await inBoth(), await inBoth()];
    await prove(guilds[0], former);
    await settled(former, true);
    const { gameUserId, gameUsername } = former;
    await prove(guilds[1], { ...owner, gameUserId, gameUsername });
    await settled(former, false);
    await settled(owner, true);
    expect(await findAccount(former.chatUserId)).to.equal(null);
    await accountEnds(former.chatUserId);
    expect(await findAccountOfGame(gameUserId)).to.include({ _id: owner.chatUserId });
    for (const guild of guilds) {
      expect(await gameOf(guild, former)).to.deep.equal({ state: 'unlinked', gameUserId: undefined });
      expect(await gameOf(guild, owner)).to.deep.equal({ state: 'linked', gameUserId });
      expect(nicknameOf(guild, former)).to.equal(null);
      const ended = (await latestEntries(guild.guildId, 20)).find(({ action }) => action === 'member.unlinked');
      expect(ended?.target.id).to.equal(former.chatUserId);
      expect(ended?.changes?.reason).to.deep.equal({ from: null, to: 'transferred' });
    }
  });

  it('A proof for no guild in particular links the person where they are known, and nowhere else', async () => {
    const person = await buildSettledMember(guilds[0], { linked: false });
    const { chatUserId, username, gameUserId, gameUsername } = person;
    const game = { gameUserId, gameUsername, gameDisplayName: '' };
    const proof = { chatUserId, chatUsername: username, guildId: null, game, method: 'oauth' as const };
    // A display name can be empty.
    expect(await linkAccount(proof, systemActor('test'))).to.include({ gameDisplayName: '', method: 'oauth' });
    await rolesBecome(guilds[0], person, verifiedRoles.slice(0, 1));
    expect(await findMember(guilds[1].guildId, chatUserId)).to.equal(null);
  });
});

describe('Simultaneous proofs of an account', () => {
  useGuilds();

  it('Of two people proving the same account at the same time one gets it, and the other keeps nothing of it', async () => {
    const [guild] = guilds;
    const people = [
      await buildSettledMember(guild, { linked: false }),
      await buildSettledMember(guild, { linked: false }),
    ];
    for (let round = 0; round < 4; round += 1) {
      const game = await buildPerson();
      const proofs = people.map((person, n) =>
        linkPerson(guilds[(round + n) % 2]?.guildId ?? '', {
          ...person,
          gameUserId: game.gameUserId,
          gameUsername: game.gameUsername,
        }),
      );
      const outcomes = await Promise.allSettled(proofs);
      const account = await findAccountOfGame(game.gameUserId);
      const winner = people.find(({ chatUserId }) => chatUserId === account?._id);
      const loser = people.find((person) => person !== winner);
      if (!winner || !loser) throw new Error('nobody has the account');
      expect(await findAccount(loser.chatUserId)).to.equal(null);
      expect(await gameOf(guild, winner)).to.deep.equal({ state: 'linked', gameUserId: game.gameUserId });
      const states = await Promise.all(guilds.map((each) => gameOf(each, loser)));
      expect(states.filter((member) => member?.state === 'linked')).to.deep.equal([]);
      await Promise.all(people.map((person) => sync(guild, person)));
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
      expect([[], ['account_transferred']]).to.deep.include(refused);
      await eventually(async () => !(await rolesOf(guild, loser))?.includes(verifiedRoles[0] ?? ''), 'the loss');
      await eventually(async () => (await rolesOf(guild, winner))?.includes(verifiedRoles[0] ?? ''), 'the win');
    }
  });

  it('A person overtaken between proof and link gets no link', async () => {
    const [guild] = guilds;
    const [slow, quick] = [
      await buildSettledMember(guild, { linked: false }),
      await buildSettledMember(guild, { linked: false }),
    ];
    const { gameUserId, gameUsername } = slow;
    const { collection: log } = mongoose.model('AuditEntry');
    const audit = sinon.stub(log, 'insertMany').callThrough();
    const overtaking = new EventEmitter();
    audit.onFirstCall().callsFake(async (entries: unknown) => {
      await once(overtaking, 'done');
      return audit.wrappedMethod.call(log, entries as never);
    });
    const overtaken = refusal(linkPerson(guild.guildId, slow));
    await eventually(() => audit.called, 'the first proof');
    await linkPerson(guild.guildId, { ...quick, gameUserId, gameUsername });
    overtaking.emit('done');
    expect(await overtaken).to.include({ kind: 'conflict', code: 'account_transferred' });
    expect(await findMember(guild.guildId, slow.chatUserId)).to.include({ state: 'joined' });
    expect(await gameOf(guild, quick)).to.deep.equal({ state: 'linked', gameUserId });
    expect(await findAccountOfGame(gameUserId)).to.include({ _id: quick.chatUserId });
  });

  it('A person proving two accounts at the same time has one of them in every guild', async () => {
    const person = await inBoth();
    const [one, two] = [await buildPerson(), await buildPerson()];
    const proofs = [one, two].map(({ gameUserId, gameUsername }, n) =>
      linkPerson(guilds[n]?.guildId ?? '', { ...person, gameUserId, gameUsername }),
    );
    await Promise.allSettled(proofs);
    await Promise.all(guilds.map((guild) => sync(guild, person)));
    await settled(person, true);
    const account = await findAccount(person.chatUserId);
    for (const guild of guilds) {
      expect(await gameOf(guild, person)).to.deep.equal({ state: 'linked', gameUserId: account?.gameUserId });
    }
  });
});

describe('The end of a link', () => {
  useGuilds();

  // ID-6
  it('An unlink by the person removes the link in every guild', async () => {
    const person = await inBoth();
    await prove(guilds[0], person);
    await settled(person, true);
    const actor = chatUser(person.chatUserId, person.username);
    await unlinkAccount(person.chatUserId, actor);
    await settled(person, false);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    for (const guild of guilds) {
      const member = await findMember(guild.guildId, person.chatUserId);
      expect(member).to.include({ state: 'unlinked', autoLinkBlocked: false });
      expect(member?.names).to.deep.equal([person.username.toLowerCase()]);
      const [entry] = (await latestEntries(guild.guildId, 20)).filter(({ action }) => action === 'member.unlinked');
      expect(entry?.actor).to.include({ kind: 'user', id: person.chatUserId });
      expect(entry?.changes).to.deep.equal({
        gameUserId: { from: person.gameUserId, to: null },
        reason: { from: null, to: 'self' },
      });
    }
    expect(await refusal(unlinkAccount(person.chatUserId, actor))).to.include({
      kind: 'not_found',
      code: 'not_linked',
    });
  });

  // ID-5, ID-7
  it('An admin’s unlink ends the link in one guild, until a proof made there brings it back', async () => {
    const [here, elsewhere] = guilds;
    const person = await inBoth();
    await prove(here, person);
    await settled(person, true);
    const byNobody = await refusal(unlinkMember(here.guild, person.chatUserId, chatUser('7', 'Gone')));
    expect(byNobody.code).to.equal('forbidden');
    await unlinkMember(here.guild, person.chatUserId, chatUser(here.ownerId, 'Ann'));
    await rolesBecome(here, person, []);
    expect(await findMember(here.guildId, person.chatUserId)).to.include({ state: 'unlinked', autoLinkBlocked: true });
    expect(await rolesOf(elsewhere, person)).to.deep.equal([verifiedRoles[1]]);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });

    // Proofs made elsewhere or nowhere, another account, and coming back do not undo it.
    await prove(elsewhere, person);
    await linkPerson(null, person);
    const { gameUserId, gameUsername } = await buildPerson();
    await prove(elsewhere, { ...person, gameUserId, gameUsername });
    discord.leave(here.guildId, person.chatUserId);
    await eventually(async () => !(await findMember(here.guildId, person.chatUserId))?.present, 'the leaving');
    await buildSettledMember(here, { linked: false, person });
    expect(await gameOf(here, person)).to.deep.equal({ state: 'unlinked', gameUserId: undefined });
    expect(await rolesOf(here, person)).to.deep.equal([]);

    await prove(here, person);
    await settled(person, true);
    expect(await findMember(here.guildId, person.chatUserId)).to.include({ state: 'linked', autoLinkBlocked: false });
  });

  it('The unlink of a person without a link in the guild is refused', async () => {
    const person = await buildSettledMember(guilds[0], { linked: false });
    const actor = systemActor('test');
    for (const { chatUserId } of [person, await buildPerson()]) {
      const refused = await refusal(unlinkMember(guilds[0].guild, chatUserId, actor));
      expect(refused).to.include({ kind: 'not_found', code: 'member_not_found' });
    }
    expect(await findMember(guilds[0].guildId, person.chatUserId)).to.include({
      state: 'joined',
      autoLinkBlocked: false,
    });
  });
});

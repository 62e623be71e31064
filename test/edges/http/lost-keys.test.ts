import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { LinkedRoles } from '../../../src/features/linked-roles/linked-role-model.js';
import { disconnectLinkedRole, writeLinkedRoles } from '../../../src/features/linked-roles/linked-role-service.js';
import { clock } from '../../../src/lib/clock.js';
import { sealWith } from '../../../src/lib/sealed-secrets.js';
import { poke } from '../../../src/platforms/jobs/standing.js';
import { connect, publish, shown, stored } from '../../features/linked-roles/linked-role-setup.js';
import { buildApplicant, consent } from '../../features/verification/verification-setup.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

/** As after `rolelink keys --accept` with another SECRETS_KEY. */
const loseKeys = () => sealWith(randomBytes(32));

describe('Data that no key opens any more', () => {
  afterEach(() => sealWith(config().secretsKey));

  describe('of Linked Roles', () => {
    let end: () => Promise<void>;
    before(async () => {
      await world();
      end = await publish('verified');
    });
    after(() => end());

    async function buildConnected() {
      const person = await buildPerson();
      await linkPerson(null, person);
      await connect(person);
      await shown(person, { verified: '1' });
      return person;
    }

    async function isForgotten(person: Awaited<ReturnType<typeof buildConnected>>) {
      await LinkedRoles.updateOne({ _id: person.chatUserId }, { $set: { dueAt: clock.now() }, $inc: { wish: 1 } });
      poke(writeLinkedRoles);
      return (await stored(person)) === null;
    }

    const reasonsOf = async (id: string) => {
      const found = await AuditLog.acrossGuilds.find({ 'target.id': id, action: 'linked_role.disconnected' }).lean();
      return found.map(({ changes }) => changes?.reason?.to);
    };

    // LINK-18, LINK-19
    it('A connection for Linked Roles ends at its next check, with one log entry', async () => {
      const person = await buildConnected();
      loseKeys();
      await eventually(() => isForgotten(person), 'the connection to end');
      // The entry follows the end.
      await eventually(async () => (await reasonsOf(person.chatUserId)).length > 0, 'the entry');
      expect(await reasonsOf(person.chatUserId)).to.deep.equal(['keys_lost']);
      const { body } = await (await asPerson(person)).get('/api/auth/me/linked-roles');
      expect(body.connectedAt).to.equal(null);
    });

    it('A connection for Linked Roles that its person ends is forgotten without a day of tries', async () => {
      const person = await buildConnected();
      loseKeys();
      await disconnectLinkedRole(chatUser(person.chatUserId, person.username));
      await eventually(() => isForgotten(person), 'the connection to end');
      expect(await reasonsOf(person.chatUserId)).to.deep.equal(['self']);
    });
  });

  it('A request repeated under its Idempotency-Key is answered outcome_unknown', async () => {
    const guild = await buildGuild();
    const { id } = (await world()).discord.addRole(guild.guildId, { name: 'Mapped' });
    await eventually(async () => (await guild.api.get(`${guild.path}/roles/${id}`)).status === 200, 'the role');
    const mapping = { condition: { type: 'verified' }, roleIds: [id] };
    const headers = { 'idempotency-key': `lost-${id}` };
    expect((await guild.api.post(`${guild.path}/mappings`, mapping, headers)).status).to.equal(201);
    loseKeys();
    const { status, body } = await guild.api.post(`${guild.path}/mappings`, mapping, headers);
    expect([status, body.code]).to.deep.equal([409, 'outcome_unknown']);
  });

  it('A sign-in on Roblox counts as expired, and its return belongs to no session', async () => {
    const applicant = await buildApplicant({ method: 'oauth' });
    const { code, state } = await consent(applicant);
    const me = await asPerson(applicant.person);
    loseKeys();
    const { status, body } = await me.get(`/api/verification/session/${applicant.token}`);
    expect([status, body.state, body.reason, body.authorizeUrl]).to.deep.equal([200, 'expired', 'expired', null]);
    const back = await me.get(`/verify/callback?state=${state}&code=${code}`);
    expect(back.status).to.be.within(400, 499);
  });

  it('With lost keys, a code that is typed in a game is not valid', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    const game = api(await tokenFor(guild.guildId, 'verifier'));
    const asked = { guildId: guild.guildId, method: 'game_code' };
    const { body } = await (await asPerson(person)).post('/api/verification/session', asked);
    loseKeys();
    const typed = { code: body.phrase, gameUserId: person.gameUserId };
    const answer = await game.post(`${guild.path}/verification/game-codes/redeem`, typed);
    expect([answer.status, answer.body.code]).to.deep.equal([404, 'game_code_not_valid']);
  });
});

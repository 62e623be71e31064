import { expect } from 'chai';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { importAccount } from '../../../src/features/accounts/account-import.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { eraseGame, erasePerson } from '../../../src/features/privacy/erasure.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { newId } from '../../../src/lib/ids.js';
import { signRobloxWebhook } from '../../sandbox/roblox/webhook-signature.js';
import { api, asPerson } from '../../support/api.js';
import { buildMember, buildPerson, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { eraseAll, everythingNaming } from '../privacy/privacy-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember } from './ranking-setup.js';

// RANKING-20, PRIV-3, PRIV-17
describe('Changes of the rank of an account that showed no person', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());

  /** Promotes the account by its id, and returns the change. */
  async function promoted({ gameUserId }: Pick<TestPerson, 'gameUserId'>, within = guild): Promise<string> {
    within.useKey();
    roblox.setGroupRoles(within.groupId, gameUserId, [within.roleIds.Recruit]);
    const { status, body } = await within.owner.post(within.ranksPath, { gameUserId, step: 1, reason: 'Trained' });
    expect([status, body.state, body.memberId]).to.deep.equal([200, 'done', null]);
    return body.changeId;
  }

  async function exportOf(person: TestPerson) {
    const { rankChanges, auditEntries } = (await (await asPerson(person)).get('/api/auth/me/export')).body;
    const about = (auditEntries as { entry: { action: string; target: { kind: string; id: string } } }[])
      .filter(({ entry }) => ['member.ranked', 'join_request.accepted'].includes(entry.action))
      .map(({ entry }) => [entry.target.kind, entry.target.id]);
    return { changes: (rankChanges as { changeId: string }[]).map(({ changeId }) => changeId), about };
  }

  async function giveWord({ chatUserId, username: chatUsername, gameUserId, gameUsername }: TestPerson) {
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    const run = { importId: newId('pim'), importedFrom: 'list', from: new Date() } as const;
    const terms = { voucher: { chatUserId: null, ceilingRoleId: null } };
    await importAccount(guild.guildId, { chatUserId, chatUsername, game }, run, terms, systemActor('test'));
  }

  async function erase({ chatUserId, username }: TestPerson): Promise<void> {
    await erasePerson(chatUserId, username);
    await eraseAll();
  }
  const entriesOf = ({ gameUserId }: TestPerson) =>
    AuditLog.find({ guildId: guild.guildId, action: 'member.ranked', 'target.id': gameUserId });

  it('A person’s export has the changes of ranks before they proved the account, and their erasure removes them', async () => {
    const person = await buildPerson();
    roblox.requestToJoin(guild.groupId, person.gameUserId);
    const accept = { decision: 'accept', gameUserIds: [person.gameUserId] };
    await guild.owner.post(guild.requestsPath, accept);
    const changeId = await promoted(person);
    await linkPerson(null, person);
    const { changes, about } = await exportOf(person);
    expect([changes.length, changes.includes(changeId)]).to.deep.equal([2, true]);
    const target = ['game_user', person.gameUserId];
    expect(about).to.deep.equal([target, target]);
    await erase(person);
    expect(await everythingNaming(`"${person.gameUserId}"`, person.gameUsername)).to.deep.equal([]);
    const entries = await AuditLog.find({ guildId: guild.guildId, action: 'member.ranked' });
    const left = entries.filter(({ target: { kind, id } }) => kind === 'game_user' && id.startsWith('erased_'));
    expect(left.map((entry) => Object.keys(entry.changes ?? {}))).to.deep.equal([['group', 'gameRole', 'door']]);
  });

  it('A person’s export has the changes of ranks of a hidden account, and of another one', async () => {
    const person = await rankedMember(guild, 'Recruit');
    await (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false });
    const other = await addOther(person);
    const changes = [await promoted(person), await promoted(other)];
    expect((await exportOf(person)).changes).to.have.members(changes);
    await erase(person);
    const both = [person, other].flatMap(({ gameUserId, gameUsername }) => [`"${gameUserId}"`, gameUsername]);
    expect(await everythingNaming(...both)).to.deep.equal([]);
  });

  it('An erasure removes the changes of ranks of an account that ended after the wish', async () => {
    const person = await buildPerson();
    await promoted(person);
    await linkPerson(null, person);
    await erasePerson(person.chatUserId, person.username);
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    await eraseAll();
    expect(await everythingNaming(`"${person.gameUserId}"`, person.gameUsername)).to.deep.equal([]);
  });

  it('The erasure of one account removes its changes of ranks and leaves those of the others', async () => {
    const person = await buildPerson();
    await linkPerson(null, person);
    const alt = await addOther(person);
    const [kept] = [await promoted(person), await promoted(alt)];
    await eraseGame(person.chatUserId, { gameUserId: alt.gameUserId, linkedAt: new Date(0) });
    await eraseAll();
    expect(await everythingNaming(`"${alt.gameUserId}"`, alt.gameUsername)).to.deep.equal([]);
    expect((await exportOf(person)).changes).to.deep.equal([kept]);
    expect(await entriesOf(person)).to.have.length(1);
  });

  // PRIV-13
  it('Roblox’s erasure request about an account of nobody removes its changes of ranks and its name in the log', async () => {
    const person = await buildPerson();
    await promoted(person);
    const body = JSON.stringify({
      ...{ NotificationId: 'n', EventType: 'RightToErasureRequest', EventTime: new Date().toISOString() },
      EventPayload: { UserId: Number(person.gameUserId), GameIds: [1] },
    });
    const headers = { 'roblox-signature': signRobloxWebhook(body, roblox.webhookSecret) };
    expect((await api().post('/api/privacy/roblox-webhook', body, headers)).status).to.equal(200);
    expect(await everythingNaming(`"${person.gameUserId}"`, person.gameUsername)).to.deep.equal([]);
  });

  it('A server’s word gives the changes of that server alone, and a proof none of the account’s former owner', async () => {
    const elsewhere = await buildRankingGuild();
    const person = await buildMember(guild, { linked: false });
    const [here] = [await promoted(person), await promoted(person, elsewhere)];
    await giveWord(person);
    expect(await exportOf(person)).to.deep.equal({ changes: [here], about: [['game_user', person.gameUserId]] });
    await erase(person);
    const left = await RankChanges.acrossGuilds.find({ gameUserId: person.gameUserId }, { guildId: 1 });
    expect(left.map(({ guildId }) => guildId)).to.deep.equal([elsewhere.guildId]);

    const former = await rankedMember(guild, 'Recruit');
    guild.useKey();
    await guild.owner.post(guild.ranksPath, { memberId: former.chatUserId, step: 1 });
    const owner = { ...(await buildPerson()), gameUserId: former.gameUserId, gameUsername: former.gameUsername };
    await linkPerson(null, owner);
    expect(await exportOf(owner)).to.deep.equal({ changes: [], about: [] });
    expect((await exportOf(former)).changes).to.have.length(1);
  });
});

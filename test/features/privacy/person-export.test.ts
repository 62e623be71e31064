import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { exportMe } from '../../../src/features/privacy/person-export.js';
import { personExportView } from '../../../src/features/privacy/person-export-view.js';
import { WatchedAccounts } from '../../../src/features/rank-watch/watched-models.js';
import { mintBotToken } from '../../../src/features/tokens/bot-tokens.js';
import { createVerification } from '../../../src/features/verification/verification-service.js';
import { newId } from '../../../src/lib/ids.js';
import { api, signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, tokenFor } from '../../support/build.js';

describe('The export of a person', () => {
  // PRIV-18, LOG-5
  it('A person’s export hands over all that is stored about the person, and nothing of others', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const person = await buildMember(guild);
    const stranger = await buildMember(guild);
    const { chatUserId, username } = person;
    await createVerification({ guildId: null, method: 'profile_code', chatUserId }, chatUser(chatUserId, username));
    const { token } = await mintBotToken({
      guildId: guild.guildId,
      role: 'viewer',
      name: 'mine',
      createdBy: chatUserId,
    });
    const invited = { role: 'manager', state: 'invited', invitedBy: other.ownerId, invitedAt: new Date() } as const;
    await Teammates.insert({ guildId: other.guildId, chatUserId, username, ...invited });
    await WatchedAccounts.create({
      ...{ _id: person.gameUserId, chatUserId, guildId: guild.guildId, guildIds: [guild.guildId], plan: 'free' },
      ...{ held: ['7:70', '8:-'], glanced: false, linkedAt: new Date(), seenAt: new Date(0), dueAt: new Date() },
    });
    const me = await signIn(chatUserId);

    const { status, headers, body } = await me.get('/api/auth/me/export');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="rolelink-${chatUserId}.json"`);
    const data = personExportView.parse(body);
    expect(data.chatUserId).to.equal(chatUserId);
    expect(data.account).to.deep.include({ gameUserId: person.gameUserId, gameUsername: person.gameUsername });
    expect(data.accounts.map(({ gameUserId }) => gameUserId)).to.deep.equal([person.gameUserId]);
    expect(data.accounts[0]?.mainSince).to.be.a('string');
    expect(data.memberships).to.have.length(1);
    expect(data.memberships[0]).to.include({ guildId: guild.guildId, status: 'linked', gameUserId: person.gameUserId });
    expect(data.verifications[0]).to.include({ guildId: null, method: 'profile_code', state: 'pending' });
    const ranks = [
      { groupId: '7', gameRoleId: '70' },
      { groupId: '8', gameRoleId: null },
    ];
    expect(data.ranksSeen).to.deep.equal([{ gameUserId: person.gameUserId, ranks, seenAt: new Date(0).toISOString() }]);
    expect(data.teams).to.have.length(1);
    expect(data.teams[0]).to.include({ guildId: other.guildId, role: 'manager', state: 'invited' });
    expect(data.tokens.map(({ tokenId }) => tokenId)).to.deep.equal([token._id]);
    expect(data.sessions[0]?.username).to.equal(username);
    const actions = data.auditEntries.map(({ entry: { action } }) => action);
    expect(actions).to.include.members(['account.linked', 'member.linked', 'account.exported']);
    const text = JSON.stringify(body);
    for (const secret of [stranger.chatUserId, stranger.gameUserId, me.cookie.split('=')[1] ?? '?']) {
      expect(text).not.to.contain(secret);
    }
  });

  it('A person’s export is nearly empty for an unknown person, and names servers that a person owns', async () => {
    const { chatUserId } = await buildPerson();
    const { body } = await (await signIn(chatUserId)).get('/api/auth/me/export');
    const { exportedAt, sessions, auditEntries, ...rest } = personExportView.parse(body);
    expect(sessions).to.have.length(1);
    expect(auditEntries.every(({ entry }) => entry.actor.id === chatUserId)).to.equal(true);
    expect(exportedAt).to.be.a('string');
    const nothing = {
      accounts: [],
      memberships: [],
      verifications: [],
      teams: [],
      ownedGuilds: [],
      tokens: [],
      resyncs: [],
    };
    const imports = { peopleImports: [], importedPairs: [], refusedImports: [] };
    const asked = { claimQuestions: [], rankChanges: [], ...imports };
    expect(rest).to.deep.equal({ chatUserId, account: null, linkedRoles: null, ...nothing, ...asked, ranksSeen: [] });
    const guild = await buildGuild();
    const owner = await (await signIn(guild.ownerId)).get('/api/auth/me/export');
    expect(owner.body.ownedGuilds).to.deep.equal([{ guildId: guild.guildId, name: guild.guild.name }]);
  });

  it('A person’s export is for people, not for tokens', async () => {
    const answer = await api(await tokenFor('*', 'owner')).get('/api/auth/me/export');
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'forbidden']);
  });

  it('A person’s export is written as it is read, for any size', async () => {
    const { chatUserId } = await buildPerson();
    const actor = { kind: 'user', id: chatUserId, name: 'somebody' } as const;
    const at = new Date();
    const entries = Array.from({ length: 2_000 }, () => ({
      ...{ _id: newId('log', at), guildId: 'platform', at, actor, action: 'session.started' as const },
      target: { kind: 'session', id: chatUserId },
    }));
    await AuditLog.acrossGuilds.insertMany(entries, { lean: true });
    const stream = await exportMe(chatUser(chatUserId, 'somebody'));
    expect(stream).to.be.instanceOf(Readable);
    let longest = 0;
    const parts: string[] = [];
    for await (const part of stream) {
      longest = Math.max(longest, String(part).length);
      parts.push(String(part));
    }
    expect(longest).to.be.below(1_000);
    expect(personExportView.parse(JSON.parse(parts.join(''))).auditEntries).to.have.length(2_001);
  });
});

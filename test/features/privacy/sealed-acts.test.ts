import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { actorsOpenTo } from '../../../src/core/audit/sealed-actors.js';
import { clock } from '../../../src/lib/clock.js';
import { sealWith } from '../../../src/lib/sealed-secrets.js';
import { dayMs } from '../../../src/lib/time.js';
import { purgeRemembered } from '../../../src/platforms/database/remembered.js';
import { privateWords } from '../../commands/private-answer.js';
import { giveTeamRole } from '../../commands/team.js';
import { insertEntry } from '../../core/audit/entries-setup.js';
import { type Api, api, asPerson, signIn } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, type TestGuild, type TestPerson, tokenFor } from '../../support/build.js';
import { platformAdminId, type World, world } from '../../support/world.js';
import { eraseAll, everythingNaming } from './privacy-setup.js';

interface Shown {
  action: string;
  actor: { id: string; name: string; pseudonym?: string };
}

// PRIV-6, PRIV-7, PRIV-8
describe('The acts of an erased teammate', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;
  let foreign: TestGuild;
  let owner: Api;
  let admin: TestPerson;
  let groupId: string;
  let pseudonym: string;

  before(async () => {
    const { roblox } = await world();
    ({ discord } = await world());
    [guild, foreign] = [await buildGuild(), await buildGuild()];
    owner = await asPerson({ chatUserId: guild.ownerId, username: 'Olga' });
    groupId = roblox.addGroup({ name: 'Gone' }).id;
    admin = await buildMember(guild);
    await giveTeamRole(guild, admin.chatUserId, 'admin');
    const them = await signIn(admin.chatUserId);
    expect((await them.post(`${guild.path}/groups`, { groupId })).status).to.equal(201);
    expect((await them.delete(`${guild.path}/groups/${groupId}`)).status).to.equal(204);
    const actor = { kind: 'user', id: admin.chatUserId, name: admin.username } as const;
    const loser = { kind: 'member', id: '100000000000000991', name: 'Loser' };
    const changes = { reason: { from: null, to: 'transferred' } };
    for (const { guildId } of [guild, foreign]) {
      await insertEntry(guildId, { actor, action: 'member.unlinked', target: loser, changes });
    }
    expect((await them.delete('/api/auth/me')).status).to.equal(202);
    await eraseAll();
    const [removed] = await AuditLog.find({ guildId: guild.guildId, action: 'group.removed' });
    pseudonym = removed?.actor.id ?? '';
  });

  const readLog = async (reader: Api, query = 'action=group.removed'): Promise<Shown[]> => {
    const { status, body } = await reader.get(`${guild.path}/logs?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  const actorFor = async (reader: Api) => (await readLog(reader)).map(({ actor }) => actor);
  const exported = async (reader: Api, query = '') =>
    String((await reader.get(`${guild.path}/logs/export?${query}`)).body);
  const nobody = () => ({ kind: 'user', id: pseudonym, name: pseudonym });
  const known = () => ({ kind: 'user', id: admin.chatUserId, name: admin.username, pseudonym });

  async function teammate(role: 'admin' | 'viewer', chatUserId?: string): Promise<Api> {
    const person =
      chatUserId === undefined ? await buildMember(guild, { linked: false }) : { chatUserId, username: 'P' };
    await giveTeamRole(guild, person.chatUserId, role);
    return asPerson(person);
  }

  it('Owner, platform admins and the platform’s token see the erased teammate’s name in log and export', async () => {
    expect(pseudonym).to.match(/^erased_/);
    const platform = await teammate('admin', platformAdminId);
    for (const reader of [owner, platform, api(await tokenFor('*', 'owner'))]) {
      expect(await actorFor(reader)).to.deep.equal([known()]);
    }
    expect(await exported(owner)).to.contain(`user,${admin.chatUserId},${admin.username},group.removed`);
    const words = await privateWords(
      discord.command(guild.guildId, guild.ownerId, 'logs', { action: 'group.removed' }),
    );
    expect(words).to.contain(`<@${admin.chatUserId}> removed`);
  });

  it('The log finds an erased teammate’s acts by their id, for readers with access to it', async () => {
    const actions = async (reader: Api) => {
      const found = await readLog(reader, `actorId=${admin.chatUserId}`);
      return found.map(({ action }) => action).filter((action) => action.startsWith('group.'));
    };
    expect(await actions(owner)).to.deep.equal(['group.removed', 'group.added']);
    expect(await exported(owner, `actorId=${admin.chatUserId}`)).to.contain('group.removed');
    expect(await actions(await teammate('admin'))).to.deep.equal([]);
  });

  it('All others see an erased teammate’s pseudonym, and nothing stored names the person', async () => {
    for (const reader of [
      await teammate('admin'),
      await teammate('viewer'),
      guild.api,
      api(await tokenFor('*', 'admin')),
    ]) {
      expect(await actorFor(reader)).to.deep.equal([nobody()]);
    }
    const others = await exported(await teammate('admin'));
    expect(others).to.contain(pseudonym).and.not.contain(admin.chatUserId);
    const left = await everythingNaming(admin.chatUserId, `"${admin.username}"`);
    expect(left.filter((text) => !text.startsWith('webhook_deliveries'))).to.deep.equal([]);
  });

  // PRIV-9
  it('An erased teammate’s acts on themselves, in other guilds and under another key stay closed', async () => {
    const own = (await readLog(owner, `targetId=${pseudonym}`)).map(({ actor }) => actor.id);
    expect(own).to.include(pseudonym).and.not.include(admin.chatUserId);
    const unlinked = 'targetId=100000000000000991';
    expect((await readLog(owner, unlinked)).map(({ actor }) => actor)).to.deep.equal([nobody()]);
    const stored = await everythingNaming(`"pseudonym":"${pseudonym}"`);
    expect(stored, 'and only where they were of the team').to.have.length(1);
    const other = await buildGuild();
    const entry = (await AuditLog.find({ guildId: guild.guildId, action: 'group.removed' }))[0];
    if (entry === undefined) throw new Error('There is no entry.');
    await AuditLog.insert({ ...entry, _id: `log_${'f'.repeat(24)}`, guildId: other.guildId });
    const elsewhere = await asPerson({ chatUserId: other.ownerId, username: 'Otto' });
    const { body } = await elsewhere.get(`${other.path}/logs?action=group.removed`);
    expect(body.data[0].actor).to.deep.equal(nobody());
    try {
      sealWith(new Uint8Array(32));
      expect(await actorFor(owner)).to.deep.equal([nobody()]);
    } finally {
      sealWith(config().secretsKey);
    }
  });

  it('An erased teammate has the pseudonym alone after 30 days, and the sealed name is removed', async () => {
    const sealed = () => everythingNaming(`"pseudonym":"${pseudonym}"`);
    await purgeRemembered(new Date(clock.epochMs() + 29 * dayMs));
    expect(await actorFor(owner)).to.deep.equal([known()]);
    expect(await sealed()).to.have.length(1);
    clock.jump(30 * dayMs);
    const opened = actorsOpenTo(chatUser(guild.ownerId, 'Olga', 'owner'), guild.guildId);
    clock.restore();
    expect((await opened).size, 'also before the purge').to.equal(0);
    await purgeRemembered(new Date(clock.epochMs() + 30 * dayMs));
    expect(await sealed()).to.deep.equal([]);
    expect(await actorFor(owner)).to.deep.equal([nobody()]);
  });
});

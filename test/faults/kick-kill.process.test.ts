import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';
import type { Crowd } from './resync-crowd.js';

// RESTR-11
describe('A kill during a kick', () => {
  const house = new KillableService('kick_kill');
  let crowd: Crowd;

  before(async () => {
    crowd = await house.buildCrowd(2);
    const { id, permissions } = house.discord.botRole(crowd.guildId);
    house.discord.updateRole(crowd.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await house.start();
    await house.knowsGuild();
  });

  async function request(method: string, path: string, body?: object): Promise<Response> {
    const headers = await house.signIn(crowd.ownerId);
    const url = `${house.running.url}/api/guilds/${crowd.guildId}/${path}`;
    return fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  /** Denies one person their place. */
  async function deny(chatUserId: string): Promise<void> {
    const member = await house.collection('members').findOne({ chatUserId });
    const settings: GuildSettings = JSON.parse(await (await request('GET', 'settings')).text());
    settings.restrictions = { ...settings.restrictions, action: 'kick', deniedGameUserIds: [member?.gameUserId] };
    expect((await request('PUT', 'settings', settings)).status).to.equal(200);
  }

  const isKick = ({ method, path }: { method: string; path: string }): boolean =>
    method === 'DELETE' && /\/members\/\d+$/.test(path);

  for (const [index, when] of (['before', 'after'] as const).entries()) {
    it(`A service killed ${when} Discord has kicked a member leaves exactly one entry of it`, async () => {
      const { chatUserId = '' } = crowd.members[index] ?? {};
      const { discord } = house;
      const isThere = () => discord.member(crowd.guildId, chatUserId) !== undefined;
      discord.forgetRequests();
      discord.inject({ match: /^DELETE .*\/members\/\d+$/, delayMs: 20_000, dropSocket: true, when });
      await deny(chatUserId);
      const kicking = request('POST', `members/${chatUserId}/resync`).catch(() => 'killed');
      await eventually(() => discord.requests.some(isKick) && (when === 'before' || !isThere()), 'the kick');
      await house.kill();
      expect(await kicking).to.equal('killed');
      discord.clearFaults();
      const owed = await house.collection('members').findOne({ chatUserId });
      expect(owed?.kicking?.entry?.action).to.equal('member.kicked');
      expect(owed).to.have.property('owedSync');
      await house.start();
      await house.collection('members').updateOne({ chatUserId }, { $set: { 'owedSync.dueAt': new Date(0) } });
      const isOver = async () => (await house.collection('members').findOne({ chatUserId }))?.kicking === undefined;
      await eventually(async () => !isThere() && (await isOver()), 'the end of the kick');
      const kicks = { action: 'member.kicked', 'target.id': chatUserId };
      await eventually(() => house.collection('audit_log').findOne(kicks), 'the entry');
      const entries = await house.collection('audit_log').find<AuditEntry>(kicks).toArray();
      expect(entries).to.have.length(1);
      expect(entries[0]?.changes).to.deep.equal({ reason: { from: null, to: 'denied_user' } });
      const after = await house.collection('members').findOne({ chatUserId });
      expect(after).to.include({ present: false }).and.not.to.have.any.keys('kicking', 'owedSync');
    });
  }
});

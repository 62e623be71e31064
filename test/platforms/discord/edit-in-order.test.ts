import { setTimeout as delay } from 'node:timers/promises';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { inLane } from '../../../src/lib/lane.js';
import type { GuildMember } from '../../../src/platforms/discord/guild-members.js';
import { editMemberInTurn, setNickname } from '../../../src/platforms/discord/member-writes.js';
import { lanesOf } from '../../../src/platforms/discord/rest/request-lanes.js';
import { buildGuild, buildMember, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('Edits of a member in order', () => {
  const waiting = () => lanesOf(container.client.rest).stats;

  /** A guild with a first member whose edit takes until `letGo`, and a second member. */
  const busyGuild = async () => {
    const { discord } = await world();
    const { guildId, ...guild } = await buildGuild();
    const [first, second] = [
      await buildMember({ guildId, ...guild }, { linked: false }),
      await buildMember({ guildId, ...guild }, { linked: false }),
    ];
    const roles = ['Ours', 'Theirs'].map((name) => discord.addRole(guildId, { name }).id);
    const letGo = discord.inject({ match: new RegExp(`^PATCH .*/members/${first.chatUserId}$`), held: true, times: 1 });
    const [ours = '', theirs = ''] = roles;
    const busy = inLane('bulk', () => setNickname(guildId, first.chatUserId, 'Busy', { reason: 'test' }));
    return { discord, guildId, chatUserId: second.chatUserId, ours, theirs, busy, letGo };
  };

  // SYNC-14
  it('An edit of a member keeps others’ changes from its wait', async () => {
    const { discord, guildId, chatUserId, ours, theirs, busy, letGo } = await busyGuild();
    const decide = async (now: GuildMember | null) => ({ roleIds: [...(now?.roleIds ?? []), ours] });
    const edit = inLane('bulk', () => editMemberInTurn(guildId, chatUserId, decide, { reason: 'test' }));
    await eventually(() => waiting().waiting.bulk > 0, 'the wait for its turn');
    discord.setMemberRoles(guildId, chatUserId, [theirs]);
    letGo();
    await busy;
    expect((await edit)?.roleIds.sort()).to.deep.equal([ours, theirs].sort());
    expect(discord.member(guildId, chatUserId)?.roleIds.sort()).to.deep.equal([ours, theirs].sort());
  });

  it('An edit of a member sends nothing when nothing is decided, and reports that the member has left', async () => {
    const { discord, guildId, chatUserId, busy, letGo } = await busyGuild();
    const seen: (GuildMember | null)[] = [];
    const decide = async (now: GuildMember | null) => {
      seen.push(now);
      return null;
    };
    const edit = inLane('bulk', () => editMemberInTurn(guildId, chatUserId, decide, { reason: 'test' }));
    await eventually(() => waiting().waiting.bulk > 0, 'the wait for its turn');
    discord.leave(guildId, chatUserId);
    letGo();
    await busy;
    discord.forgetRequests();
    expect(await edit).to.equal(null);
    expect(seen).to.deep.equal([null]);
    expect(discord.requests.filter(({ method }) => method === 'PATCH')).to.deep.equal([]);
  });

  // SYNC-15
  it('An edit reads the member again when the decision took long, as while the database is away', async () => {
    const { discord, guildId, chatUserId, ours, theirs, busy, letGo } = await busyGuild();
    letGo();
    await busy;
    const seen: (GuildMember | null)[] = [];
    const decide = async (now: GuildMember | null) => {
      seen.push(now);
      if (seen.length === 1) {
        await delay(400);
        discord.setMemberRoles(guildId, chatUserId, [theirs]);
      }
      return { roleIds: [...(now?.roleIds ?? []), ours] };
    };
    const edited = await editMemberInTurn(guildId, chatUserId, decide, { reason: 'test' });
    expect(edited?.roleIds.sort()).to.deep.equal([ours, theirs].sort());
    expect(seen.length).to.be.at.least(2);
  });

  const lanes = ['press', 'single', 'bulk'] as const;

  /** Edits a member in each lane; each edit keeps manual changes from its wait for `limit`'s end. */
  async function isLeftSo(
    limit: (guildId: string, spare: string) => Promise<void>,
    isWaiting: (guildId: string) => Promise<unknown>,
  ): Promise<void> {
    const { discord } = await world();
    const guild = await buildGuild();
    const [ours = '', given = '', taken = ''] = ['Ours', 'Given', 'Taken'].map(
      (name) => discord.addRole(guild.guildId, { name }).id,
    );
    const spare = await buildMember(guild, { linked: false });
    const people = await Promise.all(lanes.map(() => buildMember(guild, { linked: false, roleIds: [taken] })));
    await limit(guild.guildId, spare.chatUserId);
    const decide = async (now: GuildMember | null) => ({ roleIds: [...(now?.roleIds ?? []), ours] });
    const edits = lanes.map((lane, n) =>
      inLane(lane, () => editMemberInTurn(guild.guildId, people[n]?.chatUserId ?? '', decide, { reason: 'test' })),
    );
    await isWaiting(guild.guildId);
    for (const { chatUserId } of people) {
      expect(discord.member(guild.guildId, chatUserId)?.roleIds).not.to.contain(ours);
      discord.setMemberRoles(guild.guildId, chatUserId, [given]);
    }
    for (const edit of edits) expect((await edit)?.roleIds.sort()).to.deep.equal([ours, given].sort());
  }

  // SYNC-14
  it('An edit keeps an admin’s changes from its wait for the rate limit, in every lane', async () => {
    const useUp = async (guildId: string, chatUserId: string) => {
      const edit = () => editMemberInTurn(guildId, chatUserId, async () => ({ roleIds: [] }), { reason: 'test' });
      for (let n = 0; n < 9; n += 1) await inLane('single', edit);
      await inLane('press', edit);
    };
    // An edit that did not wait to read would do it now.
    await isLeftSo(useUp, () => delay(300));
  });

  // SYNC-14
  it('An edit keeps an admin’s changes when others have used up the rate limit', async () => {
    const { discord } = await world();
    const refuse = async (guildId: string) => {
      const match = new RegExp(`^PATCH .*/guilds/${guildId}/members/`);
      discord.inject({ match, status: 429, retryAfter: 2, times: 3 });
    };
    const isRefused = (guildId: string) =>
      eventually(
        () => discord.requests.some(({ path, status }) => status === 429 && path.includes(guildId)),
        'the refusal',
      );
    await isLeftSo(refuse, isRefused);
    discord.clearFaults();
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { editMemberInTurn, type GuildMember, giveRole } from '../../../src/platforms/discord/guild-members.js';
import { inLane } from '../../../src/platforms/discord/lane.js';
import { buildGuild, buildMember } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('edit of a member in turn', () => {
  /** A guild whose first member is being given a role, which takes its time, and a second member. */
  const busyGuild = async () => {
    const { discord } = await world();
    const { guildId, ...guild } = await buildGuild();
    const [first, second] = [
      await buildMember({ guildId, ...guild }, { linked: false }),
      await buildMember({ guildId, ...guild }, { linked: false }),
    ];
    const roles = ['Ours', 'Theirs'].map((name) => discord.addRole(guildId, { name }).id);
    discord.inject({ match: new RegExp(`^PUT .*/members/${first.chatUserId}/`), delayMs: 400, times: 1 });
    const [ours = '', theirs = ''] = roles;
    const busy = inLane('bulk', () => giveRole(guildId, first.chatUserId, ours, 'test'));
    return { discord, guildId, chatUserId: second.chatUserId, ours, theirs, busy };
  };

  it('keeps what others have changed while it waited', async () => {
    const { discord, guildId, chatUserId, ours, theirs, busy } = await busyGuild();
    const decide = async (now: GuildMember | null) => ({ roleIds: [...(now?.roleIds ?? []), ours] });
    const edit = inLane('bulk', () => editMemberInTurn(guildId, chatUserId, decide, 'test'));
    await delay(150);
    discord.setMemberRoles(guildId, chatUserId, [theirs]);
    await busy;
    expect((await edit)?.roleIds.sort()).to.deep.equal([ours, theirs].sort());
    expect(discord.member(guildId, chatUserId)?.roleIds.sort()).to.deep.equal([ours, theirs].sort());
  });

  it('sends nothing when that is what is decided, and tells who has left', async () => {
    const { discord, guildId, chatUserId, busy } = await busyGuild();
    const seen: (GuildMember | null)[] = [];
    const decide = async (now: GuildMember | null) => {
      seen.push(now);
      return null;
    };
    const edit = inLane('bulk', () => editMemberInTurn(guildId, chatUserId, decide, 'test'));
    await delay(150);
    discord.leave(guildId, chatUserId);
    await busy;
    discord.forgetRequests();
    expect(await edit).to.equal(null);
    expect(seen).to.deep.equal([null]);
    expect(discord.requests.filter(({ method }) => method === 'PATCH')).to.deep.equal([]);
  });
});

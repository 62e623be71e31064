import { systemActor } from '../../src/core/actors/actor.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { Members } from '../../src/features/members/member-model.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { latestResync, startResync } from '../../src/features/sync/resync/resync-service.js';
import { eventually } from '../support/build.js';
import { storedDifference } from '../support/differences.js';
import { world } from '../support/world.js';
import type { ShowcaseGuild } from './showcase-guild.js';

/**
 * Gives all members the roles and nicknames that they lack, as another bot would have. Rolelink's own writes would take
 * minutes under Discord's limits.
 */
export async function settleRoles(guild: ShowcaseGuild): Promise<void> {
  const { discord } = await world();
  const { guildId } = guild;
  await resyncEverybody(guild);
  const stored = await Members.acrossGuilds.find({ guildId }).lean();
  for (const { chatUserId, differs } of stored) {
    const difference = differs === undefined ? null : await storedDifference(guildId, chatUserId);
    if (difference === null) continue;
    const held = discord.member(guildId, chatUserId)?.roleIds ?? [];
    const kept = held.filter((roleId) => !difference.remove.includes(roleId));
    const roleIds = [...new Set([...kept, ...difference.add])];
    const { nickname } = difference;
    discord.setMember(guildId, chatUserId, { roleIds, ...(nickname !== undefined && { nickname }) });
  }
  await resyncEverybody(guild);
}

/** Some members miss a role, and some have one too many: what a change from another bot brings to light. */
export async function disturbRoles(guild: ShowcaseGuild): Promise<void> {
  const { discord } = await world();
  const { guildId, members, roleIds } = guild;
  const surplus = ['Captain', 'Medical Bay', 'Faculty'].map((name) => roleIds.get(name) ?? '');
  for (const [index, { chatUserId }] of members.entries()) {
    if (index % 12 !== 3) continue;
    const held = discord.member(guildId, chatUserId)?.roleIds ?? [];
    const extra = index % 5 === 0 ? [] : [surplus[index % surplus.length] ?? ''];
    discord.setMemberRoles(guildId, chatUserId, [...new Set([...held.slice(index % 2), ...extra])]);
  }
  await resyncEverybody(guild);
}

/** From observing to enforcing, with a resync over everybody. */
export async function enforce(guild: ShowcaseGuild): Promise<void> {
  await writeSettings(guild.guildId, defaultSettings);
  await resyncEverybody(guild);
}

async function resyncEverybody({ guildId, guild }: ShowcaseGuild): Promise<void> {
  const { job } = await startResync(guild, systemActor('test'));
  await eventually(async () => {
    const latest = await latestResync(guildId);
    return latest?._id === job._id && latest.state === 'completed';
  }, 'the resync');
}

/** Promotes a few people, as on any day: their syncs write. */
export async function promoteSome({ guild, groupIds, members }: ShowcaseGuild): Promise<void> {
  const { roblox } = await world();
  for (const { chatUserId, gameUserId } of members.slice(30, 37)) {
    roblox.setRank(groupIds.get('Space Rangers') ?? '', gameUserId, 100);
    await syncMember(guild, chatUserId, { trigger: 'rank_change', actor: systemActor('rank watch') });
  }
}

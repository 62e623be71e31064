import { z } from 'zod';
import { systemActor } from '../../core/actors/actor.js';
import { findGuildsToCatchUp, findPresentGuild, type Guild, noteCaughtUp } from '../../core/guilds/guild-service.js';
import { logger } from '../../lib/logger.js';
import { readMemberPage } from '../../platforms/discord/guild-members.js';
import { inLane } from '../../platforms/discord/lane.js';
import { defineJob } from '../../platforms/jobs/define-job.js';
import { whoseLinkIsMissing } from '../members/account-settling.js';
import { memberJoined } from '../members/member-service.js';
import { hastenSyncs } from '../members/owed-syncs.js';
import { startResync } from '../sync/resync/resync-service.js';

export const catchUpGuilds = defineJob({
  name: 'catch-up-guilds',
  data: z.strictObject({}),
  concurrency: 1,
  run: (_data, { signal }) => catchUpAll(signal),
});

/** Catches up on what guilds missed while they were suspended. What an outage prevents is done by the next run. */
export async function catchUpAll(signal: AbortSignal): Promise<void> {
  for (const owed of await findGuildsToCatchUp()) {
    if (signal.aborted) return;
    const { _id: guildId } = owed;
    try {
      if (await inLane('bulk', () => catchUp(guildId, signal))) await noteCaughtUp(owed);
    } catch (err) {
      logger.warn({ err, guildId }, 'A guild has not caught up yet');
    }
  }
}

/**
 * Makes postponed syncs due now, links people who joined, and resyncs everybody, since ranks on Roblox may have
 * changed. Can be repeated and interrupted at any point. Returns false when it has to continue later.
 */
async function catchUp(guildId: string, signal: AbortSignal): Promise<boolean> {
  if ((await findPresentGuild(guildId)) === null) return true;
  await hastenSyncs(guildId);
  for (let after: string | null = '0'; after !== null; ) {
    const guild = await findPresentGuild(guildId);
    if (signal.aborted || guild === null || guild.state === 'suspended') return false;
    after = await linkPage(guild, after);
  }
  const guild = await findPresentGuild(guildId);
  if (guild === null || guild.state === 'suspended') return false;
  await startResync(guild, systemActor('unsuspended'));
  return true;
}

/** Links the people of one page of Discord's members whose account is known. Returns the id to continue after. */
async function linkPage(guild: Guild, after: string): Promise<string | null> {
  const { members, next } = await readMemberPage(guild._id, after);
  const missing = await whoseLinkIsMissing(
    guild._id,
    members.map(({ chatUserId }) => chatUserId),
  );
  for (const { chatUserId, username } of members) {
    if (missing.has(chatUserId)) await memberJoined(guild, { chatUserId, username });
  }
  return next;
}

import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { push } from '../../platforms/events/outbox.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { findMember } from './member-service.js';
import { announceSync, pendingSync } from './pending-syncs.js';

/** The obstacle for people left out by an admin. It lists them by the obstacle index. */
export const leftOutItself = 'left_out';

/** The most people that a guild leaves out: each write that has waited is compared with all. */
export const mostLeftOut = 500;

/** `no_member`: this person is unknown here; `full`: the guild leaves out as many as it may. */
export const leaveOutResults = ['done', 'no_member', 'full'] as const;
export type LeaveOutResult = (typeof leaveOutResults)[number];

export interface LeaveOutWish {
  memberIds: readonly string[];
  /** False: they take part again. */
  leftOut: boolean;
}

/**
 * Leaves members out of every change, or ends that. Each gets a pending sync in the same write, which ends their
 * difference, or brings them in step again (OBS-117). Returns the results in the wished order.
 */
export async function leaveOut(
  { _id: guildId }: Guild,
  { memberIds, leftOut }: LeaveOutWish,
  actor: Actor,
): Promise<LeaveOutResult[]> {
  let room = leftOut ? mostLeftOut - (await findLeftOut(guildId)).length : 0;
  const results: LeaveOutResult[] = [];
  for (const chatUserId of memberIds) {
    const member = await findMember(guildId, chatUserId);
    if (member === null) results.push('no_member');
    else if ((member.leftOut !== undefined) === leftOut) results.push('done');
    else if (leftOut && room < 1) results.push('full');
    else {
      await setLeftOut(member, leftOut, actor);
      room -= 1;
      results.push('done');
    }
  }
  return results;
}

async function setLeftOut(member: Member, leftOut: boolean, actor: Actor): Promise<void> {
  const { guildId, chatUserId, chatUsername: name } = member;
  const entry = newEntry({
    ...{ guildId, actor, action: leftOut ? 'member.left_out' : 'member.included' },
    target: { kind: 'member', id: chatUserId, name },
  });
  const change = leftOut
    ? {
        $set: { leftOut: clock.now(), ...pendingSync('resync') },
        $addToSet: { blockedBy: leftOutItself },
        $unset: { differs: 1 as const },
      }
    : { $set: pendingSync('resync'), $pull: { blockedBy: leftOutItself }, $unset: { leftOut: 1 as const } };
  const there = { guildId, chatUserId, leftOut: trusted({ $exists: !leftOut }) };
  if ((await Members.update(there, { ...change, ...push(entry) })) === null) return;
  await enterLog(entry);
  announceSync(member, 'resync');
}

/** A member left out, and since when. */
export type LeftOutMember = Pick<Member, 'chatUserId' | 'chatUsername' | 'gameUsername'> & { leftOut: Date };

const shown = { _id: 0, chatUserId: 1, chatUsername: 1, gameUsername: 1, leftOut: 1 } as const;

/** A guild's members left out, also the absent ones. They number `mostLeftOut` and a request at most. */
export const findLeftOut = (guildId: string): Promise<LeftOutMember[]> =>
  Members.acrossGuilds
    .find({ guildId, blockedBy: leftOutItself, leftOut: trusted({ $exists: true }) }, shown)
    .hint(memberIndexes.blockedBy)
    .lean<LeftOutMember[]>();

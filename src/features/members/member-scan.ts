import { type PipelineStage, type QueryFilter, trusted } from 'mongoose';
import { RateLimited } from '../../lib/errors.js';
import { FairQueue } from '../../lib/fair-queue.js';
import { aggregateDirectly, readDirectly } from '../../platforms/database/direct-reads.js';
import { type Member, Members, memberIndexes } from './member-model.js';

// No index finds a text inside a name, or members in step. So a guild's members are read in steps: the embedded engine
// serves one command at a time, and others take their turns between two steps.

/** Members per step: some 10 ms in the embedded engine. */
const membersPerStep = 2_000;
/** A guild's scans that run or wait. */
const mostPerGuild = 20;
const retryAfterSeconds = 5;

const turns = new FairQueue({ inAll: 2, perKey: 1 });
const asked = new Map<string, number>();

/** The fields that decide a member's status. */
export type Found = Pick<Member, '_id' | 'state' | 'present' | 'goneSince'>;
export const foundFields = { state: 1, present: 1, goneSince: 1 } as const;

/**
 * The first `limit` members that match, in no particular order. Throws RateLimited if too many of a guild's scans wait.
 */
export function scanMembers(guildId: string, filter: QueryFilter<Member>, limit: number): Promise<Found[]> {
  return inTurn(guildId, async () => {
    const found: Found[] = [];
    for await (const step of stepsOf(guildId)) {
      const options = { projection: foundFields, hint: memberIndexes.chatUserId, limit: limit - found.length };
      const some = await readDirectly<Member>(Members.acrossGuilds, { ...step, $and: [filter] }, options);
      found.push(...some);
      if (found.length >= limit) break;
    }
    return found;
  });
}

/** Members with the same fields that decide their status, and their number. */
export type Counted = Omit<Found, '_id'> & { members: number };

/** How many members match, by status. Throws RateLimited if too many of a guild's scans wait. */
export function countByScan(guildId: string, filter: QueryFilter<Member>): Promise<Counted[]> {
  return inTurn(guildId, async () => {
    const counted: Counted[] = [];
    for await (const step of stepsOf(guildId)) {
      const goneSince = { $ifNull: ['$goneSince', '$$REMOVE'] };
      const pipeline: PipelineStage[] = [
        { $match: { ...step, $and: [filter] } },
        {
          $group: {
            _id: { state: '$state', present: '$present', isGone: { $gt: ['$goneSince', null] } },
            goneSince: { $first: '$goneSince' },
            members: { $sum: 1 },
          },
        },
        { $project: { _id: 0, state: '$_id.state', present: '$_id.present', goneSince, members: 1 } },
      ];
      counted.push(...(await aggregateDirectly<Counted>(Members.acrossGuilds, pipeline, stepHint)));
    }
    return counted;
  });
}

const stepHint = { hint: memberIndexes.chatUserId };

/** The filters for a guild's members, step by step. */
async function* stepsOf(guildId: string) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const last = await endOfStep(guildId, after);
    yield { guildId, chatUserId: trusted({ $gt: after, ...(last !== undefined && { $lte: last }) }) };
    after = last;
  }
}

/** The last member in the step that begins after a member; undefined: it is the last step. Reads the index alone. */
async function endOfStep(guildId: string, after: string): Promise<string | undefined> {
  const rest = { guildId, chatUserId: trusted({ $gt: after }) };
  const options = { projection: { _id: 0, chatUserId: 1 }, sort: { chatUserId: 1 }, limit: -1 } as const;
  const skip = membersPerStep - 1;
  const [last] = await readDirectly<Member>(Members.acrossGuilds, rest, { ...options, skip, ...stepHint });
  return last?.chatUserId;
}

async function inTurn<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  const before = asked.get(guildId) ?? 0;
  if (before >= mostPerGuild) throw new RateLimited(retryAfterSeconds, 'Too many searches in this server at once.');
  asked.set(guildId, before + 1);
  try {
    return await new Promise<T>((resolve, reject) => {
      turns.add(guildId, () => work().then(resolve, reject));
    });
  } finally {
    const left = (asked.get(guildId) ?? 1) - 1;
    if (left === 0) asked.delete(guildId);
    else asked.set(guildId, left);
  }
}

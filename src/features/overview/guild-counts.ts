import { LinkedGroups } from '../../core/groups/group-model.js';
import { Mappings } from '../mappings/mapping-model.js';
import { Members } from '../members/member-model.js';

export interface GuildCounts {
  /** `linked` includes who left the server: their link stays (SPEC §6.8). `joinedNotLinked` are there, and never were. */
  members: { linked: number; unlinked: number; joinedNotLinked: number };
  groups: number;
  mappings: number;
}

/**
 * What a guild has now. Counted in the indexes rather than kept as numbers, which a crash between two writes would
 * falsify for good: 100,000 members take some 40 ms.
 */
export async function countGuild(guildId: string): Promise<GuildCounts> {
  const [linked, unlinked, joinedNotLinked, groups, mappings] = await Promise.all([
    Members.count({ guildId, state: 'linked' }),
    Members.count({ guildId, state: 'unlinked' }),
    Members.count({ guildId, state: 'joined', present: true }),
    LinkedGroups.count({ guildId }),
    Mappings.count({ guildId }),
  ]);
  return { members: { linked, unlinked, joinedNotLinked }, groups, mappings };
}

import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { type NewRole } from '../../platforms/discord/role-creation.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';

/** A rank of a Roblox group, and the Discord role of the same name beside it. */
export interface RankBeside {
  rank: GameRole;
  /** Null: there is none. */
  roleId: string | null;
}

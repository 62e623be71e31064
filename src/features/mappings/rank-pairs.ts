import { isDeepStrictEqual } from 'node:util';
import { type Mapping, Mappings } from './mapping-model.js';
import { mapsWholeGroup, pairsOf, type RoleNames } from './whole-group.js';

/**
 * Stores with each whole-group mapping the roles that its ranks are matched with now (MAP-7). Writes only what is new:
 * a rank or a role that came, or a role that replaces a deleted one. A mapping changed since it was read is left to the
 * next reading.
 */
export async function rememberPairs(mappings: readonly Mapping[], names: RoleNames): Promise<void> {
  for (const mapping of mappings.filter((each) => mapsWholeGroup([each]))) {
    const { _id, guildId, updatedAt, pairs: before = [] } = mapping;
    const pairs = pairsOf(mapping, names);
    const kept = before.filter(({ gameRoleId }) => !pairs.some((pair) => pair.gameRoleId === gameRoleId));
    const now = [...pairs, ...kept];
    if (!isDeepStrictEqual(new Set(now.map(keyOf)), new Set(before.map(keyOf))))
      await Mappings.update({ _id, guildId, updatedAt }, { $set: { pairs: now } });
  }
}

const keyOf = ({ gameRoleId, roleId }: { gameRoleId: string; roleId: string }): string => `${gameRoleId} ${roleId}`;

import { createHash } from 'node:crypto';
import type { Guild } from '../../core/guilds/guild-service.js';
import { withLease } from '../../platforms/database/lease.js';
import { type GuildFacts, isAbove, readGuildFactsAfresh } from '../../platforms/discord/guild-facts.js';
import { createRole, mostRoles } from '../../platforms/discord/role-creation.js';
import { highestRank } from '../mappings/condition.js';
import { changeSetup, type GroupBeside, openSetup, ranksBeside, type Setup } from './setup-service.js';

/** The result of creating a setup's roles: how many exist now, and how many had no room. */
export interface MadeRoles {
  made: number;
  left: number;
}

const verifiedRoleName = 'Verified';
const verifiedColor = 0x57f287;

const reason = 'Rolelink: /setup';

const missingOf = (beside: GroupBeside | null) =>
  (beside?.ranks ?? []).filter(({ problem }) => problem === 'no_role').map(({ rank }) => rank);

/** How many roles `makeMissingRoles` would create. Pure. */
export const missingCount = ({ verifiedRoleId }: Setup, beside: GroupBeside | null): number =>
  new Set(missingOf(beside).map(({ name }) => nameKey(name))).size + (verifiedRoleId === null ? 1 : 0);

const nameKey = (name: string): string => name.trim().toLowerCase();

/** A key for exactly the roles that a setup lacks. Pure. */
export function missingKey({ groupId, verifiedRoleId }: Setup, beside: GroupBeside | null): string {
  const names = missingOf(beside).map(({ name }) => name);
  return createHash('sha256')
    .update(JSON.stringify([groupId, names, verifiedRoleId === null]))
    .digest('base64url');
}

/**
 * Creates a role without permissions for each rank in the setup's group that has none by its name. Also creates the
 * verified role if none is chosen. Discord adds new roles at the bottom, so the highest rank comes first. Reads Discord
 * again, alone in its guild, so that two presses at once create nothing twice. Creates nothing and returns null if
 * `key` is for other roles. Throws DiscordForbids, ChatPlatformUnavailable, Conflict `busy`.
 */
export function makeMissingRoles(guild: Guild, key: string): Promise<MadeRoles | null> {
  return alone(guild, async () => makeThose(guild._id, await openSetup(guild, null), key));
}

const alone = <T>({ _id }: Guild, make: () => Promise<T>): Promise<T> => withLease(`setup-roles:${_id}`, make);

async function makeThose(guildId: string, setup: Setup, key: string): Promise<MadeRoles | null> {
  const facts = await readGuildFactsAfresh(guildId);
  const beside = await ranksBeside(setup, facts);
  if (missingKey(setup, beside) !== key) return null;
  const missing = missingOf(beside);
  const named = new Map(missing.map(({ name, rank }) => [nameKey(name), { name, color: colorOfRank(rank) }]));
  const makes = [...named.values()].toReversed().map((role) => () => createRole(guildId, role, reason));
  if (setup.verifiedRoleId === null) makes.push(() => createVerifiedRole(guildId));
  let made = 0;
  for (const make of makes.slice(0, Math.max(mostRoles - facts.roles.size, 0))) {
    if ((await make()) === null) break;
    made += 1;
  }
  return { made, left: makes.length - made };
}

/**
 * Creates the verified role and chooses it, unless another one is chosen. `full`: the server has no room. Throws
 * likewise.
 */
export function makeVerifiedRole(guild: Guild): Promise<'made' | 'chosen' | 'full'> {
  return alone(guild, async () => {
    const [{ verifiedRoleId }, { roles }] = [await openSetup(guild, null), await readGuildFactsAfresh(guild._id)];
    if (verifiedRoleId !== null && roles.has(verifiedRoleId)) return 'chosen';
    return (await createVerifiedRole(guild._id)) === null ? 'full' : 'made';
  });
}

async function createVerifiedRole(guildId: string): Promise<string | null> {
  const roleId = await createRole(guildId, { name: verifiedRoleName, color: verifiedColor }, reason);
  if (roleId !== null) await changeSetup(guildId, { verifiedRoleId: roleId });
  return roleId;
}

const lowest = [0x95, 0xa5, 0xa6] as const;
const highest = [0xe6, 0x7e, 0x22] as const;

/** From grey for the lowest rank to orange for the highest, as 0xRRGGBB. Pure. */
function colorOfRank(rank: number): number {
  const share = rank / highestRank;
  return lowest.reduce(
    (color, low, index) => (color << 8) + Math.round(low + ((highest[index] ?? low) - low) * share),
    0,
  );
}

/** The roles above the bot, which it can't give, highest first; without integrations' roles. Pure. */
export function rolesAboveBot({ roles, bot }: GuildFacts): string[] {
  return [...roles.values()]
    .filter((role) => !role.managed && isAbove(role, bot.highestRole))
    .sort((a, b) => (isAbove(a, b) ? -1 : 1))
    .map(({ roleId }) => roleId);
}

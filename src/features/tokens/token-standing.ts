import { roleInGuild, roleOfPerson } from '../../core/access/guild-access.js';
import type { Actor } from '../../core/actors/actor.js';
import { holds, lowerRole, type TeamRole } from '../../core/actors/team-roles.js';
import { findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { snowflake } from '../../lib/ids.js';
import { type BotToken, BotTokens, notRevoked, teamRoleOf } from './token-model.js';

/** A token's current rights, and the person that made it; none if it was made on the command line. */
export interface TokenState {
  /** Null for a `game`, a `verifier` and a `ranker`, which have no say in the guild. */
  role: TeamRole | null;
  gameRole?: NonNullable<Actor['gameRole']>;
  ranksOnly?: NonNullable<Actor['ranksOnly']>;
  makerId?: string;
}

/**
 * The current rights of a token that is not revoked: never more than its maker's (AUTH-25). Null if its maker has no
 * role left, or if the token that made it is revoked or expired. `asRead` is its guild, if already read. Throws
 * ChatPlatformUnavailable if the maker's role depends on Discord and Discord does not answer.
 */
export async function stateOfToken(token: BotToken, asRead?: Guild | null): Promise<TokenState | null> {
  const { guildId, createdBy } = token;
  if (createdBy.startsWith('tok_')) {
    const maker = await BotTokens.acrossGuilds.findById(createdBy).lean<BotToken | null>().exec();
    const standing = maker !== null && isLiving(maker) ? await stateOfToken(maker, asRead) : null;
    return standing?.role ? { ...standing, ...worth(standing.role, token) } : null;
  }
  if (!snowflake.safeParse(createdBy).success) return worth('owner', token);
  const guild = asRead === undefined ? await findPresentGuild(guildId) : asRead;
  // Without the bot in the guild, the token can do nothing, and its rights stay unchanged.
  const own = guild === null ? 'owner' : await roleOfPerson(createdBy, guild);
  const standing = own && worth(own, token);
  return standing && { ...standing, makerId: createdBy };
}

/**
 * The rights of a token while its maker's role is `own`: a game needs the role that may claim accounts. A ranker has
 * that of its maker at each use.
 */
function worth(own: TeamRole, { role, ranking }: BotToken): TokenState | null {
  if (role === 'ranker')
    return ranking === undefined ? null : { role: null, ranksOnly: { ...ranking, makerRole: own } };
  if (role !== 'game' && role !== 'verifier') return { role: lowerRole(own, role) };
  return holds(own, teamRoleOf(role)) ? { role: null, gameRole: role } : null;
}

const isLiving = ({ revokedAt, expiresAt }: BotToken): boolean => revokedAt === undefined && expiresAt > clock.now();

/** An actor with the role that they hold in a guild now, which may be less than when their request began. */
export async function actorNow(actor: Actor, guild: Guild): Promise<Actor> {
  if (actor.kind !== 'bot_token') return { ...actor, role: await roleInGuild(actor, guild) };
  const token = await BotTokens.findOne({ _id: actor.id, guildId: actor.tokenGuildId ?? '', ...notRevoked() });
  return { ...actor, role: (token && (await stateOfToken(token))?.role) ?? null };
}

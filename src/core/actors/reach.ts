import { z } from 'zod';
import { NotFound } from '../../lib/errors.js';
import { type DiscordRole, type GuildFacts, isAbove, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { readMemberRoleIds } from '../../platforms/discord/guild-members.js';
import { dangerousPermissions } from '../../platforms/discord/permissions.js';
import { seenNow } from '../../platforms/discord/seen-members.js';
import { type Actor, personBehind } from './actor.js';
import { holds, type TeamRole } from './team-roles.js';

// The one rule of reach (AUTH-61): may this author cause this gain or loss for this person? Each door asks it here:
// mappings, set-up, configuration, previews, people imports, game codes, restrictions, unlinking and bulk work.

/** A change's author, as far as the change reaches. It is read once, and stored with what lasts. */
export const author = z.strictObject({
  /** The person behind it; null for Rolelink itself, the command line, and an author who is not known any more. */
  chatUserId: z.string().nullable(),
  /** The id of their highest Discord role at that time; null if they are above every role. */
  ceilingRoleId: z.string().nullable(),
});
export type Author = z.output<typeof author>;

/** A rule's author, with their team role. */
export interface RuleAuthor extends Author {
  role: TeamRole | null;
}

/** A person that a change affects. */
interface Affected {
  chatUserId: string;
  roleIds: readonly string[];
}

/** A gain or loss that an author would cause. */
export type Effect =
  /** A rule gives anybody a role, and takes it. */
  | { by: 'rule'; role: DiscordRole }
  /** A server's word about an account gives or takes this person's role. */
  | { by: 'word'; role: DiscordRole; person: Pick<Affected, 'chatUserId'> }
  /** The person as a whole loses: their link, all their roles, or their place in the server. */
  | { by: 'rule' | 'word'; person: Affected };

/** The reason why an author may not cause an effect. */
export type Barrier = 'dangerous' | 'above' | 'themselves';

/**
 * All reasons why this author may not cause this effect; none if they may. A role, or each role of an affected person,
 * has to be below the author's own highest role, so that Rolelink gives nobody a power that Discord denies them
 * (AUTH-42). Only an admin's rule gives dangerous permissions (AUTH-39). A word never does, and gives its own author
 * nothing (AUTH-62). Pure.
 */
export function barriersTo(by: Author | RuleAuthor, effect: Effect, facts: GuildFacts): Barrier[] {
  if (!('role' in effect)) return standsBelow(by, effect.person, facts) ? [] : ['above'];
  const { role } = effect;
  const mayEndanger = effect.by === 'rule' && 'role' in by && holds(by.role, 'admin');
  const isDangerous = !mayEndanger && dangerousPermissions(role.permissions).length > 0;
  const isOwn = effect.by === 'word' && effect.person.chatUserId === by.chatUserId;
  return [
    ...(isDangerous ? (['dangerous'] as const) : []),
    ...(isBelow(role, by, facts) ? [] : (['above'] as const)),
    ...(isOwn ? (['themselves'] as const) : []),
  ];
}

/** Whether this author may cause this effect. Pure. */
export const mayCause = (by: Author | RuleAuthor, effect: Effect, facts: GuildFacts): boolean =>
  barriersTo(by, effect, facts).length === 0;

/**
 * The author when `actor` makes a change. A bot token has its maker's roles; a person outside the guild has @everyone.
 * The guild's owner, command-line tokens and Rolelink itself are above every role. Throws ChatPlatformUnavailable.
 */
export async function authorOf(actor: Actor, facts: GuildFacts, readRoles = rolesOf): Promise<RuleAuthor> {
  const chatUserId = personBehind(actor);
  const above = { chatUserId, role: actor.role, ceilingRoleId: null };
  if (chatUserId === null || chatUserId === facts.ownerId) return above;
  const roleIds = await readRoles(facts.guildId, chatUserId);
  const held = roleIds.flatMap((roleId) => facts.roles.get(roleId) ?? []);
  const highest = held.reduce<DiscordRole | undefined>((a, b) => (a && isAbove(a, b) ? a : b), undefined);
  return { ...above, ceilingRoleId: highest?.roleId ?? facts.guildId };
}

/**
 * The author as `authorOf` returns it, for frequent callers: a person that the gateway reports costs no call to Discord.
 * Throws ChatPlatformUnavailable.
 */
export async function authorNow(guildId: string, actor: Actor): Promise<RuleAuthor> {
  return authorOf(actor, await readGuildFacts(guildId), rolesNow);
}

/**
 * Whether an actor may cause that people lose, or get back, everything that a link gives: each person's answer, by
 * their present roles. Only a person with a role that isn't below the actor's is out of reach; an author above every
 * role costs no call to Discord. Throws ChatPlatformUnavailable.
 */
export async function reachOf(guildId: string, actor: Actor): Promise<(chatUserId: string) => Promise<boolean>> {
  return reachOfAuthor(guildId, await authorOf(actor, await readGuildFacts(guildId)));
}

/** The same for an author whose reach was read before, as of a job. Throws ChatPlatformUnavailable. */
export async function reachOfAuthor(guildId: string, by: Author): Promise<(chatUserId: string) => Promise<boolean>> {
  const facts = await readGuildFacts(guildId);
  return async (chatUserId) => {
    if (by.ceilingRoleId === null) return true;
    const roleIds = await rolesNow(guildId, chatUserId);
    return mayCause(by, { by: 'rule', person: { chatUserId, roleIds } }, facts);
  };
}

/** The roles of a person as the gateway reports them, otherwise as Discord answers. */
const rolesNow = async (guildId: string, chatUserId: string): Promise<readonly string[]> =>
  seenNow(guildId, chatUserId)?.member?.roleIds ?? rolesOf(guildId, chatUserId);

/** A person whose account on Discord is gone has no roles, as anybody outside the guild. */
async function rolesOf(guildId: string, chatUserId: string): Promise<readonly string[]> {
  try {
    return (await readMemberRoleIds(guildId, chatUserId)) ?? [];
  } catch (error) {
    if (error instanceof NotFound) return [];
    throw error;
  }
}

/** The lower of two ceilings. A deleted role is the lowest. Pure. */
export function lowerCeiling(one: string | null, other: string | null, { roles }: GuildFacts): string | null {
  if (one === null || other === null) return one ?? other;
  const [a, b] = [roles.get(one), roles.get(other)];
  if (a === undefined || b === undefined) return a === undefined ? one : other;
  return isAbove(a, b) ? other : one;
}

/** A ceiling role that was deleted is above nothing. */
function isBelow(role: DiscordRole, { ceilingRoleId }: Author, { roles }: GuildFacts): boolean {
  if (ceilingRoleId === null) return true;
  const ceiling = roles.get(ceilingRoleId);
  return ceiling !== undefined && isAbove(ceiling, role);
}

/** Only an author above every role is above the server's owner. */
function standsBelow(by: Author, { chatUserId, roleIds }: Affected, facts: GuildFacts): boolean {
  if (by.ceilingRoleId === null) return true;
  if (chatUserId === facts.ownerId) return false;
  const held = [facts.guildId, ...roleIds].flatMap((roleId) => facts.roles.get(roleId) ?? []);
  return held.every((role) => isBelow(role, by, facts));
}

import { isDeepStrictEqual } from 'node:util';
import { Forbidden } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { readMemberPermissions } from '../../platforms/discord/guild-members.js';
import { mayKick } from '../../platforms/discord/permissions.js';
import { type Actor, personBehind } from '../actors/actor.js';
import { authorOf, lowerCeiling } from '../actors/reach.js';
import type { GuildSettings } from './guild-settings.js';
import { isRestrictive } from './restrictions.js';

/** The settings that decide a restriction's reach: everything except its reason, and the exemptions. */
function reachOf({ restrictions, bypass }: GuildSettings): unknown {
  const { reason: _, ...rules } = restrictions;
  return { rules, exempt: bypass.keepRoles };
}

/**
 * The Discord rank of the restrictions' author after this change by `actor` (RESTR-17). Existing restrictions keep the
 * lowest rank among their author and editors. Throws ChatPlatformUnavailable.
 */
export async function restrictionsCeilingOf(
  guildId: string,
  actor: Actor,
  before: { settings: GuildSettings; restrictionsCeiling: string | null },
  after: GuildSettings,
): Promise<string | null> {
  if (!isRestrictive(after.restrictions)) return null;
  if (isDeepStrictEqual(reachOf(before.settings), reachOf(after))) return before.restrictionsCeiling;
  const facts = await readGuildFacts(guildId);
  const { ceilingRoleId: own } = await authorOf(actor, facts);
  return isRestrictive(before.settings.restrictions) ? lowerCeiling(before.restrictionsCeiling, own, facts) : own;
}

/** Requires Discord's kick permission for restrictions that kick. Throws Forbidden, ChatPlatformUnavailable. */
export async function requireMayKick(guildId: string, actor: Actor, { restrictions }: GuildSettings): Promise<void> {
  const chatUserId = personBehind(actor);
  if (restrictions.action !== 'kick' || chatUserId === null) return;
  if (mayKick((await readMemberPermissions(guildId, chatUserId)) ?? 0n)) return;
  throw new Forbidden('forbidden', t('restriction.kick_refused'));
}

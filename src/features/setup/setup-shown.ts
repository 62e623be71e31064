import type { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { authorOf } from '../../core/actors/reach.js';
import { readGuildFactsAfresh } from '../../platforms/discord/guild-facts.js';
import { shownHolders } from '../../platforms/discord/role-holders.js';
import { shownRoleCounts } from '../../platforms/roblox/group-role-counts.js';
import { ranksBeside, type Setup } from './setup-service.js';
import { type setupView, viewSetup } from './setup-view.js';

/** A setup as its page shows it to this person, from Discord as it is now. Throws ChatPlatformUnavailable. */
export async function showSetup(setup: Setup, actor: Actor): Promise<z.input<typeof setupView>> {
  const facts = await readGuildFactsAfresh(setup.guildId);
  const { ceilingRoleId } = await authorOf(actor, facts);
  const beside = await ranksBeside(setup, facts, ceilingRoleId);
  const [counts, holdersOf] = await Promise.all([
    beside === null ? null : shownRoleCounts(beside.group.groupId),
    shownHolders(setup.guildId),
  ]);
  return viewSetup(setup, { facts, beside, counts, holdersOf });
}

import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { inPieces } from '../../lib/in-pieces.js';
import { namesPerRead, readGameNames } from '../../platforms/roblox/game-user-search.js';
import { voucherOf } from '../accounts/account-words.js';
import type { KnownLink } from '../accounts/missing-links.js';
import { linksByItself } from '../members/consent-rules.js';
import type { GuildWord } from '../members/member-model.js';
import { type LinkEffects, planLinks } from '../sync/preview/link-effects.js';
import type { NicknameChoice, Pair } from './people-list.js';

/**
 * An import's effects on its members. `planning`: the same dry run answers them later. `unknown`: Roblox doesn't
 * answer, or the other bot is asked only by the import itself.
 */
export type ImportEffects =
  | { state: 'planned'; found: LinkEffects }
  | { state: 'planning' }
  | { state: 'unknown'; reason: 'asked_later' | 'roblox_unavailable' };

/**
 * Plans the people in new pairs as if they were imported by `actor`, whatever other servers know about them
 * (PEOPLE-21). Throws ChatPlatformUnavailable, and the signal's reason.
 */
export async function effectsOfPairs(
  guild: Guild,
  actor: Actor,
  { people: pairs, nicknames }: { people: readonly Pair[]; nicknames?: NicknameChoice | undefined },
  signal: AbortSignal,
): Promise<ImportEffects> {
  const member = { present: true, autoLinkBlocked: false };
  if (pairs.length === 0 || !linksByItself(member, await readSettings(guild._id))) return noEffects;
  try {
    const voucher = await voucherOf(guild._id, actor);
    const keeps = nicknames === 'keep' && { keepsNickname: true as const };
    const word = { method: 'imported' as const, importedFrom: 'list', voucher, ...keeps };
    return { state: 'planned', found: await planLinks(guild, await linksOf(pairs, word, signal), signal) };
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return { state: 'unknown', reason: 'roblox_unavailable' };
    throw error;
  }
}

/** In a server that links nobody by itself, nobody changes before they agree or verify. */
const noEffects: ImportEffects = {
  state: 'planned',
  found: { gain: 0, lose: 0, renamed: 0, kicked: 0, unknown: 0, roles: [], people: [] },
};

/** The links for pairs with an account that Roblox knows, by person. */
async function linksOf(pairs: readonly Pair[], word: GuildWord, signal: AbortSignal): Promise<Map<string, KnownLink>> {
  const links = new Map<string, KnownLink>();
  for (const piece of inPieces(pairs, namesPerRead)) {
    signal.throwIfAborted();
    const names = await readGameNames(piece.map(({ gameUserId }) => gameUserId));
    for (const { chatUserId, gameUserId } of piece) {
      const game = names.get(gameUserId);
      if (game !== undefined) links.set(chatUserId, { ...game, word });
    }
  }
  return links;
}

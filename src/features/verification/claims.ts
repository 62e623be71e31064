import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { ProofMethod } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { t, withLocale } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import type { MessageButton } from '../../platforms/discord/direct-messages.js';
import { push } from '../../platforms/events/outbox.js';
import { readHeadshot } from '../../platforms/roblox/game-headshots.js';
import { voucherOf } from '../accounts/account-words.js';
import type { GameIdentity } from '../members/member-model.js';
import { askAboutClaim } from './claim-questions.js';
import { personOf } from './proof-completion.js';
import type { ProvenGame, StoredVerification } from './verification-model.js';
import { type ClaimedVerification, heldLifeMs, updateProof } from './verification-store.js';

/**
 * Holds a guild token's proof for 24 hours, until the person confirms it (VER-14), and asks them by direct message.
 * Null if the proof had expired.
 */
export async function holdClaim(
  claimed: ClaimedVerification,
  game: ProvenGame,
  { token, actor, guild }: { token: string; actor: Actor; guild: Guild | null },
): Promise<StoredVerification | null> {
  const entry = newEntry({
    guildId: claimed.guildId,
    actor,
    action: 'verification.claimed',
    target: personOf(claimed),
    changes: { gameUserId: { from: null, to: game.gameUserId }, method: { from: null, to: claimed.method } },
  });
  const { guildId } = claimed;
  const isWord = claimed.method === 'game_code' && guildId !== null;
  const voucher = isWord ? await voucherOf(guildId, actor) : undefined;
  const held = await updateProof(claimed, {
    $set: {
      ...(voucher && { voucher }),
      state: 'awaiting_confirmation',
      reason: null,
      proof: null,
      game,
      expiresAt: new Date(clock.epochMs() + heldLifeMs),
    },
    ...push(entry),
  });
  if (held === null) return null;
  await enterLog(entry);
  void askPerson(held, game, token, guild);
  return held;
}

/** Never throws: the page at `confirmUrl` asks the same. */
async function askPerson(
  session: StoredVerification,
  game: ProvenGame,
  token: string,
  guild: Guild | null,
): Promise<void> {
  const { guildId, method } = session;
  const [imageUrl, locale] = await Promise.all([
    readHeadshot(game.gameUserId),
    guildId === null
      ? ('en' as const)
      : readSettings(guildId).then(
          (settings) => settings.locale,
          () => 'en' as const,
        ),
  ]);
  const { words, buttons } = withLocale(locale, () =>
    claimQuestion(token, { guildName: guild?.name ?? '', game, method }),
  );
  await askAboutClaim(session, words, { buttons, imageUrl });
}

/** The question whether an account is theirs, and its buttons, which name the account and how it was proved. */
export function claimQuestion(
  token: string,
  { guildName, game, method }: { guildName: string; game: GameIdentity; method: ProofMethod },
): { words: string; buttons: MessageButton[] } {
  const words = t(method === 'game_code' ? 'claim.question_game' : 'claim.question', {
    guild: verbatim(guildName),
    account: verbatim(game.gameUsername),
    url: `<https://www.roblox.com/users/${game.gameUserId}/profile>`,
  });
  const claim = [token, method, game.gameUserId].join(':');
  const buttons = [
    { customId: `claim-confirm:${claim}`, label: t('claim.yes') },
    { customId: `claim-reject:${claim}`, label: t('claim.no'), isDanger: true },
  ];
  return { words, buttons };
}

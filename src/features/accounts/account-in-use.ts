import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import type { GameIdentity, GuildWord, Member } from '../members/member-model.js';
import { proofsOf, type StoredAccount } from './account-model.js';

// A guild uses one account per person: the main one, or the one that they chose for it (ID-94). It never sees another.

/** The member parts that decide which account their guild uses. */
export type MemberUse = Pick<Member, 'state' | 'gameUserId' | 'chosenGameUserId'>;

/** The guild's rules about accounts, which matter for people with several. */
export type AccountRules = Pick<GuildSettings, 'restrictions' | 'accounts'>;

/**
 * The proof that a guild uses among a person's `accounts`; null for none. `rules` may be left out for a person with one
 * proof. Pure.
 */
export function proofInUse<A extends Pick<StoredAccount, 'guildId' | 'gameUserId' | 'mainSince' | 'linkedAt'>>(
  accounts: readonly A[],
  member: MemberUse | null,
  rules?: AccountRules,
): A | null {
  const proofs = proofsOf(accounts);
  const chosen = member?.chosenGameUserId;
  // A chosen account that has ended shows the guild no other one (ID-96).
  const named = chosen === undefined ? proofs[0] : proofs.find(({ gameUserId }) => gameUserId === chosen);
  // Ending a link that stood before the setting would reveal another account.
  const isInUse = ({ gameUserId }: A): boolean => member?.state === 'linked' && member.gameUserId === gameUserId;
  const isAllowed = rules?.accounts !== 'main' || named === proofs[0] || (named !== undefined && isInUse(named));
  const wished = isAllowed ? named : undefined;
  const denied = proofs.filter(({ gameUserId = '' }) => rules?.restrictions.deniedGameUserIds.includes(gameUserId));
  if (denied.length === 0 || (wished !== undefined && denied.includes(wished))) return wished ?? null;
  // Changing to another account is no way around a restriction (RESTR-20).
  return denied.find(isInUse) ?? null;
}

/**
 * The accounts that may count in a guild, the proof that it would use first: it beats every word. `known` settings are
 * not read again; they matter for people with several proofs.
 */
export async function candidatesOf(
  { guildId, member }: { guildId: string; member: MemberUse | null },
  accounts: readonly StoredAccount[],
  known?: GuildSettings,
) {
  const isOne = proofsOf(accounts).length < 2;
  const proof = proofInUse(accounts, member, isOne ? undefined : (known ?? (await readSettings(guildId))));
  const inOrder = [...(proof ? [proof] : []), ...accounts.filter((account) => account.guildId === guildId)];
  return inOrder.flatMap((account) => {
    const game = gameOf(account);
    return game === null ? [] : [{ account, game, word: wordOf(account) }];
  });
}

export type Candidate = Awaited<ReturnType<typeof candidatesOf>>[number];

/** The guild's word that a link by this account rests on; undefined for a proof. */
export function wordOf({
  guildId,
  method,
  importedFrom,
  voucher,
  keepsNickname,
}: StoredAccount): GuildWord | undefined {
  if (guildId === undefined || voucher === undefined) return undefined;
  const given = {
    ...(importedFrom !== undefined && { importedFrom }),
    voucher,
    ...(keepsNickname && { keepsNickname }),
  };
  return { method: method === 'game_code' ? 'game_code' : 'imported', ...given };
}

export function gameOf({ gameUserId, gameUsername, gameDisplayName }: Partial<GameIdentity>): GameIdentity | null {
  if (gameUserId === undefined || gameUsername === undefined || gameDisplayName === undefined) return null;
  return { gameUserId, gameUsername, gameDisplayName };
}

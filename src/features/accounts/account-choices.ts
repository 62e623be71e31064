import { findGuilds } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Conflict } from '../../lib/errors.js';
import { type Member, Members } from '../members/member-model.js';
import { proofInUse } from './account-in-use.js';
import { Accounts, mainFromNow, mostAccounts, proofsOf, provedBy, type StoredAccount } from './account-model.js';
import type { AccountUse } from './account-use.js';

// The choice about a newly proved account (VER-35) names the servers that change, before anything is written.

/** A server by its id and name. */
export interface NamedServer {
  guildId: string;
  name: string;
}

/** One use of a new account: the servers that would use another account by it, or the refusal. */
export interface UseChoice {
  use: AccountUse;
  changes: NamedServer[];
  refusal: 'accounts_full' | 'account_restricted' | null;
}

type Proof = Pick<StoredAccount, 'guildId' | 'gameUserId' | 'mainSince' | 'linkedAt'>;

interface Newcomer {
  chatUserId: string;
  guildId: string | null;
}

/** The uses of an account that a person has proved in a guild, or on the web (`guildId` null), the default first. */
export async function choicesOf({ chatUserId, guildId }: Newcomer, gameUserId: string): Promise<UseChoice[]> {
  const [proofs, members] = await Promise.all([
    Accounts.find(provedBy(chatUserId)).lean<StoredAccount[]>(),
    Members.acrossGuilds
      .find({ chatUserId, state: 'linked' as const })
      .hint({ chatUserId: 1 })
      .lean<Member[]>(),
  ]);
  const guilds = await findGuilds([...new Set([...members.map((member) => member.guildId), guildId ?? ''])], null);
  const names = new Map(guilds.map(({ _id, name }) => [_id, name]));
  const isRestricted = guildId !== null && (await isHeldByDenial(guildId, proofs, gameUserId));
  const isFull = proofs.length >= mostAccounts && !proofs.some((proof) => proof.gameUserId === gameUserId);
  return (['here', 'main', 'replace'] as const).map((use) => {
    const after = proofsAfter(proofs, { gameUserId, use, inUse: inUseOf(guildId, members, proofs) });
    const changed = members.filter((member) => {
      const isHere = member.guildId === guildId;
      return (isHere ? gameUserId : usedAfter(member, proofs, after)) !== member.gameUserId;
    });
    const ids = new Set([...changed.map((member) => member.guildId), ...(guildId === null ? [] : [guildId])]);
    const changes = [...ids].map((id) => ({ guildId: id, name: names.get(id) ?? id }));
    const refusal = use === 'replace' ? null : isRestricted ? 'account_restricted' : isFull ? 'accounts_full' : null;
    return { use, changes: changes.sort((a, b) => a.name.localeCompare(b.name, 'en')), refusal };
  });
}

/** The account that a guild without a change of its own uses after a choice. A guild's word stays. */
function usedAfter(member: Member, before: readonly Proof[], after: readonly Proof[]): string | undefined {
  const isProved = before.some(({ gameUserId }) => gameUserId === member.gameUserId);
  return isProved ? proofInUse(after, member)?.gameUserId : member.gameUserId;
}

function inUseOf(guildId: string | null, members: readonly Member[], proofs: readonly Proof[]): string | undefined {
  const here = members.find((member) => member.guildId === guildId)?.gameUserId;
  return proofs.some(({ gameUserId }) => gameUserId === here) ? here : proofsOf(proofs)[0]?.gameUserId;
}

/** The proofs as a choice leaves them. */
function proofsAfter(
  proofs: readonly Proof[],
  { gameUserId, use, inUse }: { gameUserId: string; use: AccountUse; inUse: string | undefined },
): Proof[] {
  const [main] = proofsOf(proofs);
  const isMain = use === 'main' || (use === 'replace' && main?.gameUserId === inUse);
  const others = proofs.filter(
    (proof) => proof.gameUserId !== gameUserId && (use !== 'replace' || proof.gameUserId !== inUse),
  );
  const own = proofs.find((proof) => proof.gameUserId === gameUserId);
  return [...others, { ...own, gameUserId, ...(isMain && { mainSince: mainFromNow(proofs) }) }];
}

/** Whether the guild restricts another account of the person, which keeps this one out of use there (RESTR-20). */
export async function isHeldByDenial(guildId: string, proofs: readonly Proof[], gameUserId: string): Promise<boolean> {
  if (proofs.every((proof) => proof.gameUserId === gameUserId)) return false;
  const { deniedGameUserIds } = (await readSettings(guildId)).restrictions;
  return proofs.some((proof) => proof.gameUserId !== gameUserId && deniedGameUserIds.includes(proof.gameUserId ?? ''));
}

/** Throws Conflict with the refusal of this use, if it has one. */
export async function requireUse(person: Newcomer, gameUserId: string, use: AccountUse): Promise<void> {
  const refusal = (await choicesOf(person, gameUserId)).find((choice) => choice.use === use)?.refusal ?? null;
  if (refusal !== null) throw refusedUse(refusal);
}

export function refusedUse(refusal: NonNullable<UseChoice['refusal']>): Conflict {
  return refusal === 'accounts_full'
    ? new Conflict('accounts_full', 'You have verified five accounts. Remove one, or replace the one in use.')
    : new Conflict('account_restricted', 'This server restricts another account of yours, so it uses no other one.');
}

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

/** One way to use a new account: the servers that would use another account by it, or the refusal. */
export interface UseChoice {
  use: AccountUse;
  changes: NamedServer[];
  refusal: 'accounts_full' | 'account_restricted' | 'main_account_required' | null;
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
  const rule = guildId === null ? null : await ruleAgainst(guildId, proofs, gameUserId);
  const isFull = proofs.length >= mostAccounts && !proofs.some((proof) => proof.gameUserId === gameUserId);
  return (['here', 'main', 'replace'] as const).map((use) => {
    const after = proofsAfter(proofs, { gameUserId, use, inUse: inUseOf(guildId, members, proofs) });
    const changed = members.filter((member) => {
      const isHere = member.guildId === guildId;
      return (isHere ? gameUserId : usedAfter(member, proofs, after)) !== member.gameUserId;
    });
    const ids = new Set([...changed.map((member) => member.guildId), ...(guildId === null ? [] : [guildId])]);
    const changes = [...ids].map((id) => ({ guildId: id, name: names.get(id) ?? id }));
    const refusal = use === 'replace' ? null : (ruleFor(use, rule) ?? (isFull ? 'accounts_full' : null));
    return { use, changes: changes.sort((a, b) => a.name.localeCompare(b.name, 'en')), refusal };
  });
}

/** The account that a guild without its own change uses after a choice. A guild's word stays. */
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

/** A guild's rule that keeps an account from being used there if it is not the main one. */
type Rule = 'account_restricted' | 'main_account_required' | null;

/** A new main account meets `main_account_required`. */
const ruleFor = (use: AccountUse, rule: Rule): Rule =>
  use === 'main' && rule === 'main_account_required' ? null : rule;

/**
 * The guild's rule against using a person's account: it restricts another one they have (RESTR-20), or uses main
 * accounts only (ID-94).
 */
export async function ruleAgainst(guildId: string, proofs: readonly Proof[], gameUserId: string): Promise<Rule> {
  const others = proofs.filter((proof) => proof.gameUserId !== gameUserId);
  if (others.length === 0) return null;
  const { restrictions, accounts } = await readSettings(guildId);
  const isDenied = others.some((proof) => restrictions.deniedGameUserIds.includes(proof.gameUserId ?? ''));
  if (isDenied) return 'account_restricted';
  const isMain = proofsOf(proofs)[0]?.gameUserId === gameUserId;
  return accounts === 'main' && !isMain ? 'main_account_required' : null;
}

/** Throws Conflict with this use's refusal, if it has one. */
export async function requireUse(person: Newcomer, gameUserId: string, use: AccountUse): Promise<void> {
  const refusal = (await choicesOf(person, gameUserId)).find((choice) => choice.use === use)?.refusal ?? null;
  if (refusal !== null) throw refusedUse(refusal);
}

const refusedWords: Readonly<Record<NonNullable<UseChoice['refusal']>, string>> = {
  accounts_full: 'You have verified five accounts. Remove one, or replace the one in use.',
  account_restricted: 'This server restricts another account of yours, so it uses no other one.',
  main_account_required: 'This server uses main accounts only. Make this one your main account first.',
};

/** A use that the guild, or the account count, does not allow. */
export class UseRefused extends Conflict {}

export const refusedUse = (refusal: NonNullable<UseChoice['refusal']>): UseRefused =>
  new UseRefused(refusal, refusedWords[refusal]);

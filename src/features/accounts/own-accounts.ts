import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { NotFound } from '../../lib/errors.js';
import { push } from '../../platforms/events/outbox.js';
import type { Member } from '../members/member-model.js';
import { type NamedServer, refusedUse, ruleAgainst } from './account-choices.js';
import { choose } from './account-choosing.js';
import {
  type Account,
  Accounts,
  mainFromNow,
  proofsOf,
  provedBy,
  type StoredAccount,
  unsettledBy,
} from './account-model.js';
import { owesNothing } from './account-places.js';
import { asAccount } from './account-service.js';
import { settleAccount } from './account-settling.js';
import { consentsOf, type GuildConsent, noSuchGuild } from './consents.js';

// A person's own accounts. Nobody else sees more than the one in use in their server (ID-95).

/** An account that a person has proved. */
export interface OwnAccount {
  account: Account;
  isMain: boolean;
  /** The servers that use it, by name. */
  servers: NamedServer[];
  /** The servers that would use it from then on if it became the main one. */
  serversIfMain: NamedServer[];
}

/** The accounts that a person has proved, the main one first. */
export async function ownAccounts(chatUserId: string): Promise<OwnAccount[]> {
  const [stored, consents] = await Promise.all([
    Accounts.find(provedBy(chatUserId)).lean<StoredAccount[]>(),
    consentsOf(chatUserId),
  ]);
  const accounts = proofsOf(stored).flatMap((proof) => asAccount(proof) ?? []);
  const proved = consents.filter(({ member }) => member.state === 'linked' && member.word === undefined);
  const following = proved.filter(({ member }) => member.chosenGameUserId === undefined);
  return accounts.map((account, n) => ({
    account,
    isMain: n === 0,
    servers: proved.filter(({ member }) => member.gameUserId === account.gameUserId).map(nameOf),
    serversIfMain: following.filter(({ member }) => member.gameUserId !== account.gameUserId).map(nameOf),
  }));
}

const nameOf = ({ guild: { _id: guildId, name } }: GuildConsent): NamedServer => ({ guildId, name });

/**
 * Makes a person's account their main one, or uses it in these servers, or both. In each server this is consent
 * (ID-20), and the choice stays when another account becomes the main one. Servers that are not named keep their
 * account, unless they follow the main one. Throws NotFound `not_linked` for another account, NotFound
 * `guild_not_found` for a server that does not know them as a member, and UseRefused. Nothing changes then.
 */
export async function useAccount(person: Actor, gameUserId: string, uses: AccountUses): Promise<void> {
  if (await useOnce(person, gameUserId, uses)) return;
  // An earlier choice for this account was left half made.
  await settleAccount(person.id);
  if (!(await useOnce(person, gameUserId, uses))) throw noSuchAccount();
}

interface AccountUses {
  main?: boolean | undefined;
  guildIds?: readonly string[] | undefined;
}

/** False if the account has ended meanwhile, or an earlier choice must be settled first. */
async function useOnce(
  person: Actor,
  gameUserId: string,
  { main = false, guildIds = [] }: AccountUses,
): Promise<boolean> {
  const proofs = proofsOf(await Accounts.find(provedBy(person.id)).lean<StoredAccount[]>());
  const own = proofs.find((proof) => proof.gameUserId === gameUserId);
  if (own === undefined) throw noSuchAccount();
  const members = guildIds.length === 0 ? [] : await membershipsIn(guildIds, person.id);
  for (const guildId of guildIds) {
    const rule = await ruleAgainst(guildId, proofs, gameUserId);
    if (rule !== null && !(main && rule === 'main_account_required')) throw refusedUse(rule);
  }
  const becomesMain = main && own !== proofs[0];
  if (!becomesMain && members.every((member) => isChosen(member, gameUserId))) return true;
  // The mark comes first: after a crash the job makes the choices that it names.
  if (!(await markUnsettled(own, person, { guildIds, mainSince: becomesMain ? mainFromNow(proofs) : undefined })))
    return false;
  for (const member of members) await choose(member, gameUserId, person);
  await settleAccount(person.id);
  return true;
}

/** The person in these servers, as stored: no request about many servers asks Discord for each. */
async function membershipsIn(guildIds: readonly string[], chatUserId: string): Promise<Member[]> {
  const known = new Map((await consentsOf(chatUserId)).map(({ guild, member }) => [guild._id, member]));
  return guildIds.map((guildId) => {
    const member = known.get(guildId);
    if (member === undefined) throw noSuchGuild();
    return member;
  });
}

const noSuchAccount = () => new NotFound('not_linked', 'You have verified no such Roblox account.');

const isChosen = ({ state, gameUserId: used, chosenGameUserId }: Member, gameUserId: string): boolean =>
  state === 'linked' && used === gameUserId && chosenGameUserId === gameUserId;

/** False if the account has ended, or has a mark that must be settled first. */
async function markUnsettled(
  { _id, gameUserId, gameUsername = '' }: StoredAccount,
  person: Actor,
  { mainSince, guildIds }: { mainSince: Date | undefined; guildIds: readonly string[] },
): Promise<boolean> {
  const entry = newEntry({
    guildId: null,
    actor: person,
    action: 'account.used',
    target: { kind: 'account', id: person.id, name: gameUsername },
    changes: {
      gameUserId: { from: null, to: gameUserId },
      ...(mainSince && { main: { from: false, to: true } }),
      ...(guildIds.length > 0 && { guildIds: { from: null, to: guildIds } }),
    },
  });
  const unsettled = { ...unsettledBy('transferred', person), chosenFor: [...guildIds] };
  const same = { _id, gameUserId: gameUserId ?? '', ...owesNothing };
  const $set = { unsettled, ...(mainSince && { mainSince }) };
  const { matchedCount } = await Accounts.updateOne(same, { $set, ...push(entry) });
  if (matchedCount > 0) await enterLog(entry);
  return matchedCount > 0;
}

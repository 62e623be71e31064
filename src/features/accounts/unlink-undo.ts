import type { Actor } from '../../core/actors/actor.js';
import { reachOf } from '../../core/actors/reach.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { withLease } from '../../platforms/database/lease.js';
import type { Member } from '../members/member-model.js';
import { findMember } from '../members/member-service.js';
import { undoUntil } from '../members/member-unlinks.js';
import { announceSync } from '../members/pending-syncs.js';
import { candidatesOf } from './account-in-use.js';
import { Accounts, countingIn, type StoredAccount } from './account-model.js';
import { linkByAccount } from './account-settling.js';

/**
 * An undo's result for one member. `not_unlinked`: no admin's unlink holds here. `expired`: its day is over. `acted`:
 * the person has since changed their account or answered. `above`: beyond the actor's reach.
 */
export const undoResults = ['linked', 'not_unlinked', 'expired', 'acted', 'above'] as const;
export type UndoResult = (typeof undoResults)[number];

/**
 * Undoes how an admin unlinked members in one guild (ID-92): each is linked as before, and their roles follow. Nobody
 * is linked unless Discord tells everybody's roles. Returns the results in their order. Throws ChatPlatformUnavailable.
 */
export async function undoUnlinks(
  { _id: guildId }: Guild,
  chatUserIds: readonly string[],
  actor: Actor,
): Promise<UndoResult[]> {
  const isInReach = await reachOf(guildId, actor);
  const open = await Promise.all(chatUserIds.map(async (id) => obstacleTo(await findMember(guildId, id))));
  const reached = await Promise.all(chatUserIds.map((id, n) => open[n] !== undefined || isInReach(id)));
  const results: UndoResult[] = [];
  for (const [n, id] of chatUserIds.entries())
    results.push(reached[n] === true ? await undoOne(guildId, id, actor) : 'above');
  return results;
}

/** Under the account's lease, as every link. */
function undoOne(guildId: string, chatUserId: string, actor: Actor): Promise<UndoResult> {
  return withLease(`account:${chatUserId}`, async () => {
    const member = await findMember(guildId, chatUserId);
    const obstacle = obstacleTo(member);
    const undoes = member?.adminUnlink;
    if (member === null || undoes === undefined || obstacle !== undefined) return obstacle ?? 'not_unlinked';
    const accounts = await Accounts.find(countingIn(chatUserId, guildId)).lean<StoredAccount[]>();
    const [account] = await candidatesOf({ guildId, member }, accounts);
    const isSame = account?.game.gameUserId === undoes.gameUserId;
    const hasActed = (account?.account.linkedAt ?? undoes.at) > undoes.at;
    if (account === undefined || !isSame || hasActed) return 'acted';
    if (!(await linkByAccount(member, account, { actor, isProof: account.word === undefined, undoes }))) return 'acted';
    announceSync(member, 'link');
    return 'linked';
  });
}

function obstacleTo(member: Member | null): Exclude<UndoResult, 'linked' | 'above'> | undefined {
  if (member?.state !== 'unlinked' || member.adminUnlink === undefined) return 'not_unlinked';
  if (undoUntil(member) === null) return 'expired';
  return member.consent === undefined ? undefined : 'acted';
}

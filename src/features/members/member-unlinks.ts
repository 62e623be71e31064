import type { Actor } from '../../core/actors/actor.js';
import { reachOf } from '../../core/actors/reach.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Forbidden, NotFound } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { t } from '../../lib/translate.js';
import { endLink } from './member-links.js';
import type { Member } from './member-model.js';
import { findAmong, getMember } from './member-service.js';
import { announceSync } from './pending-syncs.js';

/**
 * Unlinks a member in one guild as its admin; the person's account and other guilds stay. Only a new proof made here, or
 * an undo within a day, links them again (ID-7). If `shown` is given, no other Roblox account is unlinked. Throws
 * NotFound `member_not_found` if that link does not exist, Forbidden for a person beyond the actor's reach (ID-91), and
 * ChatPlatformUnavailable.
 */
export async function unlinkMember(guild: Guild, chatUserId: string, actor: Actor, shown?: string): Promise<void> {
  const member = await getMember(guild._id, chatUserId);
  const isInReach = !isLinkedTo(member, shown) || (await (await reachOf(guild._id, actor))(chatUserId));
  if (!isInReach) throw outOfReach(member);
  if (!(await unlinkShown(member, actor, shown))) throw new NotFound('member_not_found', "This member isn't linked.");
}

/** A member to unlink; with `gameUserId` from that Roblox account only. */
export interface UnlinkWish {
  memberId: string;
  gameUserId?: string | undefined;
}

/** The result for one member: their link has ended, was none or another one, or they are beyond the actor's reach. */
export type UnlinkResult = 'unlinked' | 'not_linked' | 'above';

/**
 * Unlinks several members, each as `unlinkMember` does, but spares those beyond the actor's reach. Nobody is unlinked
 * unless Discord tells everybody's roles. Returns the results in their order. Throws ChatPlatformUnavailable.
 */
export async function unlinkMembers(
  { _id: guildId }: Guild,
  wishes: readonly UnlinkWish[],
  actor: Actor,
): Promise<UnlinkResult[]> {
  const found = await findAmong(
    guildId,
    wishes.map(({ memberId: chatUserId }) => ({ guildId, chatUserId })),
  );
  const members = new Map(found.map((member) => [member.chatUserId, member]));
  const linked = wishes.map(({ memberId, gameUserId }) => {
    const member = members.get(memberId);
    return member !== undefined && isLinkedTo(member, gameUserId) ? member : null;
  });
  const isInReach = await reachOf(guildId, actor);
  const reached = await Promise.all(linked.map((member) => member && isInReach(member.chatUserId)));
  const results: UnlinkResult[] = [];
  for (const [n, { gameUserId }] of wishes.entries()) {
    const member = linked[n] ?? null;
    if (reached[n] === false) results.push('above');
    else results.push(member && (await unlinkShown(member, actor, gameUserId)) ? 'unlinked' : 'not_linked');
  }
  return results;
}

/** The refusal for a person whom the actor may neither unlink nor link again. */
const outOfReach = ({ chatUsername }: Pick<Member, 'chatUsername'>): Forbidden =>
  new Forbidden('forbidden', t('reach.above', { name: chatUsername }));

/** Until when an admin's unlink can be undone for this member; null: there is none, or its day is over. */
export function undoUntil({ adminUnlink }: Pick<Member, 'adminUnlink'>): Date | null {
  const until = adminUnlink && new Date(adminUnlink.at.getTime() + dayMs);
  return until !== undefined && until > clock.now() ? until : null;
}

const isLinkedTo = ({ state, gameUserId }: Member, shown = gameUserId): boolean =>
  state === 'linked' && gameUserId === shown;

async function unlinkShown(member: Member, actor: Actor, shown: string | undefined): Promise<boolean> {
  if (!isLinkedTo(member, shown) || !(await endLink(member, 'admin', actor, { blocks: true }))) return false;
  announceSync(member, 'unlink');
  return true;
}

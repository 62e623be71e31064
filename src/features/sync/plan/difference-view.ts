import { z } from 'zod';
import { timestamp } from '../../../lib/fields.js';
import { t } from '../../../lib/translate.js';
import type { Member } from '../../members/member-model.js';
import type { DifferenceNames } from './difference-names.js';
import type { ObservedChange } from './observed-changes.js';
import { differenceReason, expectedFields, type Observed } from './planned-change-model.js';

export interface DifferentMember {
  member: Pick<Member, 'chatUserId' | 'chatUsername' | 'gameUsername'>;
  change: ObservedChange;
}

const reasonView = z.strictObject({
  roleId: z.string().nullable().describe('null: it is about the nickname or the kick'),
  code: differenceReason,
  words: z.string().describe('The same in a sentence.'),
});

/** The changes that a sync would make to a member, with reasons (OBS-3). */
export const differenceView = z
  .strictObject({
    memberId: z.string(),
    chatUsername: z.string(),
    gameUsername: z.string().nullable(),
    add: z.array(z.string()),
    remove: z.array(z.string()),
    nickname: z.string().nullable().exactOptional().describe('The new one; null: it would be taken away.'),
    nicknameNow: z.string().nullable().describe('The present one; null: none.'),
    kick: expectedFields.shape.kick,
    reasons: z.array(reasonView),
    since: timestamp,
  })
  .meta({ id: 'Difference' });

const count = z.int().nonnegative();

export const differenceCounts = z
  .strictObject({
    matching: count.describe('Members in the server without a difference.'),
    differing: count,
    leftOut: count.describe('Members in the server whom an admin leaves out; they are in no other number.'),
    gaining: count,
    losing: count,
    renamed: count,
    kicked: count,
    byRole: z.array(z.strictObject({ roleId: z.string(), gaining: count, losing: count })),
    byReason: z.array(z.strictObject({ reason: differenceReason, members: count })),
  })
  .meta({ id: 'DifferenceCounts' });

/** A difference as the API answers it, in the current language's words. */
export function viewDifference({ member, change }: DifferentMember, names: DifferenceNames) {
  const { chatUserId, chatUsername, gameUsername } = member;
  const { add, remove, nickname, kick } = change.expected;
  const { reasons, since } = change.observed;
  const wishes = { ...(nickname !== undefined && { nickname }), ...(kick !== undefined && { kick }) };
  return {
    ...{ memberId: chatUserId, chatUsername, gameUsername: gameUsername ?? null, add, remove, ...wishes },
    nicknameNow: change.seen.nickname,
    reasons: reasons.map((reason) => ({
      roleId: reason.roleId ?? null,
      code: reason.code,
      words: wordsOf(reason, change.expected, names),
    })),
    since: since.toISOString(),
  };
}

function wordsOf(
  { roleId, code, groupId, gameRole }: Observed['reasons'][number],
  { nickname }: ObservedChange['expected'],
  { roleName, groupName }: DifferenceNames,
): string {
  const role = roleId === undefined ? '' : roleName(roleId);
  if (code === 'nickname') {
    return nickname === null ? t('difference.no_nickname') : t('difference.nickname', { nickname: nickname ?? '' });
  }
  if (code === 'restricted' && roleId === undefined) return t('difference.kick');
  if (groupId === undefined || (code !== 'meets_rule' && code !== 'misses_rule'))
    return t(`difference.${code}`, { role });
  const group = groupName(groupId);
  if (gameRole === null || gameRole === undefined) return t(`difference.${code}_outside`, { role, group });
  return t(`difference.${code}_as`, { role, rank: gameRole, group });
}

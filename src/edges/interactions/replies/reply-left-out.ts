import { type APIButtonComponent, ButtonStyle, userMention } from 'discord.js';
import { type LeaveOutResult, mostLeftOut } from '../../../features/members/left-out.js';
import type { Member } from '../../../features/members/member-model.js';
import { noSuchMember } from '../../../features/members/member-service.js';
import { t } from '../../../lib/translate.js';
import { componentId } from '../component-id.js';
import { note, pressButton, type Reply } from './reply.js';

/** *Leave out*, or *Include again*, under /why about a member (OBS-117). */
export function leaveOutButton(member: Member | null, chatUserId: string): APIButtonComponent[] {
  if (member === null) return [];
  const [wish, label] =
    member.leftOut === undefined
      ? (['leave', t('left_out.leave')] as const)
      : (['include', t('left_out.include')] as const);
  return [pressButton(componentId('left-out', chatUserId, wish), label, ButtonStyle.Secondary)];
}

/** The answer to that press. Throws NotFound `member_not_found`. */
export function leftOutReply(chatUserId: string, leftOut: boolean, result: LeaveOutResult | undefined): Reply {
  if (result === 'full') return note('attention', t('left_out.full', { most: mostLeftOut }));
  if (result !== 'done') throw noSuchMember();
  return note('fine', t(leftOut ? 'left_out.left' : 'left_out.included', { person: userMention(chatUserId) }));
}

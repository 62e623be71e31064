import { z } from 'zod';
import { optionalLine } from '../../lib/fields.js';
import { gameId } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';

const idsUpTo = (most: number) =>
  z
    .array(gameId)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, { error: () => t('input.twice') });

/** The rules under which verified people get no roles or may not stay (RESTR-2). */
export const restrictions = z
  .strictObject({
    action: z
      .enum(['refuse_roles', 'kick'])
      .describe('The action for restricted members. If the bot may not kick them, they get no roles.'),
    minimumAccountAgeDays: z.int().min(0).max(3650).describe('A younger Roblox account is restricted.'),
    requiredGroupIds: idsUpTo(5).describe('People in none of these Roblox groups are restricted.'),
    deniedGroupIds: idsUpTo(20).describe('People in one of these Roblox groups are restricted.'),
    deniedGameUserIds: idsUpTo(500).describe('These Roblox accounts are restricted.'),
    reason: optionalLine(300).describe('The message that a restricted person sees along with the rule.'),
  })
  .describe('They apply to members verified here. Unknown facts neither restrict nor free a member.');
export type Restrictions = z.output<typeof restrictions>;

export const restrictionRule = z.enum(['denied_user', 'denied_group', 'required_group', 'account_age']);
export type RestrictionRule = z.output<typeof restrictionRule>;

export const noRestrictions: Restrictions = {
  action: 'refuse_roles',
  minimumAccountAgeDays: 0,
  requiredGroupIds: [],
  deniedGroupIds: [],
  deniedGameUserIds: [],
  reason: null,
};

export const groupIdsOfRestrictions = ({ requiredGroupIds, deniedGroupIds }: Restrictions): string[] => [
  ...new Set([...requiredGroupIds, ...deniedGroupIds]),
];

export const isRestrictive = (wish: Restrictions): boolean =>
  wish.minimumAccountAgeDays > 0 || wish.deniedGameUserIds.length > 0 || groupIdsOfRestrictions(wish).length > 0;

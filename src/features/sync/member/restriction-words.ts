import type { RestrictionRule, Restrictions } from '../../../core/settings/restrictions.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';

/** The reason for a restriction in words for the member, with the server's own reason. */
export function describeRestriction(rule: RestrictionRule, wish: Restrictions): string {
  const { minimumAccountAgeDays: days, requiredGroupIds, reason } = wish;
  const groups = requiredGroupIds.map((groupId) => `https://www.roblox.com/communities/${groupId}`).join(', ');
  const why = t(`restriction.${rule}`, { days, groups });
  return reason === null ? why : `${why} ${verbatim(reason)}`;
}

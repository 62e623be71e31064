import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { confirmSpared } from '../src/features/sync/member/spared-members.js';
import { entityTag } from '../src/lib/entity-tag.js';
import { t } from '../src/lib/translate.js';

/** The owner confirms restrictions, as shown, for people ranked above their author. */
export const PressRestrictionsConfirm = button(
  'restrictions-confirm',
  { as: 'owner' },
  async ({ guild, actor, state: [version = ''] }) => {
    await confirmSpared(guild, actor, (tag) => tag === entityTag(Number(version)));
    return note('fine', t('restriction.confirmed'));
  },
);

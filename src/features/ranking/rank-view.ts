import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { dayMs } from '../../lib/time.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { whyView } from '../member-views/member-why-view.js';
import { type RankChange, rankChangeFields } from './rank-change-model.js';
import type { RankOffer } from './rank-offer.js';
import type { RankPreview } from './rank-preview.js';
import { isUndoable } from './rank-service.js';

const shown = shownFields(
  rankChangeFields.omit({ guildId: true, chatUserId: true, by: true, dueAt: true, decision: true }),
  'changeId',
);

/** A change of a rank in answers. */
export const rankChangeView = shown.view
  .extend({
    memberId: z.string().nullable().describe('The member, if the account is linked here.'),
    undoableUntil: timestamp.nullable().describe('Until when it can be taken back; null: not at all.'),
  })
  .meta({ id: 'RankChange' });

export const viewRankChange = (change: RankChange): z.input<typeof rankChangeView> => ({
  ...shown.show(change),
  memberId: change.chatUserId ?? null,
  undoableUntil: isUndoable(change) ? new Date(change.at.getTime() + dayMs).toISOString() : null,
});

export const ownRankChanges = shownFields(
  rankChangeFields.pick({
    groupId: true,
    gameUserId: true,
    at: true,
    state: true,
    decision: true,
    before: true,
    after: true,
    reason: true,
  }),
);

const latest = shownFields(
  rankChangeFields.pick({ groupId: true, at: true, actor: true, before: true, after: true, reason: true }),
);

/** The reasons for a member's roles, with the latest change of their rank. */
export const memberWhyView = whyView
  .extend({
    latestRankChange: latest.view
      .nullable()
      .describe('The latest change of their rank that was made here in 30 days; null: none.'),
  })
  .meta({ id: 'MemberWhy' });

export const viewLatestRankChange = (change: RankChange | null) => change && latest.show(change);

const rolesHeld = z.array(gameRole).describe('Their roles in the group, highest first.');

/** The ranks that the caller may give a person. */
export const rankOfferView = z
  .strictObject({
    gameUserId: z.string(),
    held: rolesHeld,
    offered: z.array(gameRole).describe('The roles that the caller may give them, lowest first.'),
  })
  .meta({ id: 'RankOffer' });

export const viewRankOffer = ({ gameUserId, held, offered }: RankOffer): z.input<typeof rankOfferView> => ({
  gameUserId,
  held: [...held],
  offered: [...offered],
});

/** A change of a rank before it is made. */
export const rankEffectsView = z
  .strictObject({
    gameUserId: z.string(),
    before: rolesHeld,
    after: z.array(gameRole).describe('The same with the change.'),
    discord: z
      .strictObject({
        added: z.array(z.string()).describe('Roles on Discord that the member gets.'),
        removed: z.array(z.string()).describe('Roles on Discord that the member loses.'),
        nickname: z.string().nullable().describe('Their new nickname; null: it stays.'),
      })
      .nullable()
      .describe('The change on Discord; null for an account without a linked member here.'),
  })
  .meta({ id: 'RankEffects' });

export const viewRankEffects = ({
  gameUserId,
  before,
  after,
  discord,
}: RankPreview): z.input<typeof rankEffectsView> => ({
  ...{ gameUserId, before, after },
  discord: discord && { added: [...discord.added], removed: [...discord.removed], nickname: discord.nickname },
});

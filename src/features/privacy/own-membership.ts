import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { avatarUrl } from '../../platforms/discord/signed-in-user.js';
import { rankFrom } from '../members/held-ranks.js';
import { reportedFactView, viewFacts } from '../members/member-facts.js';
import { erasedChoice, type Member, memberFields } from '../members/member-model.js';
import { wentByFields } from '../members/member-sync-fields.js';
import { memberStatus, statusOf, syncRecordView, viewSync } from '../members/member-view.js';
import { anything, differenceOf } from '../sync/plan/observed-changes.js';
import { expectedFields, observedFields } from '../sync/plan/planned-change-model.js';

/** A role in a group; null outside the group. */
export const rankView = z.strictObject({ groupId: z.string(), gameRoleId: z.string().nullable() });

/** Fields that only help Rolelink to find and order members, and a kick's entry on its way into the log. */
const aids = { _id: true, names: true, syncFence: true, erasing: true, kicking: true, differs: true } as const;
/** Fields that the export shows in another form. */
const reworded = { chatUserId: true, chatAvatar: true, state: true, syncs: true, wentBy: true, facts: true } as const;

/** A new member field is exported automatically. */
const stored = shownFields(memberFields.omit({ ...aids, ...reworded }));
const basis = shownFields(wentByFields.omit({ held: true, rulesKey: true }));

const { add: give, remove: take, nickname, kick } = expectedFields.shape;
const difference = shownFields(z.strictObject({ give, take, nickname, kick, ...observedFields.shape }));

const { shape } = stored.view;

/** All stored data about a person in one server, for the person themselves. */
export const ownMembershipView = stored.view.extend({
  chatAvatarUrl: z.string().nullable().describe('Their picture on Discord.'),
  status: memberStatus,
  syncs: z.array(syncRecordView).describe('The last ten, oldest first.'),
  wentBy: basis.view
    .extend({ ranks: z.array(rankView) })
    .nullable()
    .describe('The account and the ranks by which the last sync went.'),
  facts: z.array(reportedFactView).describe("Facts about their account that the server's own game has reported."),
  pending: shape.pending.describe('They had yet to accept the rules of the server.'),
  present: shape.present.describe('Whether they are in the server.'),
  presenceAt: timestamp.nullable().describe('When that was learnt last.'),
  autoLinkBlocked: shape.autoLinkBlocked.describe(
    'An admin unlinked them: only a new proof made there links them again.',
  ),
  adminUnlink: shape.adminUnlink.describe('The link that an admin ended, kept for an undo within a day.'),
  consent: shape.consent.describe('Whether they let the server see and use their account; null: they have not said.'),
  consentAskedAt: timestamp.nullable().describe('When they were asked that by direct message.'),
  linkDueAt: timestamp.nullable().describe("When a link is looked at again that waits for the account's age."),
  givenNickname: shape.givenNickname.describe('The nickname that the bot gave.'),
  askedNickname: shape.askedNickname.describe('The requested nickname, if Discord turned it into another one.'),
  namelessAs: shape.namelessAs.describe('Their name on Discord when it left no nickname to give.'),
  chosenGameUserId: shape.chosenGameUserId.describe(
    'The account that they chose for this server; null: their main one.',
  ),
  choiceErased: z
    .literal(true)
    .nullable()
    .describe('The account that they chose was erased, so that this server sees no other one; null: it was not.'),
  leftOut: timestamp.nullable().describe('Since when an admin leaves them out of every change.'),
  blockedBy: shape.blockedBy.describe('The obstacles to the last sync.'),
  refused: shape.refused.describe('The parts of the last sync that Discord refused.'),
  left: shape.left.describe('The roles and the nickname that the last sync has left on Discord.'),
  difference: difference.view.nullable(),
  restored: shape.restored.describe('Roles, or the nickname, that syncs had to set again.'),
  contested: shape.contested.describe('Roles, or the nickname, that something changes back again and again.'),
  traitsDueAt: timestamp.nullable().describe("When to read the account facts that the server's mappings need."),
  kickToldAt: timestamp.nullable().describe('When they got the message about being kicked.'),
});

export async function viewOwnMembership(member: Member): Promise<z.input<typeof ownMembershipView>> {
  const { chatUserId, chatAvatar = null, syncs, wentBy, chosenGameUserId } = member;
  const isErased = chosenGameUserId === erasedChoice;
  return {
    ...stored.show(member),
    chosenGameUserId: isErased ? null : (chosenGameUserId ?? null),
    choiceErased: isErased ? true : null,
    chatAvatarUrl: avatarUrl(chatUserId, chatAvatar),
    status: statusOf(member),
    syncs: syncs.map(viewSync),
    wentBy: wentBy === undefined ? null : { ...basis.show(wentBy), ranks: wentBy.held.map(rankFrom) },
    facts: viewFacts(member),
    difference: await ownDifference(member),
  };
}

async function ownDifference({ guildId, chatUserId, differs }: Member) {
  const change = differs === undefined ? null : await differenceOf(guildId, chatUserId);
  if (change === null) return null;
  const { expected, observed } = change;
  const { add, remove, ...rest } = expected;
  const about = observed.about.filter((each) => each !== anything);
  return difference.show({ give: add, take: remove, ...rest, ...observed, about });
}

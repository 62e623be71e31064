import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { AskingPerson } from './join-requests.js';

/** A request to join a group in answers. */
export const joinRequestView = z
  .strictObject({
    gameUserId: z.string().describe('The account on Roblox, by which the request is answered.'),
    gameUsername: z.string().describe('Its name; its id where Roblox shows no such account any more.'),
    gameDisplayName: z.string(),
    accountCreatedAt: timestamp.nullable().describe('When Roblox made the account; null: it shows no such account.'),
    requestedAt: timestamp,
    member: z
      .strictObject({ memberId: z.string(), username: z.string() })
      .nullable()
      .describe('The member with this account, while they show it in this server.'),
  })
  .meta({ id: 'JoinRequest' });

export const viewJoinRequest = ({
  gameUserId,
  account,
  requestedAt,
  member,
}: AskingPerson): z.input<typeof joinRequestView> => ({
  gameUserId,
  gameUsername: account?.gameUsername ?? gameUserId,
  gameDisplayName: account?.gameDisplayName ?? gameUserId,
  accountCreatedAt: account?.createdAt.toISOString() ?? null,
  requestedAt: requestedAt.toISOString(),
  member: member && { memberId: member.chatUserId, username: member.chatUsername },
});

import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { lookUpMembers } from '../../src/features/members/member-list.js';
import { memberView, viewMember } from '../../src/features/members/member-view.js';
import { gameId, snowflake } from '../../src/lib/ids.js';

const upTo100 = <T extends z.ZodType>(id: T) => z.array(id).min(1).max(100);

export const LookUpMembers = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/lookup',
  summary: 'Up to 100 people by their Discord ids or their Roblox ids, in the requested order',
  access: guildRole('viewer', { byGame: true }),
  isRead: true,
  input: {
    body: z
      .union([
        z.strictObject({ memberIds: upTo100(snowflake).describe('Discord ids.') }),
        z.strictObject({ gameUserIds: upTo100(gameId).describe('Roblox ids.') }),
      ])
      .meta({ id: 'MemberLookup' }),
  },
  answers: {
    200: z.strictObject({
      data: z.array(
        z.strictObject({ id: z.string(), member: memberView.nullable().describe('Null: no member here has that id.') }),
      ),
    }),
  },
  handle: async ({ guild, body }) => {
    const found = await lookUpMembers(guild._id, body);
    return ok({ data: found.map(({ id, member }) => ({ id, member: member === null ? null : viewMember(member) })) });
  },
});

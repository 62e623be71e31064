import { z } from 'zod';
import { grantableRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { changeTeammate } from '../../src/features/team/team-changes.js';
import { teammateView, viewTeammate } from '../../src/features/team/teammate-view.js';

export const ChangeTeammate = defineRoute({
  endpoint: 'PATCH /api/guilds/:guildId/team/:memberId',
  summary:
    "Change a teammate's role; their bot tokens above it are revoked. Only the owner can change to and from admin",
  access: guildRole('admin'),
  input: { body: z.strictObject({ role: grantableRole }) },
  answers: { 200: teammateView },
  refusals: ['teammate_not_found', 'discord_owner', 'role_from_discord', 'busy'],
  handle: async ({ guild, actor, params, body }) =>
    ok(viewTeammate(await changeTeammate(guild, actor, params.memberId, body.role))),
});

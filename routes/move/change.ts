import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { passedStep } from '../../src/features/setup/move-steps.js';
import { moveView, viewMove } from '../../src/features/setup/move-view.js';
import { passSteps } from '../../src/features/setup/server-move.js';

export const ChangeMove = defineRoute({
  endpoint: 'PATCH /api/guilds/:guildId/move',
  summary: 'Pass over steps of the way from another bot: bring no people along, or mean the differences',
  access: guildRole('admin'),
  input: { body: z.strictObject({ passed: z.array(passedStep).max(passedStep.options.length) }) },
  answers: { 200: moveView },
  handle: async ({ guild, body: { passed } }) => ok(viewMove(await passSteps(guild, passed))),
});

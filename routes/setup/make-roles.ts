import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { makeMissingRoles } from '../../src/features/setup/setup-roles.js';
import { openSetup } from '../../src/features/setup/setup-service.js';
import { showSetup } from '../../src/features/setup/setup-shown.js';
import { setupView } from '../../src/features/setup/setup-view.js';
import { VersionMismatch } from '../../src/lib/errors.js';

const count = z.int().nonnegative();

export const MakeMissingRoles = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/setup/roles',
  summary: 'Make the roles that the setup lacks, without permissions: exactly those that were shown, or none',
  access: guildRole('admin'),
  input: { body: z.strictObject({ key: z.string().max(100).describe('`missing.key` of the setup as shown.') }) },
  repeatable: true,
  answers: {
    200: z.strictObject({
      made: count,
      left: count.describe('How many had no room: Discord allows 250 roles.'),
      setup: setupView,
    }),
  },
  refusals: ['version_mismatch', 'busy'],
  handle: async ({ guild, actor, body }) => {
    const made = await makeMissingRoles(guild, body.key);
    if (made === null) throw new VersionMismatch();
    return ok({ ...made, setup: await showSetup(await openSetup(guild, null), actor) });
  },
});

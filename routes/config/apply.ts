import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import {
  besideOtherBotsOf,
  changesOf,
  configResult,
  peopleChangedBy,
  rolesAboveOf,
} from '../../src/features/configuration/config-changes.js';
import { guildConfig, observingConfig } from '../../src/features/configuration/config-document.js';
import { applyConfig, proposeConfig, readConfig } from '../../src/features/configuration/config-service.js';
import { entityTagHeader, ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

const query = z.strictObject({
  dryRun: z.enum(['true', 'false']).default('false').describe('Only returns the changes, without making them.'),
  observe: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Lets the guild only observe, whatever the document says.'),
});

export const ApplyConfig = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/config',
  summary: 'Apply a configuration document to a guild, or list the changes it would make',
  access: guildRole('admin'),
  input: { headers: ifMatch, query, body: guildConfig },
  answers: { 200: configResult },
  refusals: ['version_mismatch', 'plan_limit_reached', 'role_unmanageable', ...gameRefusals, 'busy'],
  answerHeaders: entityTagHeader,
  yaml: true,
  handle: async ({ guild, actor, headers, query, body }) => {
    const dryRun = query.dryRun === 'true';
    const wish = query.observe === 'true' ? observingConfig(body) : body;
    const plan = await (dryRun ? proposeConfig : applyConfig)(guild, actor, wish, onlyIf(headers));
    const people = dryRun ? await peopleChangedBy(guild, actor, plan) : null;
    const { config, tag: ETag } = await readConfig(guild);
    return {
      ...ok({
        dryRun,
        changes: changesOf(plan),
        people,
        rolesAbove: rolesAboveOf(plan),
        ...besideOtherBotsOf(plan),
        config,
      }),
      headers: { ETag },
    };
  },
});

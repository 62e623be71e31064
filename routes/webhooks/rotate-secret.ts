import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok, withTag } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readMemberState } from '../../src/features/webhooks/endpoint-standing.js';
import { viewWithSecret, webhookWithSecretView } from '../../src/features/webhooks/endpoint-view.js';
import { rotateAndResume } from '../../src/features/webhooks/secret-rotation.js';
import { entityTagHeader } from '../../src/lib/entity-tag.js';

export const RotateWebhookSecret = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/rotate-secret',
  summary: 'Make a new signing secret; the old one also signs for 24 hours, or ends immediately with immediately=true',
  access: guildRole('admin'),
  input: { query: z.strictObject({ immediately: z.enum(['true', 'false']).default('false') }) },
  answers: { 200: webhookWithSecretView },
  refusals: ['busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, params, query }) => {
    const immediately = query.immediately === 'true';
    const { endpoint, secret } = await rotateAndResume(guild, actor, params.webhookId, { immediately });
    return withTag(ok(viewWithSecret(await readMemberState(guild, endpoint), secret)), endpoint);
  },
});

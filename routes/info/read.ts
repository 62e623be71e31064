import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { installationView, readInstallation } from '../../src/features/installation/installation.js';

export const ReadInstallation = defineRoute({
  endpoint: 'GET /api/info',
  summary: "This installation: sign-in, plans and their limits, webhooks, languages, and the bot's invite link",
  access: open,
  answers: { 200: installationView },
  handle: async () => ok(await readInstallation()),
});

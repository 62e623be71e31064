import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { lastLook } from '../../src/edges/operations/doctor.js';
import { setupView, viewSetup } from '../../src/edges/operations/setup-view.js';

export const AdminDoctor = defineRoute({
  endpoint: 'GET /api/admin/doctor',
  summary: 'What is wrong with the set-up and what to click, as it was last looked at: every hour, or when asked to',
  access: platformAdmin,
  answers: { 200: setupView },
  handle: async () => ok(viewSetup(await lastLook())),
});

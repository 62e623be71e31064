import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { lastReport } from '../../src/edges/operations/doctor.js';
import { setupView, viewSetup } from '../../src/edges/operations/setup-view.js';

export const AdminDoctor = defineRoute({
  endpoint: 'GET /api/admin/doctor',
  summary: 'Faults in the setup and how to fix them, as of the last check: every hour, or on request',
  access: platformAdmin,
  answers: { 200: setupView },
  handle: async () => ok(viewSetup(await lastReport())),
});

import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { checkSetup } from '../../src/edges/operations/doctor.js';
import { setupView, viewSetup } from '../../src/edges/operations/setup-view.js';

export const CheckSetup = defineRoute({
  endpoint: 'POST /api/admin/doctor',
  summary: 'Check the setup again after a repair',
  access: platformAdmin,
  answers: { 200: setupView },
  handle: async () => ok(viewSetup(await checkSetup())),
});

import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findLinkedRole, publishesFacts } from '../../src/features/linked-roles/linked-role-service.js';
import { linkedRoleView, viewLinkedRole } from '../../src/features/linked-roles/linked-role-view.js';

export const ReadLinkedRoles = defineRoute({
  endpoint: 'GET /api/auth/me/linked-roles',
  summary: 'Whether the caller has connected Linked Roles, and the facts sent to Discord',
  access: person,
  answers: { 200: linkedRoleView },
  handle: async ({ actor }) => ok(viewLinkedRole(await findLinkedRole(actor.id), publishesFacts())),
});

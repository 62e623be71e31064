import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { disconnectLinkedRole } from '../../src/features/linked-roles/linked-role-service.js';

export const DisconnectLinkedRoles = defineRoute({
  endpoint: 'DELETE /api/auth/me/linked-roles',
  summary:
    'End the caller’s connection for Linked Roles: what Discord was told is taken away; also where there is none',
  access: person,
  answers: { 204: null },
  handle: async ({ actor }) => {
    await disconnectLinkedRole(actor);
    return noContent();
  },
});

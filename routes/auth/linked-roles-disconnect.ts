import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { disconnectLinkedRole } from '../../src/features/linked-roles/linked-role-service.js';

export const DisconnectLinkedRoles = defineRoute({
  endpoint: 'DELETE /api/auth/me/linked-roles',
  summary: "Disconnect the caller's Linked Roles and remove the facts from Discord; succeeds without a connection, too",
  access: person,
  answers: { 204: null },
  handle: async ({ actor }) => {
    await disconnectLinkedRole(actor);
    return noContent();
  },
});

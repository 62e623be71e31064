import { beginSignIn } from '../../src/core/auth/sign-in.js';
import { signInCookieName } from '../../src/core/auth/sign-ins-under-way.js';
import { open } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { requireFacts } from '../../src/features/linked-roles/linked-role-service.js';

export const ConnectLinkedRoles = defineRoute({
  endpoint: 'GET /linked-roles',
  summary: "Discord's link for Linked Roles: leads to a sign-in and the consent",
  access: open,
  answers: { 303: null },
  refusals: ['not_found', 'sign_in_not_configured', 'chat_platform_unavailable'],
  page: true,
  handle: async ({ cookie: cookies }) => {
    requireFacts();
    const { url, cookie } = await beginSignIn('/me', 'role_connections.write', cookies(signInCookieName()));
    return seeOther(url, [cookie]);
  },
});

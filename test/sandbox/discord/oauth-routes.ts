import { z } from 'zod';
import { clientCredentials } from '../kit/oauth-client.js';
import type { Answer, Call, Endpoint } from './endpoint.js';
import { ok } from './endpoint.js';
import type { OAuthDesk } from './oauth-desk.js';

const grantSchema = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string().min(1),
    redirect_uri: z.string().min(1),
    code_verifier: z.string().optional(),
  }),
  z.object({ grant_type: z.literal('refresh_token'), refresh_token: z.string().min(1) }),
]);

const revokeSchema = z.object({ token: z.string().min(1) });

/** OAuth 2.0's token endpoints: form bodies only, client credentials by Basic or in the form. */
export function oauthRoutes(desk: OAuthDesk): Endpoint[] {
  return [
    { endpoint: 'POST /oauth2/token', credential: 'none', handle: (call) => token(desk, call) },
    { endpoint: 'POST /oauth2/token/revoke', credential: 'none', handle: (call) => revoke(desk, call) },
  ];
}

function token(desk: OAuthDesk, call: Call): Answer {
  const refused = refuseClient(desk, call);
  if (refused) return refused;
  const form = grantSchema.safeParse(call.body);
  if (!form.success) {
    const knownType = form.error.issues.every(({ path }) => path[0] !== 'grant_type');
    return refuse(400, knownType ? 'invalid_request' : 'unsupported_grant_type', z.prettifyError(form.error));
  }
  const tokens =
    form.data.grant_type === 'refresh_token'
      ? desk.refresh(form.data.refresh_token)
      : desk.exchange(form.data.code, form.data.redirect_uri, form.data.code_verifier);
  return tokens ? ok(tokens) : refuse(400, 'invalid_grant', 'Invalid "code" or "refresh_token" in request.');
}

/** An unknown token is no error (RFC 7009 §2.2). */
function revoke(desk: OAuthDesk, call: Call): Answer {
  const refused = refuseClient(desk, call);
  if (refused) return refused;
  const form = revokeSchema.safeParse(call.body);
  if (!form.success) return refuse(400, 'invalid_request', z.prettifyError(form.error));
  desk.revoke(form.data.token);
  return ok({});
}

/** RFC 6749 §2.3.1 for the client, §3.2 for the form body; undefined when both are in order. */
function refuseClient(desk: OAuthDesk, call: Call): Answer | undefined {
  const contentType = String(call.headers['content-type'] ?? '');
  if (!contentType.startsWith('application/x-www-form-urlencoded')) {
    return refuse(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const { id, clientSecret } = desk.state.application;
  const [givenId, givenSecret] = clientCredentials(String(call.headers.authorization ?? ''), call.body);
  if (givenId === id && givenSecret === clientSecret) return undefined;
  return refuse(401, 'invalid_client', 'Unknown client, or wrong client secret.');
}

function refuse(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } };
}

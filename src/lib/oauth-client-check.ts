const patienceMs = 10_000;

/**
 * Whether an OAuth 2.0 server accepts these client credentials. It is asked to redeem a nonexistent code, and its error
 * reveals whether it got that far (RFC 6749 §5.2). `further`: additional parameters required by the server. Throws if
 * the answer is neither error, or missing.
 */
export async function acceptsClient(
  tokenUrl: string,
  clientId: string,
  clientSecret: string,
  further: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'none',
      client_id: clientId,
      client_secret: clientSecret,
      ...further,
    }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const { error } = (await answer.json()) as { error?: unknown };
  if (answer.status === 401 || error === 'invalid_client') return false;
  if (error === 'invalid_grant' || error === 'invalid_request') return true;
  throw new Error(`${new URL(tokenUrl).host} answered ${answer.status} to a check of credentials.`);
}

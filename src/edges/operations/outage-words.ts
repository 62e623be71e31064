/** Failures before any answer: DNS, network or certificate. */
const connectionCodes = /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+)$/;

/** The reason for an unreachable service, as text. It distinguishes a failed connection from an error answer. */
export function outageWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = firstIn(error, 'code', (value) => typeof value === 'string' && connectionCodes.test(value));
  if (code !== undefined)
    return `${message} This machine can't connect (${code}). Check its DNS, firewall, proxy and certificates.`;
  if (firstIn(error, 'name', (value) => value === 'TimeoutError' || value === 'AbortError') !== undefined)
    return `${message} There was no answer in time. Check this machine's firewall and proxy.`;
  const status = firstIn(error, 'status', (value) => typeof value === 'number' && value >= 500);
  return status === undefined ? message : `${message} It answers ${status}. Wait until it recovers.`;
}

/** The first fitting value of this field in an error or its causes. */
function firstIn(error: unknown, field: string, fits: (value: unknown) => boolean): unknown {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const value = Reflect.get(error, field);
  return fits(value) ? value : firstIn(inner, field, fits);
}

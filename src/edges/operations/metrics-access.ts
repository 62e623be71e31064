import { timingSafeEqual } from 'node:crypto';
import { config } from '../../config/config.js';
import { Unauthenticated } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';

/**
 * Allows everyone to read the metrics while METRICS_TOKEN is unset. Otherwise it requires `Bearer <token>` (RFC 6750),
 * as Prometheus sends it. Throws Unauthenticated.
 */
export function requireMetricsToken(authorization: string | undefined): void {
  const { metricsToken } = config();
  if (metricsToken === undefined) return;
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const [hash, expected] = [given, metricsToken].map((secret) => Buffer.from(hashSecret(secret)));
  if (hash !== undefined && expected !== undefined && timingSafeEqual(hash, expected)) return;
  throw new Unauthenticated('The metrics take the Authorization header "Bearer <METRICS_TOKEN>".', 'Bearer');
}

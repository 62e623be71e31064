import { createHmac } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';
import { secondMs } from '../../../src/lib/time.js';

/** The header `roblox-signature` for a webhook call with this body, sent at `at` (milliseconds since 1970). */
export function signRobloxWebhook(body: string, secret: string, at: number = clock.epochMs()): string {
  const time = Math.floor(at / secondMs);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('base64')}`;
}

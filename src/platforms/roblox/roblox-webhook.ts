import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { minuteMs, secondMs } from '../../lib/time.js';

/** A call's maximum deviation from our clock, as Roblox suggests. */
const windowMs = 10 * minuteMs;

const notification = z.object({
  EventType: z.string(),
  EventTime: z.coerce.date(),
  EventPayload: z.unknown().optional(),
});
const erasureRequest = z.object({ UserId: z.int().positive() });

/** A person asked Roblox to erase them. */
export interface GameErasure {
  gameUserId: string;
  askedAt: Date;
}

/**
 * Reads a webhook call from Roblox, signed with `secret` (`roblox-signature: t=<Unix seconds>,v1=<base64 HMAC-SHA256 of
 * "t.body">`). Returns an erasure request, or null for any other event. @throws AppError `signature_invalid` for a call
 * with a wrong signature, an old one, or an unreadable one.
 */
export function readGameErasure(rawBody: Buffer, signature: string, secret: string): GameErasure | null {
  const [, time = '', given = ''] = /^t=(\d{1,15}),\s*v1=(\S{1,100})$/.exec(signature) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest();
  const bytes = Buffer.from(given, 'base64');
  const isRecent = Math.abs(clock.epochMs() - Number(time) * secondMs) <= windowMs;
  if (!isRecent || bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) throw refused();
  const { EventType, EventTime, EventPayload } = parsed(notification, jsonOf(rawBody));
  if (EventType !== 'RightToErasureRequest') return null;
  return { gameUserId: String(parsed(erasureRequest, EventPayload).UserId), askedAt: EventTime };
}

function refused(): AppError {
  return new AppError('signature_invalid', "The roblox-signature header doesn't match this body, or isn't recent.");
}

function parsed<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const { data, success } = schema.safeParse(value);
  if (!success) throw refused();
  return data;
}

function jsonOf(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString());
  } catch {
    throw refused();
  }
}

import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { clock } from './clock.js';
import { t } from './translate.js';

/** Prefixes for public ids (ID-1). An id with the wrong prefix is not found. */
export type IdPrefix = 'map' | 'whk' | 'dlv' | 'job' | 'tok' | 'log' | 'evt' | 'pim' | 'rnk';

let last = { seconds: '', tail: 0n };

/**
 * A new public id: prefix, underscore, 24 hex digits (the time in 4 bytes, then randomness, so that ids sort by age).
 * Within one second, this process's ids increase: log entries with the same time keep their order.
 */
export function newId(prefix: IdPrefix, now: Date = clock.now()): string {
  const seconds = Math.floor(now.getTime() / 1000)
    .toString(16)
    .padStart(8, '0');
  const random = randomBytes(8);
  const isLater = seconds === last.seconds;
  const tail = isLater ? last.tail + 1n + BigInt(random.readUInt32BE()) : random.readBigUInt64BE() >> 1n;
  last = { seconds, tail };
  return `${prefix}_${seconds}${tail.toString(16).padStart(16, '0')}`;
}

/** A new public id above `last`, even if the clock was set back since that one. */
export function newIdAfter(prefix: IdPrefix, last = ''): string {
  const id = newId(prefix);
  if (id > last) return id;
  const next = BigInt(`0x${last.slice(prefix.length + 1)}`) + 1n;
  return `${prefix}_${next.toString(16).padStart(24, '0')}`;
}

export const noSnowflake = (): string => t('input.discord_id');
const largestSnowflake = String(2n ** 64n - 1n);

/** A Discord snowflake as a decimal string (ID-1): never a JSON number. */
export const snowflake = z
  .string()
  .regex(/^[1-9]\d{16,19}$/, { error: noSnowflake })
  .refine((text) => text.length < 20 || text <= largestSnowflake, { error: noSnowflake });

/** 1 to `most` snowflakes in a query, as one comma-separated text. */
export const snowflakes = (most: number) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(snowflake).min(1).max(most))
    .meta({ override: { type: 'string', description: `1 to ${most} Discord ids with commas between them.` } });

export const gameId = z.string().regex(/^[1-9]\d{0,18}$/, { error: () => t('input.roblox_id') });

/** 256 random bits in base64url: verification tokens and session ids. Only their hash is ever stored. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A secret's stored form, also used for lookups: SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

import { trusted } from 'mongoose';
import { z } from 'zod';
import { logger } from '../../lib/logger.js';
import { SealBroken, type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { dayMs } from '../../lib/time.js';
import { Remembered } from '../../platforms/database/remembered.js';
import type { Actor, ErasedPerson } from '../actors/actor.js';
import { type AuditEntry, AuditLog, platformLog } from './audit-model.js';

/** For how many days a guild's owner can see the identity of an erased person that acted there (PRIV-6). */
const sealedDays = 30;

/**
 * The sealed identity of an erased person that acted in a guild: one for each erasure there. Their log entries there
 * contain only the pseudonym.
 */
interface SealedActor {
  pseudonym: string;
  /** A JWE with their chatUserId and name. */
  sealed: string;
}

const sealedActors = new Remembered<SealedActor>('sealed_actor');

const person = z.object({ id: z.string(), name: z.string() });

/** The people behind pseudonyms, by pseudonym. */
export type OpenedActors = ReadonlyMap<string, z.output<typeof person>>;

const sealFor = (guildId: string, pseudonym: string): SealFor => ({
  purpose: 'erased-actor',
  salt: `${guildId}:${pseudonym}`,
});

/**
 * Seals a person's identity in each guild where they acted for its team on other people or things. Runs before their
 * entries become anonymous. Can be repeated after a crash.
 */
export async function sealActor({ chatUserId, actor, pseudonym, requestedAt }: ErasedPerson): Promise<void> {
  const guildIds = await AuditLog.acrossGuilds.distinct('guildId', {
    'actor.id': chatUserId,
    'target.id': trusted({ $ne: chatUserId }),
    guildId: trusted({ $ne: platformLog }),
    $nor: [{ action: 'member.unlinked', 'changes.reason.to': 'transferred' }],
  });
  const until = new Date(requestedAt.getTime() + sealedDays * dayMs);
  for (const guildId of guildIds) {
    const sealed = await seal({ id: chatUserId, name: actor.name }, sealFor(guildId, pseudonym));
    await sealedActors.keep(`${guildId} ${pseudonym}`, { guildId, until, value: { pseudonym, sealed } });
  }
}

/**
 * The erased people in a guild's log visible to `reader`. The guild's owner, platform admins and owner-role platform
 * tokens see the last 30 days'; other readers see none.
 */
export async function actorsOpenTo(reader: Actor, guildId: string): Promise<OpenedActors> {
  if (!mayOpen(reader)) return new Map();
  const sealed = await sealedActors.inGuild(guildId);
  return new Map((await Promise.all(sealed.map(({ value }) => open(guildId, value)))).flat());
}

function mayOpen({ kind, role, platformAdmin, tokenGuildId }: Actor): boolean {
  if (kind === 'user') return role === 'owner' || platformAdmin;
  return kind === 'bot_token' && tokenGuildId === '*' && role === 'owner';
}

const toldClosed = new Set<string>();

/** An identity sealed with another SECRETS_KEY stays closed; this is logged once per guild. */
async function open(guildId: string, { pseudonym, sealed }: SealedActor): Promise<[string, z.output<typeof person>][]> {
  try {
    return [[pseudonym, await unseal(person, sealed, sealFor(guildId, pseudonym))]];
  } catch (err) {
    if (!(err instanceof SealBroken)) throw err;
    if (!toldClosed.has(guildId)) logger.warn({ guildId }, 'no key decrypts the names of erased people in this server');
    toldClosed.add(guildId);
    return [];
  }
}

/**
 * An entry's actor, as far as the reader may know. An erased person keeps the pseudonym in entries about their own
 * account or their takeover of another.
 */
export function actorShown({ actor, action, target, changes }: AuditEntry, opened: OpenedActors) {
  const isTransfer = action === 'member.unlinked' && changes?.reason?.to === 'transferred';
  const known = target.id === actor.id || isTransfer ? undefined : opened.get(actor.id);
  return known === undefined ? actor : { kind: actor.kind, id: known.id, name: known.name, pseudonym: actor.id };
}

export const pseudonymsOf = (chatUserId: string, opened: OpenedActors): string[] =>
  [...opened].filter(([, { id }]) => id === chatUserId).map(([pseudonym]) => pseudonym);

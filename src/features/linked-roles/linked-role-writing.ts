import { trusted } from 'mongoose';
import { z } from 'zod';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { ConsentEnded, type PersonTokens, renewTokens } from '../../core/auth/discord-oauth.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { SealBroken, seal, unseal } from '../../lib/sealed-secrets.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { leftOutbox } from '../../platforms/database/guild-model.js';
import { type Lease, withLease } from '../../platforms/database/lease.js';
import { applicationId } from '../../platforms/discord/own-application.js';
import {
  type RoleConnection,
  removeRoleConnection,
  TokenRefused,
  writeRoleConnection,
} from '../../platforms/discord/role-connections.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { connectionNow, publishedKeys } from './linked-role-facts.js';
import { type LinkedRole, LinkedRoles, updates } from './linked-role-model.js';

/** Tokens that expire sooner are renewed first; every person is checked more often than that. */
const renewBeforeMs = 2 * dayMs;
/** Facts that cannot be removed within this time are forgotten. */
const forgetAfterMs = dayMs;

const sealedTokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
const sealFor = (chatUserId: string) => ({ purpose: 'linked-role', salt: chatUserId }) as const;

export async function storedTokens(chatUserId: string, { accessToken, refreshToken, expiresAt }: PersonTokens) {
  const tokens = await seal({ accessToken, refreshToken }, sealFor(chatUserId));
  return { tokens, tokensExpireAt: expiresAt };
}

/**
 * Why a connection ended. `self`: by the person; `refused`: by Discord; `erased`; `switched_off`: the operator
 * publishes nothing more. Otherwise the keys for its tokens are lost.
 */
export type EndReason = 'self' | 'refused' | 'erased' | 'switched_off' | 'keys_lost';

export const entryOfEnd = (chatUserId: string, actor: Actor, reason: EndReason) =>
  newEntry({
    guildId: null,
    actor,
    action: 'linked_role.disconnected',
    target: { kind: 'person', id: chatUserId, name: actor.id === chatUserId ? actor.name : chatUserId },
    changes: { reason: { from: null, to: reason } },
  });

/**
 * If an update is due, brings the facts on Discord up to date. Changed facts are written. Without an account, or at the
 * end, all are removed. A failure is due again later. Throws only without a database, or Conflict `busy` if another
 * process is at it.
 */
export async function settleLinkedRole(chatUserId: string): Promise<void> {
  await withLease(`linked-role:${chatUserId}`, async (lease) => {
    const due = { _id: chatUserId, dueAt: trusted({ $lte: clock.now() }) };
    const stored = await LinkedRoles.findOne(due).lean<LinkedRole>();
    if (stored === null) return;
    try {
      if (stored.endingSince === undefined) await bringInLine(stored, lease);
      else await takeAway(stored, lease);
    } catch (error) {
      await noteFailure(stored, error);
    }
  });
}

async function bringInLine(stored: LinkedRole, lease: Lease): Promise<void> {
  const { _id: chatUserId, written } = stored;
  const accessToken = await usableToken(stored);
  const before = Object.fromEntries((written?.facts ?? []).map(({ key, value }) => [key, value]));
  const now = await connectionNow(chatUserId, before);
  lease.requireHeld();
  if (now === null && written !== undefined) await removeRoleConnection(accessToken, await applicationId());
  else if (now !== null && isOther(now, written)) await writeRoleConnection(accessToken, await applicationId(), now);
  await completeUpdate(stored, now);
}

function isOther({ gameUsername, metadata }: RoleConnection, written: LinkedRole['written']): boolean {
  if (written === undefined || written.gameUsername !== gameUsername) return true;
  const former = new Map(written.facts.map(({ key, value }) => [key, value]));
  const entries = Object.entries(metadata);
  return entries.length !== former.size || entries.some(([key, value]) => former.get(key) !== value);
}

/** Completes the update that was pending when `stored` was read, but none enqueued since. */
async function completeUpdate(stored: LinkedRole, now: RoleConnection | null): Promise<void> {
  const { _id, written } = stored;
  const facts = Object.entries(now?.metadata ?? {}).map(([key, value]) => ({ key, value }));
  const at = now !== null && isOther(now, written) ? clock.now() : (written?.at ?? clock.now());
  const writtenNow = now === null ? {} : { written: { gameUsername: now.gameUsername, facts, at } };
  const forgotten = now === null ? { $unset: { written: 1 as const } } : {};
  const change = { $set: { ...writtenNow, keys: publishedKeys(), failures: 0 }, ...forgotten };
  const isComplete = await updates.postpone(stored, hasOpenCloud() ? hourMs : dayMs, change);
  if (!isComplete) await LinkedRoles.updateOne({ _id }, change);
}

/**
 * Removes the facts from Discord and forgets the person's tokens. They are not revoked: that would end a newer consent
 * too.
 */
async function takeAway(stored: LinkedRole, lease: Lease): Promise<void> {
  const accessToken = await usableToken(stored);
  lease.requireHeld();
  await removeRoleConnection(accessToken, await applicationId());
  await forget(stored);
}

/** An access token that lasts a while; new ones are stored before they are used. */
async function usableToken(stored: LinkedRole): Promise<string> {
  const { _id: chatUserId, tokens, tokensExpireAt } = stored;
  const { accessToken, refreshToken } = await unseal(sealedTokens, tokens, sealFor(chatUserId));
  if (tokensExpireAt.getTime() - clock.epochMs() > renewBeforeMs) return accessToken;
  const renewed = await renewTokens(refreshToken);
  const anew = await storedTokens(chatUserId, renewed);
  await LinkedRoles.updateOne({ _id: chatUserId, tokens }, { $set: anew });
  stored.tokens = anew.tokens;
  return renewed.accessToken;
}

async function noteFailure(stored: LinkedRole, error: unknown): Promise<void> {
  const { _id: chatUserId, failures, endingSince } = stored;
  const isEnding = endingSince !== undefined;
  const isOver = isEnding && clock.epochMs() - endingSince.getTime() > forgetAfterMs;
  if (error instanceof SealBroken) {
    logger.warn(
      { chatUserId },
      'A connection for Linked Roles ended: no key opens its tokens. The person connects again',
    );
    await forget(stored, isEnding ? null : 'keys_lost');
  } else if (error instanceof ConsentEnded || error instanceof TokenRefused) {
    logger.info({ chatUserId }, 'Discord no longer accepts the tokens of a person for Linked Roles');
    await forget(stored, isEnding ? null : 'refused');
  } else if (isOver) {
    logger.warn({ err: error, chatUserId }, 'Linked Roles removed here, but Discord may still show them');
    await forget(stored);
  } else {
    logger.warn({ err: error, chatUserId, failures: failures + 1 }, 'Linked Roles postponed');
    await updates.retryLater(stored, failures + 1, { $inc: { failures: 1 } });
  }
}

/** Removes a person's stored connection, unless they have connected again. */
async function forget({ _id, tokens }: LinkedRole, reason: EndReason | null = null): Promise<void> {
  const entries = reason === null ? [] : [entryOfEnd(_id, systemActor('linked-roles'), reason)];
  await LinkedRoles.updateOne({ _id, tokens }, leftOutbox(...entries), { updatePipeline: true });
  await enterLog(...entries);
}

import { setTimeout as delay } from 'node:timers/promises';
import { trusted } from 'mongoose';
import { systemActor } from '../../src/core/actors/actor.js';
import { AuditLog } from '../../src/core/audit/audit-model.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { findPresentGuild, type Guild } from '../../src/core/guilds/guild-service.js';
import { linkAccount } from '../../src/features/accounts/account-service.js';
import { Members } from '../../src/features/members/member-model.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { Plans } from '../../src/features/sync/plan/plan-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import type { TokenRole } from '../../src/features/tokens/token-model.js';
import { type Api, api } from './api.js';
import { world } from './world.js';

/** Four digits, so that names are as long in whichever order files run: a nickname has at most 32 characters. */
let serial = 1_000;

/** Each check has a cost for tests in parallel: a long wait is checked less often, and a slow check rests longer. */
const nextAskMs = (waitedMs: number, tookMs: number): number => Math.min(Math.max(waitedMs / 3, 3 * tookMs, 10), 250);

/**
 * Waits until `condition` gives something, asking every 10 to 250 ms. Throws after `withinMs`, 3 minutes: the limit ends
 * a test that hangs, and a slow machine must not meet it.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  what = 'the expected state',
  withinMs = 180_000,
): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs = performance.now() - startedAt) {
    const value = await condition();
    if (value) return value as NonNullable<T>;
    const tookMs = performance.now() - startedAt - waitedMs;
    await delay(nextAskMs(waitedMs + tookMs, tookMs));
  }
  throw new Error(`${what} did not come within ${withinMs} ms`);
}

/** As if this guild, or all when left out, had caught up: the bot's coming, or a new session, would resync it. */
export async function skipReconciliations(guildId?: string): Promise<void> {
  const pending = { catchUpAt: trusted({ $exists: true }), ...(guildId !== undefined && { _id: guildId }) };
  await GuildRecord.updateMany(pending, { $unset: { catchUpSince: 1, catchUpAt: 1 } });
}

/** Discards the pending work that earlier test files began in this process. */
export async function forgetPending(): Promise<void> {
  await skipReconciliations();
  const pending = { owedSync: { $exists: true } };
  await Members.acrossGuilds.collection.updateMany(pending, { $unset: { owedSync: 1 } });
  const open = { $set: { state: 'cancelled' }, $unset: { open: 1, waiting: 1, awaitingConfirmation: 1 } } as const;
  await Plans.acrossGuilds.collection.updateMany({ open: true }, open);
}

/**
 * Waits until the service knows that the bot has come to a guild and has put it into the log. The guild catches up for
 * no test that does not ask.
 */
export async function knownGuild(guildId: string): Promise<Guild> {
  const known = { _id: guildId, present: true, catchUpAt: trusted({ $exists: true }) };
  await eventually(() => GuildRecord.exists(known), 'the guild');
  const logged = { guildId, action: 'guild.joined' as const };
  await eventually(() => AuditLog.acrossGuilds.exists(logged), 'the entry of the bot’s coming');
  await skipReconciliations(guildId);
  await GuildRecord.updateOne({ _id: guildId }, { $unset: { welcome: 1 } });
  return (await findPresentGuild(guildId)) as Guild;
}

export interface TestGuild {
  guildId: string;
  ownerId: string;
  guild: Guild;
  /** The guild's bot token with the role owner, and a caller with it. */
  token: string;
  api: Api;
  /** `/api/guilds/<guildId>` */
  path: string;
}

/** A Discord guild with the bot in it, which the service knows. */
export async function buildGuild(options: { name?: string; botPermissions?: bigint } = {}): Promise<TestGuild> {
  const { discord } = await world();
  serial += 1;
  const owner = discord.addUser({ username: `owner${serial}` });
  const { name = `Guild ${serial}`, botPermissions } = options;
  const { id: guildId } = discord.addGuild({
    name,
    ownerId: owner.id,
    ...(botPermissions !== undefined && { botPermissions }),
  });
  const guild = await knownGuild(guildId);
  const token = await tokenFor(guildId, 'owner');
  return { guildId, ownerId: owner.id, guild, token, api: api(token), path: `/api/guilds/${guildId}` };
}

/** A guild's bot token (`*`: the platform's own). */
export async function tokenFor(guildId: string, role: TokenRole): Promise<string> {
  return (await mintBotToken({ guildId, role, name: `test ${role}`, createdBy: 'test' })).text;
}

export interface TestPerson {
  chatUserId: string;
  username: string;
  gameUserId: string;
  gameUsername: string;
}

/** A person that exists on both platforms and is new to Rolelink. */
export async function buildPerson(options: { gameUsername?: string; createdAt?: Date } = {}): Promise<TestPerson> {
  const { discord, roblox } = await world();
  serial += 1;
  const user = discord.addUser({ username: `person${serial}` });
  const { gameUsername = `Player${serial}`, createdAt } = options;
  const game = roblox.addUser({ username: gameUsername, ...(createdAt !== undefined && { createdAt }) });
  return { chatUserId: user.id, username: user.username, gameUserId: game.id, gameUsername };
}

/** A person in a guild. `linked` (default): their account is proved there, and they are synced. */
export async function buildMember(
  { guildId, guild }: TestGuild,
  options: { linked?: boolean; person?: TestPerson; roleIds?: string[] } = {},
): Promise<TestPerson> {
  const { discord } = await world();
  const person = options.person ?? (await buildPerson());
  discord.join(guildId, person.chatUserId, { roleIds: options.roleIds ?? [] });
  if (options.linked ?? true) {
    await linkPerson(guildId, person);
    await syncMember(guild, person.chatUserId, { trigger: 'verification', actor: systemActor('test') });
  }
  return person;
}

/** Stores a proof for the person's account, made in the guild; no sync. */
export async function linkPerson(guildId: string | null, person: TestPerson): Promise<void> {
  const { chatUserId, username: chatUsername, gameUserId, gameUsername } = person;
  const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
  await linkAccount({ chatUserId, chatUsername, guildId, game, method: 'profile_code' }, systemActor('test'));
}

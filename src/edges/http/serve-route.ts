import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { enterGuild, guildSuspended } from '../../core/access/guild-access.js';
import { activateInvitation } from '../../core/access/teammate-service.js';
import { type Actor, anonymous } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Forbidden, NotFound, Unauthenticated } from '../../lib/errors.js';
import { awaited } from '../../lib/lane.js';
import { t } from '../../lib/translate.js';
import { yamlOf } from '../../lib/yaml-text.js';
import type { Access, GuildRole } from './access.js';
import type { Answer } from './answer.js';
import { authenticate, type Caller, nobody } from './authenticate.js';
import { countedAddress } from './client-address.js';
import { sendCoded } from './coded-file.js';
import { answerOnce, idempotencyKey } from './idempotency.js';
import { openCursor, sealCursor } from './list-cursor.js';
import type { RateLimitName, RateLimitState, RateLimits } from './rate-limits.js';
import { readBody, readRawBody } from './request-body.js';
import { nothingThere, parseInput } from './request-input.js';
import type { Request, Route } from './route.js';

/** Time after which an unread stream has lost its reader; its source is then released. */
const stalledAfterMs = 60_000;

/** Serves one request by one route: authenticate, limit, admit, read, handle, answer, in the route's lane. */
export function serveRoute(route: Route, rateLimits: RateLimits, ctx: Context): Promise<void> {
  return awaited(route.options.lane ?? 'read', () => serveInLane(route, rateLimits, ctx));
}

async function serveInLane(route: Route, rateLimits: RateLimits, ctx: Context): Promise<void> {
  const { actor: caller, guild: asRead } = await identifyCaller(route, rateLimits, ctx);
  const { rateLimit, personOf, isRead = ['GET', 'HEAD'].includes(ctx.method) } = route.options;
  const isByToken = caller.kind === 'bot_token' && personOf !== undefined;
  // The cheap and most frequent bot requests have their own limit.
  const limit = isByToken
    ? 'verification_by_tokens'
    : (rateLimit ?? (isRead && caller.kind === 'bot_token' ? 'token_reads' : undefined));
  await countRequest(rateLimits, caller, ctx, limit);
  const admitted = await admit(route.options.access, { actor: caller, guild: asRead }, ctx.params.guildId);
  const input = openCursor(route, await readInput(route, ctx));
  const request: Request = {
    ...admitted,
    ...input,
    cookie: (name) => ctx.cookies.get(name),
    spend: (name) => rateLimits.spend(principalOf(caller, ctx), name, noteIn(ctx)),
    guess: (wrong, work) =>
      rateLimits.guess(
        { code_guess: caller.id, code_guess_of_guild: principalOf(caller, ctx) },
        noteIn(ctx),
        work,
        wrong,
      ),
  };
  const person = isByToken ? await personOf(request) : null;
  if (person !== null) await rateLimits.spend(`${principalOf(caller, ctx)}:${person}`, 'verification', noteIn(ctx));
  const work = async () => sealCursor(route, input, await route.options.handle(request));
  const key = route.options.repeatable === true ? ctx.get(idempotencyKey) : '';
  const { query, body } = input;
  const repeatable = { caller: `${caller.kind}:${caller.id}`, path: ctx.path, key, input: { query, body } };
  send(ctx, route, key === '' ? await work() : await answerOnce(repeatable, work));
}

/** Open endpoints need no identity. A failed authentication is counted too, so that guessing is limited. */
async function identifyCaller(route: Route, rateLimits: RateLimits, ctx: Context): Promise<Caller> {
  if (isOpen(route.options.access)) return nobody;
  try {
    return await authenticate(ctx);
  } catch (refusal) {
    await countRequest(rateLimits, anonymous, ctx);
    throw refusal;
  }
}

/**
 * Counts a request by `caller` against the limits (API-37) and reports the remainder in the answer. Throws RateLimited.
 */
export function countRequest(rateLimits: RateLimits, caller: Actor, ctx: Context, name?: RateLimitName): Promise<void> {
  return rateLimits.consume(principalOf(caller, ctx), name, noteIn(ctx));
}

const noteIn =
  (ctx: Context) =>
  ({ limit, remaining, resetSeconds }: RateLimitState): void =>
    ctx.set({
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    });

const isOpen = ({ kind }: Access): boolean => kind === 'open' || kind === 'signed_by_provider';

/**
 * A limit's principal (API-30): the person, or the address without a sign-in. A guild's tokens count together, so more
 * tokens don't allow more requests.
 */
function principalOf(caller: Actor, ctx: Context): string {
  if (caller.kind === 'anonymous') return `address:${countedAddress(ctx.ip)}`;
  const { kind, id, tokenGuildId = '*' } = caller;
  return kind === 'bot_token' && tokenGuildId !== '*' ? `guild:${tokenGuildId}` : `${kind}:${id}`;
}

/** Decides whether `caller` may call, and in which role. */
async function admit(
  access: Access,
  caller: Caller,
  guildId: string | undefined,
): Promise<Pick<Request, 'actor' | 'guild'>> {
  const { actor } = caller;
  if (isOpen(access)) return { actor, guild: undefined };
  if (actor.kind === 'anonymous') throw new Unauthenticated();
  if (access.kind === 'platform_admin' && !actor.platformAdmin) {
    throw nothingThere();
  }
  if (access.kind === 'person' && actor.kind !== 'user') {
    throw new Forbidden('forbidden', 'Only a signed-in person can do this, not a bot token.');
  }
  if (access.kind === 'game') return { actor, guild: await guildForGames(caller, guildId ?? '') };
  if (actor.gameRole) return { actor, guild: guildOfGame(access, caller, guildId ?? '') };
  if (actor.ranksOnly) return { actor, guild: guildOfRanker(access, caller, guildId ?? '') };
  if (access.kind === 'guild_role') return visit(caller, guildId ?? '', access);
  return { actor, guild: undefined };
}

/** The guild of an endpoint for games only; for others, the refusal reveals no more about it than elsewhere. */
async function guildForGames({ actor, guild }: Caller, guildId: string): Promise<Guild> {
  if (actor.gameRole === undefined) {
    await enterGuild(actor, guildId, { least: 'viewer', whileSuspended: true });
    throw new Forbidden('forbidden', 'This needs a token with the role game, which an admin creates for the game.');
  }
  return ownGuild(guild, guildId);
}

/** The guild of a `game` token, on the endpoints open to it. */
function guildOfGame(access: Access, { actor, guild }: Caller, guildId: string): Guild {
  if (actor.gameRole === 'verifier') throw codesOnly();
  if (access.kind === 'guild_role' && access.byGame) return ownGuild(guild, guildId);
  throw new Forbidden('forbidden', 'This token can only look people up, submit codes and report facts from a game.');
}

const codesOnly = () => new Forbidden('forbidden', 'This token can only submit codes from a game.');

/** The guild in which a `ranker` token ranks people, on the endpoints for that. */
function guildOfRanker(access: Access, { guild }: Caller, guildId: string): Guild {
  if (access.kind === 'guild_role' && access.byRanker) return ownGuild(guild, guildId);
  throw new Forbidden('forbidden', 'This token can only change ranks in Roblox groups.');
}

/** The guild of a token without a team role. */
function ownGuild(guild: Guild | null, guildId: string): Guild {
  if (guild === null || guild._id !== guildId) throw new NotFound('guild_not_found', t('error.no_such_guild'));
  if (guild.state === 'suspended') throw guildSuspended(guild);
  return guild;
}

/** Admission is the visit that activates an invited teammate. */
async function visit(
  caller: Caller,
  guildId: string,
  { least, whileSuspended }: GuildRole,
): Promise<{ actor: Actor; guild: Guild }> {
  const asRead = caller.guild?._id === guildId ? caller.guild : undefined;
  const { actor, guild, isInvited } = await enterGuild(caller.actor, guildId, { least, whileSuspended, asRead });
  if (isInvited) await activateInvitation(guild._id, actor);
  return { actor, guild };
}

async function readInput(
  route: Route,
  ctx: Context,
): Promise<Omit<Request, 'actor' | 'guild' | 'cookie' | 'spend' | 'guess'>> {
  const { page = false, yaml = false, access } = route.options;
  const signed = access.kind === 'signed_by_provider';
  // A missing signature is refused before a large body is read.
  const rawBody = signed && ctx.get(access.header) !== '' ? await readRawBody(ctx) : Buffer.alloc(0);
  const body =
    signed || route.method === 'GET' ? undefined : await readBody(ctx, page ? 'form' : yaml ? 'document' : 'json');
  return { ...parseInput(route, { params: ctx.params, query: ctx.query, headers: ctx.headers, body }), rawBody };
}

const yamlType = 'application/yaml';

function send(ctx: Context, route: Route, answer: Answer): void {
  const shape = route.options.answers[answer.status];
  if (config().checkAnswers) checkAnswer(route, answer, shape);
  // Without an explicit null, Koa writes the status into the body; with one, it makes the status 204. Before a stream,
  // null would remove the chunked encoding, which distinguishes a complete answer from a broken connection.
  if (answer.body === undefined) ctx.body = null;
  ctx.status = answer.status;
  ctx.set({ ...answer.headers });
  for (const cookie of answer.cookies ?? []) ctx.append('set-cookie', cookie);
  if (answer.file !== undefined) {
    sendCoded(ctx, answer.file);
    return;
  }
  if (answer.body === undefined) return;
  if (answer.body instanceof Readable) ctx.res.setTimeout(stalledAfterMs, () => ctx.res.destroy());
  if (route.options.yaml && ctx.accepts(['application/json', yamlType]) === yamlType) {
    ctx.type = yamlType;
    ctx.body = yamlOf(answer.body);
    return;
  }
  ctx.type = answer.type ?? 'application/json; charset=utf-8';
  ctx.body = answer.type === undefined ? JSON.stringify(answer.body) : answer.body;
}

/** In tests, every answer is checked against its route's declaration, and so against the documentation. */
function checkAnswer(route: Route, answer: Answer, shape: unknown): void {
  if (shape === undefined) throw new Error(`${route.name} does not document its answer ${answer.status}`);
  if (answer.status === 201 && !answer.headers?.location) throw new Error(`${route.name} should say the Location`);
  if (shape === null && answer.body !== undefined) throw new Error(`${route.name} should answer without a body`);
  // Streams and prebuilt files are checked at their receivers.
  if (!(shape instanceof z.ZodType) || answer.body instanceof Readable || answer.file !== undefined) return;
  const result = shape.safeParse(answer.body);
  if (!result.success) throw new Error(`${route.name} breaks its own schema: ${z.prettifyError(result.error)}`);
}

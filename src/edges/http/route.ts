import { Piece } from '@sapphire/pieces';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-model.js';
import { snowflake } from '../../lib/ids.js';
import type { RefusalCode } from '../../lib/refusal-codes.js';
import type { Access, GameAccess, GuildRole } from './access.js';
import type { Answer } from './answer.js';
import { idempotencyHeader } from './idempotency.js';
import type { GiveBack, RateLimitName, ScarceLimitName } from './rate-limits.js';

type Endpoint = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** The inputs in addition to the path: strict schemas. A mismatch is a 400. */
interface RouteInput {
  query?: z.ZodObject;
  /** The headers used by the route, under their lower-case names; others are ignored. */
  headers?: z.ZodObject;
  body?: z.ZodType;
}

/** An endpoint's path parameter names: `guildId` in `GET /api/guilds/:guildId`. */
type ParamOf<E extends string> = E extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : E extends `${string}:${infer Name}`
    ? Name
    : never;

type Parsed<I extends RouteInput, Part extends keyof RouteInput> = RouteInput extends I
  ? unknown
  : I[Part] extends z.ZodType
    ? z.output<I[Part]>
    : undefined;

/** A validated request. `guild` is present if the access is a role in the path's guild, or its game. */
export interface Request<E extends Endpoint = Endpoint, I extends RouteInput = RouteInput, A extends Access = Access> {
  actor: Actor;
  guild: A extends GuildRole | GameAccess ? Guild : undefined;
  params: Readonly<Record<ParamOf<E>, string>>;
  query: Parsed<I, 'query'>;
  headers: Parsed<I, 'headers'>;
  body: Parsed<I, 'body'>;
  /** The raw body bytes, if a provider has signed them; empty otherwise. */
  rawBody: Buffer;
  cookie(name: string): string | undefined;
  /** Counts this request against a scarce limit that not every request to the route uses. Throws RateLimited. */
  spend(name: ScarceLimitName): Promise<GiveBack>;
  /**
   * Runs `work` in which a bot token guesses. Refusals with `wrong` count for the token and for its guild's tokens
   * together (API-34). Throws RateLimited before `work`, so that a right guess reveals as little as a wrong one.
   */
  guess<T>(wrong: RefusalCode, work: () => Promise<T>): Promise<T>;
}

/** The schema for an answer's JSON body; null for one without a body; or the media type if it is not JSON. */
export type AnswerShape = z.ZodType | null | string;

export interface RouteOptions<
  E extends Endpoint = Endpoint,
  I extends RouteInput = RouteInput,
  A extends Access = Access,
> extends Piece.Options {
  /** Method and path: the piece's name, so that two cannot collide. */
  endpoint: E;
  summary: string;
  access: A;
  input?: I;
  /** Every success status with its body. */
  answers: Readonly<Record<number, AnswerShape>>;
  /** Refusals, all problem documents, in addition to those implied by the other options (`refusalsOf`). */
  refusals?: readonly RefusalCode[];
  answerHeaders?: Readonly<Record<string, string>>;
  /** Creates something, and so accepts an Idempotency-Key (API-12). */
  repeatable?: boolean;
  /** Its body and its answer are documents in JSON (up to 1 MiB) or YAML (up to 64 KiB). */
  yaml?: boolean;
  /** Changes nothing, but is a POST because its input does not fit an address: it counts as a read (API-32). */
  isRead?: boolean;
  /** The lane for its calls to Discord and Roblox, where it is not the one for HTTP requests (SYNC-37). */
  lane?: 'press' | 'single' | 'bulk';
  /** The limit that applies in addition to the general one (API-31). */
  rateLimit?: RateLimitName;
  /**
   * The person in a bot token's verification write, which counts per person and not for the token (API-33). Null if the
   * token may name no person.
   */
  personOf?(request: Request<E, I, A>): Promise<string | null> | string | null;
  /** For people in a browser: refusals are pages, and signed-out people are redirected to sign in. */
  page?: boolean;
  /** Also opened by links: refusals are pages for callers that prefer HTML to JSON, as browsers do. */
  opened?: boolean;
  handle(request: Request<E, I, A>): Answer | Promise<Answer>;
}

/** The headers that a route uses, including the Idempotency-Key. */
export function headersOf({ input, repeatable = false }: RouteOptions): z.ZodObject | undefined {
  return repeatable ? (input?.headers ?? z.object({})).extend(idempotencyHeader) : input?.headers;
}

/** Discord's ids have a known form; everything else in a path is looked up unchanged. */
const discordIds = new Set(['guildId', 'memberId']);

export class Route extends Piece<RouteOptions, 'routes'> {
  readonly method: string;
  readonly path: string;
  /** A path that does not fit is a 404. */
  readonly params: z.ZodObject;

  constructor(context: Route.LoaderContext, options: RouteOptions) {
    super(context, { ...options, name: options.endpoint });
    const [method = '', path = ''] = options.endpoint.split(' ');
    this.method = method;
    this.path = path;
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const schemas = names.map((name) => [name, discordIds.has(name) ? snowflake : z.string()] as const);
    this.params = z.strictObject(Object.fromEntries(schemas));
  }
}

export namespace Route {
  export type LoaderContext = Piece.LoaderContext<'routes'>;
}

/**
 * One endpoint's piece. The same options validate, authorize, limit and document it; `handle` returns an Answer and
 * never sees Koa.
 */
export function defineRoute<E extends Endpoint, I extends RouteInput, A extends Access>(
  options: RouteOptions<E, I, A>,
): new (
  context: Route.LoaderContext,
) => Route {
  return class extends Route {
    constructor(context: Route.LoaderContext) {
      super(context, options);
    }
  };
}

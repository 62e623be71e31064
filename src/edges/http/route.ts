import { Piece } from '@sapphire/pieces';
import type { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-model.js';
import type { Answer } from '../../lib/answer.js';
import type { Access } from './access.js';
import type { RateLimitName } from './rate-limits.js';

/** What comes in: strict schemas. A path that does not fit is a 404, a query or body that does not fit a 400. */
export interface RouteInput {
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** The headers that the route goes by, under their lower-case names; others are nobody's business. */
  headers?: z.ZodObject;
  body?: z.ZodType;
}

type Parsed<I extends RouteInput, Part extends keyof RouteInput> = RouteInput extends I
  ? unknown
  : I[Part] extends z.ZodType
    ? z.output<I[Part]>
    : undefined;

type GuildOf<I extends RouteInput> = RouteInput extends I
  ? Guild | undefined
  : Parsed<I, 'params'> extends { guildId: string }
    ? Guild
    : undefined;

/** A validated request. `guild` is there where the path names one and the access is a guild role. */
export interface Request<I extends RouteInput = RouteInput> {
  actor: Actor;
  guild: GuildOf<I>;
  params: Parsed<I, 'params'>;
  query: Parsed<I, 'query'>;
  headers: Parsed<I, 'headers'>;
  body: Parsed<I, 'body'>;
  /** The bytes of the body as they came, where a provider has signed them; empty elsewhere. */
  rawBody: Buffer;
  cookie(name: string): string | undefined;
}

/** The schema of an answer's JSON body; null for one without a body; or the media type of one that is not JSON. */
export type AnswerShape = z.ZodType | null | string;

/**
 * One endpoint. `endpoint` ("GET /api/guilds/:guildId") is the piece's name, so that two cannot collide. The same
 * options validate, authorize, limit and document it; handlers return an Answer and never see Koa.
 */
export abstract class Route<I extends RouteInput = RouteInput> extends Piece<Route.Options<I>, 'routes'> {
  readonly method: string;
  readonly path: string;

  constructor(context: Route.LoaderContext, options: Route.Options<I>) {
    super(context, { ...options, name: options.endpoint });
    const [method = '', path = ''] = options.endpoint.split(' ');
    this.method = method;
    this.path = path;
  }

  abstract handle(request: Request<I>): Answer | Promise<Answer>;
}

export namespace Route {
  export type LoaderContext = Piece.LoaderContext<'routes'>;

  export interface Options<I extends RouteInput = RouteInput> extends Piece.Options {
    endpoint: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
    /** One line for the API's documentation. */
    summary: string;
    access: Access;
    input?: I;
    /** Every success status, and its body. Refusals are problem documents and need no mention. */
    answers: Readonly<Record<number, AnswerShape>>;
    /** Headers of the answers that callers go by, and what each says. */
    answerHeaders?: Readonly<Record<string, string>>;
    /** The limit that applies beside the general one (SPEC §3). */
    rateLimit?: RateLimitName;
    /** For people in a browser: refusals are pages, and who is not signed in is sent to sign in first. */
    page?: boolean;
  }
}

import type Koa from 'koa';
import type { ExchangeObserver } from '../kit/exchange.js';
import { commandRoutes } from './command-routes.js';
import { DiscordState, type MembersIntent } from './discord-state.js';
import { GatewayServer } from './gateway-server.js';
import { guildRoutes } from './guild-routes.js';
import { InteractionDesk } from './interaction-desk.js';
import { interactionRoutes } from './interaction-routes.js';
import { memberRoutes } from './member-routes.js';
import { messageRoutes } from './message-routes.js';
import { OAuthDesk } from './oauth-desk.js';
import { oauthRoutes } from './oauth-routes.js';
import { PersonActions } from './person-actions.js';
import { RateLimiter, type RateLimitOverrides } from './rate-limiter.js';
import { type RestParts, restApp } from './rest-server.js';
import { roleConnectionRoutes } from './role-connection-routes.js';
import { userRoutes } from './user-routes.js';

export interface DiscordSandboxOptions {
  /** 0, the default, takes any free one. */
  port?: number;
  /** 127.0.0.1 when left out. */
  host?: string;
  observe?: ExchangeObserver;
  /** Whether calls are limited (default), or given numbers by endpoint (`global` for the global limit). */
  rateLimits?: boolean | RateLimitOverrides;
  /** What HELLO asks bots for; Discord's own 41,250 ms when left out. */
  heartbeatIntervalMs?: number;
  /** `on` when left out. */
  membersIntent?: MembersIntent;
  /** How long an application has for its first answer to what people do; Discord's own 3,000 ms when left out. */
  answerWithinMs?: number;
}

/** The stand-in's parts, wired to each other. */
export class SandboxCore {
  readonly state: DiscordState;
  readonly oauth: OAuthDesk;
  readonly desk: InteractionDesk;
  readonly people: PersonActions;
  readonly gateway: GatewayServer;

  constructor(readonly options: DiscordSandboxOptions) {
    this.state = new DiscordState('Rolelink', options.membersIntent);
    this.oauth = new OAuthDesk(this.state);
    this.desk = new InteractionDesk(this.state, options.answerWithinMs);
    this.people = new PersonActions(this.state, this.desk);
    this.gateway = new GatewayServer(this.state, options.heartbeatIntervalMs);
  }

  /** Discord's REST interface with all its endpoints. */
  restApp(watched: Pick<RestParts, 'requests' | 'faults' | 'onAnswer'>): Koa {
    const { state, oauth, desk, gateway, options } = this;
    const limits = options.rateLimits ?? true;
    return restApp({
      endpoints: [
        ...userRoutes(state, gateway),
        ...guildRoutes(state),
        ...memberRoutes(state),
        ...messageRoutes(state),
        ...commandRoutes(state),
        ...interactionRoutes(state, desk),
        ...oauthRoutes(oauth),
        ...roleConnectionRoutes(state),
      ],
      oauth,
      limiter: limits === false ? undefined : new RateLimiter(limits === true ? {} : limits),
      observe: options.observe,
      ...watched,
    });
  }
}

import { randomBytes, randomInt } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';
import type { ExchangeObserver } from '../kit/exchange.js';
import { type Listening, listen, RunningSandbox } from '../kit/running-sandbox.js';
import type { KeyState } from './api-key.js';
import type { RobloxFault } from './faults.js';
import type { NewGameGroup, NewGameRole, SandboxGroup } from './game-group.js';
import type { SandboxGameRole } from './game-role.js';
import { decide, type OAuthApp, readAuthorizationRequest, redirectWith, refusalOf } from './oauth-consent.js';
import { OAuthTokens } from './oauth-tokens.js';
import { defaultLegacyPerMinute } from './rate-limits.js';
import { createRobloxApp } from './roblox-app.js';
import { RobloxState } from './roblox-state.js';
import type { SandboxUniverse } from './universe-directory.js';
import type { NewGameUser, SandboxGameUser, SandboxItem } from './user-directory.js';

export interface RobloxSandboxOptions {
  /** A free port when left out. */
  port?: number;
  /** 127.0.0.1 when left out. */
  host?: string;
  /** Sees each request to Roblox with its answer. */
  observe?: ExchangeObserver;
  /** Off only when `false`. */
  rateLimits?: boolean;
  /** One caller's requests a minute to an older host, for which Roblox publishes no number. */
  legacyPerMinute?: number;
  /** The OAuth application's registered redirect URIs; any http(s) URI passes when left out. */
  redirectUris?: string[];
}

/** Starts a separate Roblox: users, groups, Open Cloud, thumbnails and OAuth on one port, empty at first. */
export async function startRobloxSandbox(options: RobloxSandboxOptions = {}): Promise<RobloxSandbox> {
  const tokens = await OAuthTokens.create();
  return new RobloxSandbox(await listen(options), tokens, options);
}

/** A running sandbox, steered from the same process. Ids are numeric strings; wrong ids throw an `Error` in words. */
export class RobloxSandbox extends RunningSandbox<RobloxFault> {
  /** What to set ROBLOX_USERS_URL to; the next three likewise. */
  readonly usersUrl: string;
  readonly groupsUrl: string;
  readonly apisUrl: string;
  readonly thumbnailsUrl: string;
  /** Signs the webhooks that an operator has registered. */
  readonly webhookSecret = randomBytes(24).toString('hex');
  readonly oauth = { clientId: String(randomInt(2 ** 47)), clientSecret: `RBX-${randomBytes(24).toString('hex')}` };
  readonly #state = new RobloxState();
  readonly #oauthApp: OAuthApp;
  readonly #tokens: OAuthTokens;

  constructor(listening: Listening, tokens: OAuthTokens, options: RobloxSandboxOptions) {
    super(listening);
    this.usersUrl = `${this.url}/users`;
    this.groupsUrl = `${this.url}/groups`;
    this.apisUrl = `${this.url}/apis`;
    this.thumbnailsUrl = `${this.url}/thumbnails`;
    this.#tokens = tokens;
    this.#oauthApp = { ...this.oauth, redirectUris: options.redirectUris };
    const app = createRobloxApp({
      sandbox: this,
      state: this.#state,
      tokens,
      oauthApp: this.#oauthApp,
      faults: this.faults,
      requests: this.requests,
      legacyPerMinute: options.rateLimits === false ? undefined : (options.legacyPerMinute ?? defaultLegacyPerMinute),
      observe: options.observe,
    });
    this.server.on('request', app.callback());
  }

  get apiKey(): string {
    return this.#state.key.secret;
  }

  /** Disables or expires the API key, or changes its scopes (`name:operation`) or its account. */
  setKey(key: Partial<KeyState>): void {
    Object.assign(this.#state.key, key);
  }

  /** The API key is enabled, does not expire and has every scope again. */
  mendKey(): void {
    this.#state.key.mend();
  }

  /** Makes the older user and group hosts refuse reads without credentials (401), or serve them again. */
  closeOlderReads(closed = true): void {
    this.#state.olderReadsClosed = closed;
  }

  /** The account is deleted: it has no groups any more, and is unknown. */
  removeUser(userId: string): void {
    for (const group of this.#state.groups.groupsOf(userId)) this.#state.groups.leave(group.id, userId);
    this.#state.users.remove(userId);
  }

  addUser(input: NewGameUser): SandboxGameUser {
    return this.#state.users.add(input);
  }

  /** The old name stays findable as a former name. */
  renameUser(userId: string, username: string): void {
    this.#state.users.rename(userId, username);
  }

  setAbout(userId: string, about: string): void {
    this.#state.users.setAbout(userId, about);
  }

  setPremium(userId: string, premium = true): void {
    this.#state.users.setPremium(userId, premium);
  }

  giveItem(userId: string, item: SandboxItem): void {
    this.#state.users.giveItem(userId, item);
  }

  takeItem(userId: string, item: SandboxItem): void {
    this.#state.users.takeItem(userId, item);
  }

  /** Makes the inventory private, or public again. */
  setInventoryPrivate(userId: string, isPrivate = true): void {
    this.#state.users.setInventoryPrivate(userId, isPrivate);
  }

  setBanned(userId: string, banned: boolean): void {
    this.#state.users.setBanned(userId, banned);
  }

  /** The owner, if there is one, joins with the highest role. */
  addGroup(input: NewGameGroup): SandboxGroup {
    if (input.ownerId !== undefined) this.#state.users.get(input.ownerId);
    return this.#state.groups.add(input);
  }

  removeGroup(groupId: string): void {
    this.#state.groups.remove(groupId);
  }

  addGroupRole(groupId: string, role: NewGameRole): SandboxGameRole {
    return this.#state.groups.get(groupId).addRole(role);
  }

  renameGroupRole(groupId: string, gameRoleId: string, name: string): void {
    this.#state.groups.get(groupId).renameRole(gameRoleId, name);
  }

  /** Deletes a group's role. Its holders keep their other roles, or get the lowest. */
  removeGroupRole(groupId: string, gameRoleId: string): void {
    this.#state.groups.get(groupId).removeRole(gameRoleId);
  }

  user(userId: string): SandboxGameUser {
    return this.#state.users.get(userId);
  }

  /** The ranks that the user holds in the group, none for who is not in it; null when there is no such group. */
  ranksOf(groupId: string, userId: string): number[] | null {
    const group = this.#state.groups.find(groupId);
    return group === undefined ? null : (group.findMember(userId)?.roles.map(({ rank }) => rank) ?? []);
  }

  /** Gives exactly the roles with this rank; the user joins the group if needed. */
  setRank(groupId: string, userId: string, rank: number): void {
    this.#state.groups.setRank(groupId, this.#state.users.get(userId).id, rank);
  }

  /** Gives exactly these roles; the user joins the group if needed. */
  setGroupRoles(groupId: string, userId: string, gameRoleIds: string[]): void {
    this.#state.groups.setRoles(groupId, this.#state.users.get(userId).id, gameRoleIds);
  }

  /** The person asks to join the group. */
  requestToJoin(groupId: string, userId: string): void {
    this.#state.groups.get(groupId).joinRequests.set(this.#state.users.get(userId).id, clock.now());
  }

  /** Takes back a request to join. */
  withdrawRequest(groupId: string, userId: string): void {
    this.#state.groups.get(groupId).joinRequests.delete(userId);
  }

  /** An experience; of the API key's account, unless it has another owner. */
  addUniverse({
    ownerId = this.#state.key.accountId,
    players,
  }: {
    ownerId?: string;
    players?: number;
  } = {}): SandboxUniverse {
    return this.#state.universes.add({ ownerId, players });
  }

  universe(universeId: string): SandboxUniverse {
    return this.#state.universes.get(universeId);
  }

  /** A game server of the universe subscribes to a topic. Returns the end of that. */
  subscribe(universeId: string, topic: string, listener: (message: string) => void): () => void {
    return this.#state.universes.subscribe(universeId, topic, listener);
  }

  leaveGroup(groupId: string, userId: string): void {
    this.#state.groups.leave(groupId, userId);
  }

  /** Lets the API key's owner see the group's log, or no longer. */
  showGroupLog(groupId: string, visible = true): void {
    this.#state.groups.get(groupId).log.isVisible = visible;
  }

  /** The group log's lines so far are lost. */
  forgetGroupLog(groupId: string): void {
    this.#state.groups.get(groupId).log.forget();
  }

  /**
   * Plays the person on the authorization page: returns the URL to which Roblox redirects them, with `code` and `state`
   * or with `error`. Throws when the application or its redirect URI is not known, since there is no redirect then.
   */
  authorize(authorizeUrl: string, userId: string, approve = true): string {
    const request = readAuthorizationRequest(new URL(authorizeUrl).searchParams, this.#oauthApp);
    const refusal = refusalOf(request);
    if (refusal) return redirectWith(request, refusal);
    return decide(request, this.#state.users.get(userId).id, approve, this.#tokens);
  }
}

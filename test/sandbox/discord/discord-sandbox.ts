import type { Context } from 'koa';
import { type Listening, listen, RunningSandbox } from '../kit/running-sandbox.js';
import type { DiscordState, NewUser } from './discord-state.js';
import * as guilds from './guild-changes.js';
import {
  acceptRules,
  changeMember,
  changeUser,
  type JoinInput,
  joinGuild,
  leaveGuild,
  setFlags,
} from './member-changes.js';
import type { PersonActions } from './person-actions.js';
import { type DiscordSandboxOptions, SandboxCore } from './sandbox-core.js';
import { type SandboxMessage, viewMessage } from './sandbox-message.js';
import type {
  AuditRecord,
  SandboxApplication,
  SandboxConnection,
  SandboxGuild,
  SandboxRole,
  SandboxRoleConnection,
  SandboxRoleConnectionRecord,
  SandboxUser,
} from './sandbox-model.js';
import { sandboxPages } from './sandbox-pages.js';

export type { DiscordSandboxOptions } from './sandbox-core.js';
export type { SandboxInteraction } from './sandbox-interaction.js';
export type { SandboxMessage } from './sandbox-message.js';
export type { AuditRecord, SandboxApplication, SandboxGuild, SandboxRole, SandboxUser } from './sandbox-model.js';

/** Starts a stand-in for Discord with an application and its bot, but no guild yet. */
export async function startDiscordSandbox(options: DiscordSandboxOptions = {}): Promise<DiscordSandbox> {
  return new DiscordSandbox(await listen(options), new SandboxCore(options));
}

/**
 * A local Discord: REST under `/api`, the gateway under `/gateway`, and pages and OAuth everywhere else; and people's
 * actions in its client. State is in memory. Methods that change something notify connected bots as Discord would;
 * unknown ids throw.
 */
export class DiscordSandbox extends RunningSandbox {
  readonly application: SandboxApplication;
  /**
   * Sends a slash command; `name` is `command group subcommand`.
   * Resolves with the first answer; throws when Discord's client would not let the person send it, and "The
   * application did not respond" after `answerWithinMs`. The same holds for all that people do below.
   */
  readonly command: PersonActions['command'];
  /** What is suggested while the option `focused` is being typed. */
  readonly autocomplete: PersonActions['autocomplete'];
  readonly contextMenu: PersonActions['contextMenu'];
  readonly press: PersonActions['press'];
  readonly pressAsShown: PersonActions['pressAsShown'];
  readonly select: PersonActions['select'];
  /** Fills in and sends the form that `modalOf` was answered with. */
  readonly submit: PersonActions['submit'];
  readonly #core: SandboxCore;
  readonly #state: DiscordState;
  #invalid = 0;

  constructor(listening: Listening, core: SandboxCore) {
    super(listening);
    this.#core = core;
    this.#state = core.state;
    this.application = core.state.application;
    const { people } = core;
    this.command = people.command.bind(people);
    this.autocomplete = people.autocomplete.bind(people);
    this.contextMenu = people.contextMenu.bind(people);
    this.press = people.press.bind(people);
    this.pressAsShown = people.pressAsShown.bind(people);
    this.select = people.select.bind(people);
    this.submit = people.submit.bind(people);
    const { requests, faults } = this;
    const api = core.restApp({ requests, faults, onAnswer: (ctx) => this.#countInvalid(ctx) }).callback();
    const pages = sandboxPages(core, this);
    core.gateway.attach(this.server, this.url);
    this.server.on('request', (request, response) => {
      void (request.url?.startsWith('/api/') ? api : pages)(request, response);
    });
  }

  /** A person chooses a file; the returned id is a command option's value. `url`: where it is read. */
  upload(filename: string, content: string | Buffer, url?: string): string {
    const id = this.#state.ids.next();
    const place = url ?? `${this.url}/attachments/${id}/${encodeURIComponent(filename)}`;
    this.#state.uploads.set(id, { id, filename, content: Buffer.from(content), url: place });
    return id;
  }

  get apiUrl(): string {
    return `${this.url}/api`;
  }

  /** How many requests count towards Discord's ban for invalid ones. */
  get invalidRequests(): number {
    return this.#invalid;
  }

  /** Resolves once a bot is connected on every shard that it announced. */
  ready(): Promise<void> {
    return this.#core.gateway.ready();
  }

  override stop(): Promise<void> {
    this.#core.gateway.stop();
    return super.stop();
  }

  addUser(input: NewUser): SandboxUser {
    return this.#state.addUser(input);
  }

  /** The person changes their username; the bot gets an event for each shared guild. */
  renameUser(userId: string, username: string): void {
    changeUser(this.#state, userId, { username });
  }

  /** The person changes their picture, or removes it; the bot gets events as for a name. */
  changeAvatar(userId: string, avatar: string | null): void {
    changeUser(this.#state, userId, { avatar });
  }

  /** The person sets their client to another language, in Discord's spelling: `es-419`. */
  setClientLocale(userId: string, locale: string): void {
    this.#state.clientLocales.set(this.#state.user(userId).id, locale);
  }

  /** The person connects an account elsewhere: `roblox`, verified and not revoked when left out. */
  connect(userId: string, connection: Pick<SandboxConnection, 'id' | 'name'> & Partial<SandboxConnection>): void {
    const { id } = this.#state.user(userId);
    const connected = { type: 'roblox', verified: true, revoked: false, ...connection };
    this.#state.connections.set(id, [...(this.#state.connections.get(id) ?? []), connected]);
  }

  /** What the application has written about a person for Linked Roles; undefined: nothing. */
  roleConnection(userId: string): SandboxRoleConnection | undefined {
    return this.#state.roleConnections.get(this.#state.user(userId).id);
  }

  /** What servers can ask from people by Linked Roles, as registered; set by `records`, as another program would. */
  roleConnectionRecords(records?: SandboxRoleConnectionRecord[]): SandboxRoleConnectionRecord[] {
    if (records !== undefined) this.#state.roleConnectionRecords = records;
    return this.#state.roleConnectionRecords;
  }

  /** Where people connect themselves for Linked Roles; set by `url`, as the operator would in Discord's portal. */
  verificationUrl(url?: string | null): string | null {
    if (url !== undefined) this.#state.application.verificationUrl = url;
    return this.#state.application.verificationUrl;
  }

  /** The person takes back all that they agreed to, in Discord's settings. */
  withdrawConsent(userId: string): void {
    this.#core.oauth.withdraw(this.#state.user(userId).id);
  }

  addGuild(input: guilds.GuildInput): SandboxGuild {
    return guilds.viewGuild(guilds.createGuild(this.#state, input));
  }

  addBot(guildId: string): void {
    guilds.addBot(this.#state, this.#state.guild(guildId));
  }

  removeBot(guildId: string): void {
    guilds.removeBot(this.#state, this.#state.guild(guildId));
  }

  renameGuild(guildId: string, name: string): void {
    this.updateGuild(guildId, { name });
  }

  transferGuild(guildId: string, ownerId: string): void {
    this.updateGuild(guildId, { ownerId });
  }

  updateGuild(guildId: string, change: { name?: string; ownerId?: string }): void {
    guilds.updateGuild(this.#state, this.#state.guild(guildId), change);
  }

  addRole(guildId: string, input: guilds.RoleInput): SandboxRole {
    return { ...guilds.addRole(this.#state, this.#state.guild(guildId), input) };
  }

  updateRole(
    guildId: string,
    roleId: string,
    change: { name?: string; permissions?: bigint; isSealed?: boolean },
  ): void {
    guilds.updateRole(this.#state, this.#state.guild(guildId), this.#state.role(guildId, roleId), change);
  }

  moveRole(guildId: string, roleId: string, position: number): void {
    guilds.moveRole(this.#state, this.#state.guild(guildId), this.#state.role(guildId, roleId), position);
  }

  deleteRole(guildId: string, roleId: string): void {
    guilds.deleteRole(this.#state, this.#state.guild(guildId), this.#state.role(guildId, roleId));
  }

  user(userId: string): SandboxUser {
    return { ...this.#state.user(userId) };
  }

  roles(guildId: string): SandboxRole[] {
    return [...this.#state.guild(guildId).roles.values()].map((role) => ({ ...role }));
  }

  /** Everybody in the guild, bots too. */
  memberIds(guildId: string): string[] {
    return [...this.#state.guild(guildId).members.keys()];
  }

  botRole(guildId: string): SandboxRole {
    return { ...guilds.botRole(this.#state, this.#state.guild(guildId)) };
  }

  join(guildId: string, userId: string, input: JoinInput = {}): void {
    joinGuild(this.#state, this.#state.guild(guildId), userId, input);
  }

  leave(guildId: string, userId: string): void {
    leaveGuild(this.#state, this.#state.guild(guildId), userId);
  }

  /** Sets the roles as another administrator would. */
  setMemberRoles(guildId: string, userId: string, roleIds: string[]): void {
    this.setMember(guildId, userId, { roleIds });
  }

  /** Sets the nickname as another administrator would. */
  setNickname(guildId: string, userId: string, nickname: string | null): void {
    this.setMember(guildId, userId, { nickname });
  }

  /** The person accepts the server's rules, and has completed its onboarding with these roles where they are given. */
  acceptRules(guildId: string, userId: string, onboarding?: { roleIds: readonly string[] }): void {
    acceptRules(this.#state, this.#state.guild(guildId), this.#state.member(guildId, userId), onboarding);
  }

  /** Whether the person has yet to accept the rules. No bot gets an event, as in the gap between sessions. */
  setPending(guildId: string, userId: string, pending: boolean): void {
    this.#state.member(guildId, userId).pending = pending;
  }

  /** Sets a member's flags, such as that a moderator waved them through. */
  setFlags(guildId: string, userId: string, flags: number): void {
    setFlags(this.#state, this.#state.guild(guildId), this.#state.member(guildId, userId), flags);
  }

  /** Whether Discord makes no nickname from one that equals the username. */
  dropOwnNames(drops: boolean): void {
    this.#state.dropsOwnNames = drops;
  }

  /**
   * Sets the words in Discord's filter against a person's nickname, undefined for none; the returned function ends
   * that.
   */
  filterNicknames(filter: (nickname: string, user: SandboxUser) => string | undefined): () => void {
    const before = this.#state.nicknameFilter;
    this.#state.nicknameFilter = filter;
    return () => {
      this.#state.nicknameFilter = before;
    };
  }

  /** Changes a member as another administrator would, in one write. */
  setMember(guildId: string, userId: string, change: { roleIds?: string[]; nickname?: string | null }): void {
    const guild = this.#state.guild(guildId);
    for (const roleId of change.roleIds ?? []) this.#state.role(guildId, roleId);
    const by = { executorId: guild.ownerId, reason: null };
    changeMember(this.#state, guild, this.#state.member(guildId, userId), change, by);
  }

  /** The member as they are now, or undefined when they are not in the guild. */
  member(guildId: string, userId: string): { roleIds: string[]; nickname: string | null } | undefined {
    const member = this.#state.guild(guildId).members.get(userId);
    return member && { roleIds: [...member.roleIds], nickname: member.nickname };
  }

  /** Whether the person takes direct messages from the bot; everybody does at first. */
  acceptDirectMessages(userId: string, accept: boolean): void {
    const { closedToMessages } = this.#state;
    if (accept) closedToMessages.delete(userId);
    else closedToMessages.add(this.#state.user(userId).id);
  }

  /** The guild's text channel `general`. */
  channel(guildId: string): { id: string } {
    return { id: this.#state.guild(guildId).channelId };
  }

  /** What everybody can read in the channel, oldest first; ephemeral answers are not in it. */
  messages(channelId: string): SandboxMessage[] {
    const messages = [...this.#state.channel(channelId).messages.values()];
    return messages.filter(({ visibleTo }) => visibleTo === undefined).map(viewMessage);
  }

  /** What the bot has written to the person. */
  directMessages(userId: string): SandboxMessage[] {
    return this.messages(this.#state.directChannel(this.#state.user(userId).id).id);
  }

  auditLog(guildId: string): AuditRecord[] {
    return [...this.#state.guild(guildId).audit];
  }

  /** Plays the person on the OAuth page: the URL that they are sent back to, with code and state, or with an error. */
  authorize(authorizeUrl: string, userId: string, approve = true): string {
    const back = this.#core.oauth.decide(
      this.#core.oauth.parseRequest(new URL(authorizeUrl).searchParams),
      userId,
      approve,
    );
    if (back === undefined) throw new Error('The authorize URL names no redirect_uri.');
    return back;
  }

  /** Registers a redirect URI for sign-in; as long as none is, any is taken. */
  registerRedirectUri(uri: string): void {
    this.#core.oauth.registerRedirectUri(uri);
  }

  /** Cuts every connection, and ends each new one with `code` before HELLO; without a code, lets bots connect again. */
  closeGatewayWith(code?: number): void {
    this.#core.gateway.closesWith = code;
    if (code !== undefined) this.#core.gateway.drop();
  }

  /** Limits how many shards may identify in 5 s, as `max_concurrency` of `GET /gateway/bot` says; undefined limits nothing. */
  limitIdentifies(maxConcurrency: number | undefined): void {
    this.#core.gateway.maxConcurrency = maxConcurrency;
  }

  /** How many shards were told to identify again later. */
  get refusedIdentifies(): number {
    return this.#core.gateway.refusedIdentifies;
  }

  /** Cuts every gateway connection, and refuses new ones for `downMs`. */
  dropGateway(downMs = 0): void {
    this.#core.gateway.drop(downMs);
  }

  askReconnect(): void {
    this.#core.gateway.askReconnect();
  }

  invalidateSessions(): void {
    this.#core.gateway.invalidateSessions();
  }

  /** Changes the events that bots get, as another Discord than ours might; the returned function ends that. */
  reshapeEvents(reshape: (event: string, data: unknown) => unknown): () => void {
    const { gateway } = this.#core;
    const before = gateway.reshape;
    gateway.reshape = reshape;
    return () => {
      gateway.reshape = before;
    };
  }

  /**
   * 401, 403 and 429, except for a 429 with scope `shared`, count as invalid (Discord's rules: 10,000 in ten minutes bar
   * the address).
   */
  #countInvalid({ status, response }: Context): void {
    const shared = response.get('x-ratelimit-scope') === 'shared';
    if (status === 401 || status === 403 || (status === 429 && !shared)) this.#invalid += 1;
  }
}

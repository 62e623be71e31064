import type { Server } from 'node:http';
import type { Fault } from '../kit/exchange.js';
import type { FocusedOption, OptionValues } from './command-invocation.js';
import type { RecordedRequest } from './exchange-recorder.js';
import * as guilds from './guild-changes.js';
import type { Choice } from './interaction-record.js';
import { changeMember, type JoinInput, joinGuild, leaveGuild } from './member-changes.js';
import type { MessageRef } from './person-actions.js';
import { type DiscordSandboxOptions, SandboxCore } from './sandbox-core.js';
import type { SandboxInteraction } from './sandbox-interaction.js';
import { type SandboxMessage, viewMessage } from './sandbox-message.js';
import type { AuditRecord, SandboxApplication, SandboxGuild, SandboxRole, SandboxUser } from './sandbox-model.js';
import { sandboxPages } from './sandbox-pages.js';

export type { DiscordSandboxOptions } from './sandbox-core.js';
export type { SandboxInteraction } from './sandbox-interaction.js';
export type { SandboxMessage } from './sandbox-message.js';
export type { AuditRecord, SandboxApplication, SandboxGuild, SandboxRole, SandboxUser } from './sandbox-model.js';

/** Starts a stand-in for Discord with an application and its bot, but no guild yet. */
export async function startDiscordSandbox(options: DiscordSandboxOptions = {}): Promise<DiscordSandbox> {
  const core = new SandboxCore(options);
  const { server, url } = await core.listen(sandboxPages(core));
  return new DiscordSandbox(core, server, url);
}

/**
 * A local Discord: REST, gateway, OAuth and what people do in its client. State is in memory.
 * Methods that change something tell connected bots as Discord would; unknown ids throw.
 */
export class DiscordSandbox {
  readonly application: SandboxApplication;
  readonly #core: SandboxCore;
  readonly #server: Server;

  constructor(
    core: SandboxCore,
    server: Server,
    readonly url: string,
  ) {
    this.#core = core;
    this.#server = server;
    this.application = core.state.application;
  }

  get apiUrl(): string {
    return `${this.url}/api`;
  }

  /** All API requests so far, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.#core.log.requests;
  }

  /** How many of the requests count towards Discord's ban for invalid ones. */
  get invalidRequests(): number {
    return this.#core.log.invalid;
  }

  forgetRequests(): void {
    this.#core.log.forget();
  }

  /** Resolves once a bot is connected on every shard that it announced. */
  ready(): Promise<void> {
    return this.#core.gateway.ready();
  }

  async stop(): Promise<void> {
    this.#core.gateway.stop();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  addUser(input: { username: string; globalName?: string }): SandboxUser {
    return this.#core.state.addUser(input);
  }

  addGuild(input: guilds.GuildInput): SandboxGuild {
    return guilds.viewGuild(guilds.createGuild(this.#core.state, input));
  }

  addBot(guildId: string): void {
    guilds.addBot(this.#core.state, this.#core.state.guild(guildId));
  }

  removeBot(guildId: string): void {
    guilds.removeBot(this.#core.state, this.#core.state.guild(guildId));
  }

  renameGuild(guildId: string, name: string): void {
    guilds.updateGuild(this.#core.state, this.#core.state.guild(guildId), { name });
  }

  transferGuild(guildId: string, ownerId: string): void {
    guilds.updateGuild(this.#core.state, this.#core.state.guild(guildId), { ownerId });
  }

  addRole(guildId: string, input: guilds.RoleInput): SandboxRole {
    return { ...guilds.addRole(this.#core.state, this.#core.state.guild(guildId), input) };
  }

  updateRole(guildId: string, roleId: string, change: { name?: string; permissions?: bigint }): void {
    guilds.updateRole(
      this.#core.state,
      this.#core.state.guild(guildId),
      this.#core.state.role(guildId, roleId),
      change,
    );
  }

  moveRole(guildId: string, roleId: string, position: number): void {
    guilds.moveRole(
      this.#core.state,
      this.#core.state.guild(guildId),
      this.#core.state.role(guildId, roleId),
      position,
    );
  }

  deleteRole(guildId: string, roleId: string): void {
    guilds.deleteRole(this.#core.state, this.#core.state.guild(guildId), this.#core.state.role(guildId, roleId));
  }

  botRole(guildId: string): SandboxRole {
    return { ...guilds.botRole(this.#core.state, this.#core.state.guild(guildId)) };
  }

  join(guildId: string, userId: string, input: JoinInput = {}): void {
    joinGuild(this.#core.state, this.#core.state.guild(guildId), userId, input);
  }

  leave(guildId: string, userId: string): void {
    leaveGuild(this.#core.state, this.#core.state.guild(guildId), userId);
  }

  /** Sets the roles as another administrator would. */
  setMemberRoles(guildId: string, userId: string, roleIds: string[]): void {
    this.#change(guildId, userId, { roleIds: roleIds.map((roleId) => this.#core.state.role(guildId, roleId).id) });
  }

  /** Sets the nickname as another administrator would. */
  setNickname(guildId: string, userId: string, nickname: string | null): void {
    this.#change(guildId, userId, { nickname });
  }

  /** The member as they are now, or undefined when they are not in the guild. */
  member(guildId: string, userId: string): { roleIds: string[]; nickname: string | null } | undefined {
    const member = this.#core.state.guild(guildId).members.get(userId);
    return member && { roleIds: [...member.roleIds], nickname: member.nickname };
  }

  /** Whether the person takes direct messages from the bot; everybody does at first. */
  acceptDirectMessages(userId: string, accept: boolean): void {
    const { closedToMessages } = this.#core.state;
    if (accept) closedToMessages.delete(userId);
    else closedToMessages.add(this.#core.state.user(userId).id);
  }

  /** The guild's text channel `general`. */
  channel(guildId: string): { id: string } {
    return { id: this.#core.state.guild(guildId).channelId };
  }

  /** What everybody can read in the channel, oldest first; ephemeral answers are not in it. */
  messages(channelId: string): SandboxMessage[] {
    const messages = [...this.#core.state.channel(channelId).messages.values()];
    return messages.filter(({ visibleTo }) => visibleTo === undefined).map(viewMessage);
  }

  /** What the bot has written to the person. */
  directMessages(userId: string): SandboxMessage[] {
    return this.messages(this.#core.state.directChannel(this.#core.state.user(userId).id).id);
  }

  auditLog(guildId: string): AuditRecord[] {
    return [...this.#core.state.guild(guildId).audit];
  }

  /**
   * Sends a slash command; `name` is `command group subcommand`.
   * Resolves with the first answer; throws when Discord's client would not let the person send it, and "The
   * application did not respond" after three seconds. The same holds for all that people do below.
   */
  command(guildId: string, userId: string, name: string, options?: OptionValues): Promise<SandboxInteraction> {
    return this.#core.people.command(guildId, userId, name, options);
  }

  /** What is suggested while the option `focused` is being typed. */
  autocomplete(
    guildId: string,
    userId: string,
    name: string,
    focused: FocusedOption,
    options?: OptionValues,
  ): Promise<readonly Choice[]> {
    return this.#core.people.autocomplete(guildId, userId, name, focused, options);
  }

  contextMenu(guildId: string, userId: string, name: string, targetUserId: string): Promise<SandboxInteraction> {
    return this.#core.people.contextMenu(guildId, userId, name, targetUserId);
  }

  press(guildId: string, userId: string, message: MessageRef, customIdOrLabel: string): Promise<SandboxInteraction> {
    return this.#core.people.press(guildId, userId, message, customIdOrLabel);
  }

  select(
    guildId: string,
    userId: string,
    message: MessageRef,
    customId: string,
    values: readonly string[],
  ): Promise<SandboxInteraction> {
    return this.#core.people.select(guildId, userId, message, customId, values);
  }

  /** Fills in and sends the form that `modalOf` was answered with. */
  submit(
    modalOf: Pick<SandboxInteraction, 'id'>,
    values: Readonly<Record<string, string>>,
  ): Promise<SandboxInteraction> {
    return this.#core.people.submit(modalOf, values);
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

  /** Lets requests fail; gives the way to take it back. */
  inject(fault: Fault): () => void {
    return this.#core.faults.inject(fault);
  }

  clearFaults(): void {
    this.#core.faults.clear();
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

  #change(guildId: string, userId: string, change: { roleIds?: string[]; nickname?: string | null }): void {
    const guild = this.#core.state.guild(guildId);
    const by = { executorId: guild.ownerId, reason: null };
    changeMember(this.#core.state, guild, this.#core.state.member(guildId, userId), change, by);
  }
}

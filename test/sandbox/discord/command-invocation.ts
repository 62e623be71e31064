import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord-api-types/v10';
import type { DiscordState } from './discord-state.js';
import { resolvedJson } from './interaction-wire.js';
import { mayDo } from './permissions.js';
import type { CommandOption, StoredCommand, StoredGuild } from './sandbox-model.js';

type OptionValue = string | number | boolean;
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** The option that is being typed, for autocomplete: its value so far, with `focused`. */
export interface FocusedOption {
  readonly name: string;
  readonly value: string;
}

interface SentOption {
  readonly type: number;
  readonly name: string;
  readonly value?: OptionValue;
  readonly options?: readonly SentOption[];
  readonly focused?: boolean;
}

const { Subcommand, SubcommandGroup } = ApplicationCommandOptionType;

/**
 * A slash command's data as Discord's client sends it.
 * `name` is the command, then group and subcommand, parted by spaces. Throws where the client would not let the
 * person send it: no such command, not allowed by its default permissions, missing or ill-fitting options.
 */
export function slashCommandData(
  state: DiscordState,
  guild: StoredGuild,
  userId: string,
  name: string,
  values: OptionValues,
  focused?: FocusedOption,
) {
  const [commandName = '', ...path] = name.trim().replace(/^\//, '').split(/\s+/);
  const command = findCommand(state, guild, userId, commandName, ApplicationCommandType.ChatInput);
  const given = focused ? { ...values, [focused.name]: focused.value } : values;
  const { options, ids } = fillOptions(state, guild, command.definition.options ?? [], path, given, focused);
  return {
    ...invokedCommand(command),
    type: ApplicationCommandType.ChatInput,
    options,
    resolved: resolvedJson(state, guild, ids),
  };
}

/** The data for a user context-menu command on `targetId`. Throws as `slashCommandData` does. */
export function userCommandData(
  state: DiscordState,
  guild: StoredGuild,
  userId: string,
  name: string,
  targetId: string,
) {
  const command = findCommand(state, guild, userId, name, ApplicationCommandType.User);
  const ids = { users: [state.user(targetId).id], roles: [], channels: [] };
  return {
    ...invokedCommand(command),
    type: ApplicationCommandType.User,
    target_id: targetId,
    resolved: resolvedJson(state, guild, ids),
  };
}

function invokedCommand(command: StoredCommand) {
  const { id, guildId, definition } = command;
  return { id, name: definition.name, ...(guildId === undefined ? {} : { guild_id: guildId }) };
}

/** A guild's own command hides a global one by the same name. */
function findCommand(
  state: DiscordState,
  guild: StoredGuild,
  userId: string,
  name: string,
  type: ApplicationCommandType,
): StoredCommand {
  const all = [...(state.commands.get(guild.id) ?? []), ...(state.commands.get('global') ?? [])];
  const command = all.find(({ definition }) => definition.type === type && definition.name === name);
  if (!command) {
    const known = all.map(({ definition }) => definition.name).join(', ') || 'none';
    throw new Error(`The application has no command "${name}"; it has: ${known}.`);
  }
  const needed = command.definition.default_member_permissions;
  if (needed !== null && !isAllowed(guild, userId, BigInt(needed))) {
    throw new Error(`The command "${name}" is not shown to the user ${userId}: it needs the permissions ${needed}.`);
  }
  return command;
}

/** Permissions 0 mean: for administrators only. */
function isAllowed(guild: StoredGuild, userId: string, needed: bigint): boolean {
  const administrator = 8n;
  return mayDo(guild, userId, needed === 0n ? administrator : needed);
}

interface FilledOptions {
  readonly options: SentOption[];
  readonly ids: { users: string[]; roles: string[]; channels: string[]; uploads: string[] };
}

function fillOptions(
  state: DiscordState,
  guild: StoredGuild,
  definitions: readonly CommandOption[],
  path: readonly string[],
  values: OptionValues,
  focused: FocusedOption | undefined,
): FilledOptions {
  const branches = definitions.filter(({ type }) => type === Subcommand || type === SubcommandGroup);
  const [step, ...rest] = path;
  if (step !== undefined || branches.length > 0) {
    const branch = branches.find(({ name }) => name === step);
    if (!branch) throw new Error(`Choose a subcommand: ${branches.map(({ name }) => name).join(', ') || 'none here'}.`);
    const inner = fillOptions(state, guild, branch.options ?? [], rest, values, focused);
    return { options: [{ type: branch.type, name: branch.name, options: inner.options }], ids: inner.ids };
  }
  requireKnown(definitions, values, focused);
  const ids: FilledOptions['ids'] = { users: [], roles: [], channels: [], uploads: [] };
  const options = definitions.flatMap(({ type, name, ...limits }) => {
    const value = values[name];
    if (value === undefined) return [];
    if (name === focused?.name) return { type, name, value, focused: true };
    checkValue({ type, name, ...limits }, value);
    collectIds(state, guild, type, String(value), ids);
    return { type, name, value };
  });
  return { options, ids };
}

function requireKnown(
  definitions: readonly CommandOption[],
  values: OptionValues,
  focused: FocusedOption | undefined,
): void {
  const unknown = Object.keys(values).filter((name) => !definitions.some((option) => option.name === name));
  if (unknown.length > 0) throw new Error(`The command has no option ${unknown.join(', ')}.`);
  const missing = definitions.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0 && !focused) {
    throw new Error(`The option ${missing.map(({ name }) => name).join(', ')} is required.`);
  }
}

const jsTypeOf: Readonly<Record<number, 'number' | 'boolean'>> = {
  [ApplicationCommandOptionType.Integer]: 'number',
  [ApplicationCommandOptionType.Number]: 'number',
  [ApplicationCommandOptionType.Boolean]: 'boolean',
};

function checkValue(option: CommandOption, value: OptionValue): void {
  const wrong = (why: string) => new Error(`The option ${option.name} ${why}; it was given ${JSON.stringify(value)}.`);
  const wanted = jsTypeOf[option.type] ?? 'string';
  if (typeof value !== wanted) throw wrong(`must be a ${wanted}`);
  if (option.type === ApplicationCommandOptionType.Integer && !Number.isInteger(value)) throw wrong('must be whole');
  const { choices = [], min_value = -Infinity, max_value = Infinity, min_length = 0, max_length = 6000 } = option;
  if (choices.length > 0 && !choices.some((choice) => choice.value === value))
    throw wrong('must be one of its choices');
  if (typeof value === 'number' && (value < min_value || value > max_value)) throw wrong('is out of range');
  if (typeof value === 'string' && (value.length < min_length || value.length > max_length)) {
    throw wrong('has the wrong length');
  }
}

function collectIds(
  state: DiscordState,
  guild: StoredGuild,
  type: number,
  id: string,
  ids: FilledOptions['ids'],
): void {
  const { User, Role, Channel, Mentionable, Attachment } = ApplicationCommandOptionType;
  if (type === User || (type === Mentionable && state.users.has(id))) ids.users.push(state.user(id).id);
  else if (type === Role || type === Mentionable) ids.roles.push(state.role(guild.id, id).id);
  else if (type === Channel) ids.channels.push(state.channel(id).id);
  else if (type === Attachment) ids.uploads.push(id);
}

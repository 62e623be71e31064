import { isDeepStrictEqual } from 'node:util';
import { ApplicationCommandType } from 'discord-api-types/v10';
import { z } from 'zod';
import { commandBody } from './command-body.js';
import { DiscordError, fieldError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, created, type Endpoint, noContent, ok, param } from './endpoint.js';
import { guildOf } from './rest-lookup.js';
import type { CommandDefinition, StoredCommand } from './sandbox-model.js';
import { commandJson } from './wire.js';

/** Commands per scope (Discord's documentation). */
const mostByType: Readonly<Record<number, number>> = {
  [ApplicationCommandType.ChatInput]: 100,
  [ApplicationCommandType.User]: 15,
  [ApplicationCommandType.Message]: 15,
};

/** Registering commands, for everywhere and for one guild. */
export function commandRoutes(state: DiscordState): Endpoint[] {
  const bases = ['/applications/:applicationId/commands', '/applications/:applicationId/guilds/:guildId/commands'];
  const bot = { credential: 'bot' } as const;
  return bases.flatMap((base) => [
    { endpoint: `GET ${base}`, ...bot, handle: (call) => ok(listCommands(state, call)) },
    { endpoint: `PUT ${base}`, ...bot, handle: (call) => overwriteCommands(state, call) },
    { endpoint: `POST ${base}`, ...bot, handle: (call) => createCommand(state, call) },
    { endpoint: `GET ${base}/:commandId`, ...bot, handle: (call) => ok(commandJson(state, commandOf(state, call))) },
    { endpoint: `PATCH ${base}/:commandId`, ...bot, handle: (call) => editCommand(state, call) },
    { endpoint: `DELETE ${base}/:commandId`, ...bot, handle: (call) => deleteCommand(state, call) },
  ]);
}

function listCommands(state: DiscordState, call: Call) {
  const { commands } = scopeOf(state, call);
  if (call.query.get('with_localizations') === 'true') return commands.map((command) => commandJson(state, command));
  return commands.map((command) => {
    const { name_localizations, description_localizations, ...definition } = command.definition;
    return commandJson(state, { ...command, definition });
  });
}

/** Replaces all commands in the scope; one with the same name and type keeps its id. */
function overwriteCommands(state: DiscordState, call: Call) {
  const definitions = parseForm(z.array(commandBody), call.body ?? []);
  const scope = scopeOf(state, call);
  const commands = definitions.map((definition) => store(state, scope, definition));
  requireRoom(commands);
  state.commands.set(scope.key, commands);
  return ok(commands.map((command) => commandJson(state, command)));
}

/** Creates a command, or overwrites the one with the same name and type: 201 or 200. */
function createCommand(state: DiscordState, call: Call) {
  const definition = parseForm(commandBody, call.body);
  const scope = scopeOf(state, call);
  const known = sameCommand(scope.commands, definition);
  const command = store(state, scope, definition);
  const commands = [...scope.commands.filter((other) => other !== known), command];
  requireRoom(commands);
  state.commands.set(scope.key, commands);
  return (known ? ok : created)(commandJson(state, command));
}

function editCommand(state: DiscordState, call: Call) {
  const scope = scopeOf(state, call);
  const known = commandOf(state, call);
  const change = parseForm(z.record(z.string(), z.unknown()), call.body);
  const definition = parseForm(commandBody, { ...known.definition, ...change });
  const command = revised(state, known, definition);
  state.commands.set(
    scope.key,
    scope.commands.map((other) => (other === known ? command : other)),
  );
  return ok(commandJson(state, command));
}

function deleteCommand(state: DiscordState, call: Call) {
  const scope = scopeOf(state, call);
  const command = commandOf(state, call);
  state.commands.set(
    scope.key,
    scope.commands.filter((other) => other !== command),
  );
  return noContent;
}

interface Scope {
  readonly key: string;
  readonly guildId?: string;
  readonly commands: readonly StoredCommand[];
}

function scopeOf(state: DiscordState, call: Call): Scope {
  if (param(call, 'applicationId') !== state.application.id) throw new DiscordError('missingAccess');
  const guildId = call.params.guildId === undefined ? undefined : guildOf(state, call).id;
  const key = guildId ?? 'global';
  return { key, ...(guildId === undefined ? {} : { guildId }), commands: state.commands.get(key) ?? [] };
}

function commandOf(state: DiscordState, call: Call): StoredCommand {
  const command = scopeOf(state, call).commands.find(({ id }) => id === call.params.commandId);
  if (!command) throw new DiscordError('unknownCommand');
  return command;
}

function store(state: DiscordState, scope: Scope, definition: CommandDefinition): StoredCommand {
  const known = sameCommand(scope.commands, definition);
  if (known) return revised(state, known, definition);
  const { guildId } = scope;
  return {
    id: state.ids.next(),
    version: state.ids.next(),
    ...(guildId === undefined ? {} : { guildId }),
    definition,
  };
}

/** The version changes only when the command does. */
function revised(state: DiscordState, known: StoredCommand, definition: CommandDefinition): StoredCommand {
  if (isDeepStrictEqual(known.definition, definition)) return known;
  return { ...known, version: state.ids.next(), definition };
}

function sameCommand(commands: readonly StoredCommand[], wanted: CommandDefinition): StoredCommand | undefined {
  return commands.find(({ definition }) => definition.name === wanted.name && definition.type === wanted.type);
}

function requireRoom(commands: readonly StoredCommand[]): void {
  const names = new Set<string>();
  for (const { definition } of commands) {
    const key = `${definition.type} ${definition.name}`;
    if (names.has(key))
      throw fieldError([], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    names.add(key);
    const sameType = commands.filter((other) => other.definition.type === definition.type).length;
    if (sameType > (mostByType[definition.type] ?? 0)) {
      throw fieldError([], 'APPLICATION_COMMANDS_MAX', 'Maximum number of application commands reached');
    }
  }
}

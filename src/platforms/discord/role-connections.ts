import { DiscordAPIError, Routes } from 'discord.js';
import { config } from '../../config/config.js';
import { ChatPlatformUnavailable } from '../../lib/errors.js';
import { roleRecordsAnswer } from './discord-answers.js';
import { parseAnswer } from './rest/discord-call.js';
import { oneCallRest } from './rest/one-call-rest.js';

/** A fact that servers can require by Linked Roles, in Discord's format. */
export interface RoleRecord {
  /** 2: at least this number; 7: yes. */
  type: 2 | 7;
  key: string;
  name: string;
  name_localizations: Record<string, string>;
  description: string;
  description_localizations: Record<string, string>;
}

/** A person's facts visible to servers by Linked Roles. */
export interface RoleConnection {
  gameUsername: string;
  /** By key, in Discord's format: numbers as text. */
  metadata: Record<string, string>;
}

/** Discord no longer accepts a person's token: they have withdrawn their consent. */
export class TokenRefused extends Error {}

/** Discord refuses the registration or write, and would do so again. */
export class RoleConnectionRefused extends Error {}

const asBot = () => oneCallRest(config().discord.token, 'Bot');

/** Whether exactly these records are registered. Throws RoleConnectionRefused and ChatPlatformUnavailable. */
export async function areRegistered(applicationId: string, records: readonly RoleRecord[]): Promise<boolean> {
  const path = Routes.applicationRoleConnectionMetadata(applicationId);
  const found = parseAnswer(roleRecordsAnswer, await asBot().get(path).catch(refusalOf));
  return found.length === records.length && records.every((record, place) => isSame(record, found[place] ?? {}));
}

/** Compares without regard to language order; an absent value equals Discord's null. */
const isSame = (a: object, b: object): boolean => inOrder(a) === inOrder(b);

function inOrder(value: object): string {
  const filled = Object.entries(value).filter(([, held]) => held !== null && held !== undefined);
  const parts = filled.map(([key, held]) => [key, typeof held === 'object' ? inOrder(held) : held]);
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Replaces all registered records with these. Throws as `areRegistered`. */
export async function registerRecords(applicationId: string, records: readonly RoleRecord[]): Promise<void> {
  const path = Routes.applicationRoleConnectionMetadata(applicationId);
  await asBot().put(path, { body: records }).catch(refusalOf);
}

/** Sets the page where people connect themselves. Throws as `areRegistered`. */
export async function setVerificationUrl(url: string): Promise<void> {
  const body = { role_connections_verification_url: url };
  await asBot().patch(Routes.currentApplication(), { body }).catch(refusalOf);
}

/** Writes the facts about a token's person. Throws TokenRefused, RoleConnectionRefused and ChatPlatformUnavailable. */
export async function writeRoleConnection(
  token: string,
  applicationId: string,
  { gameUsername, metadata }: RoleConnection,
): Promise<void> {
  const body = { platform_name: 'Roblox', platform_username: gameUsername, metadata };
  await asPerson(token).put(Routes.userApplicationRoleConnection(applicationId), { body }).catch(refusalOf);
}

/** Removes the person's facts; a missing entry counts as removed. Throws as `writeRoleConnection`. */
export async function removeRoleConnection(token: string, applicationId: string): Promise<void> {
  const removed = asPerson(token).delete(Routes.userApplicationRoleConnection(applicationId));
  await removed.catch((cause: unknown) => {
    if (!(cause instanceof DiscordAPIError && cause.status === 404)) refusalOf(cause);
  });
}

const asPerson = (token: string) => oneCallRest(token, 'Bearer');

function refusalOf(cause: unknown): never {
  if (cause instanceof DiscordAPIError && cause.status === 401) {
    throw new TokenRefused('Discord takes the token no more.', { cause });
  }
  if (cause instanceof DiscordAPIError && cause.status < 500 && cause.status !== 429) {
    throw new RoleConnectionRefused(cause.message, { cause });
  }
  throw new ChatPlatformUnavailable(undefined, { cause });
}

import { DiscordAPIError, Routes } from 'discord.js';
import { config } from '../../config/config.js';
import { ChatPlatformUnavailable } from '../../lib/errors.js';
import { roleRecordsAnswer } from './discord-answers.js';
import { parseAnswer } from './rest/discord-call.js';
import { oneCallRest } from './rest/one-call-rest.js';

/** One thing that servers can ask of people by Linked Roles, in Discord's words. */
export interface RoleRecord {
  /** 2: at least so many; 7: yes. */
  type: 2 | 7;
  key: string;
  name: string;
  name_localizations: Record<string, string>;
  description: string;
  description_localizations: Record<string, string>;
}

/** What servers can know of a person by Linked Roles. */
export interface RoleConnection {
  gameUsername: string;
  /** By key, as Discord wants them: numbers as text. */
  metadata: Record<string, string>;
}

/** Discord takes a person's token no more: they have taken their consent back. */
export class TokenRefused extends Error {}

/** Discord refuses what is registered or written, and would again. */
export class RoleConnectionRefused extends Error {}

const asBot = () => oneCallRest(config().discord.token, 'Bot');

/** Whether exactly these records are registered. Throws RoleConnectionRefused and ChatPlatformUnavailable. */
export async function areRegistered(applicationId: string, records: readonly RoleRecord[]): Promise<boolean> {
  const path = Routes.applicationRoleConnectionMetadata(applicationId);
  const found = parseAnswer(roleRecordsAnswer, await asBot().get(path).catch(refusalOf));
  return found.length === records.length && records.every((record, place) => isSame(record, found[place] ?? {}));
}

/** Whatever the order of languages, and with nothing where Discord has null. */
const isSame = (a: object, b: object): boolean => inOrder(a) === inOrder(b);

function inOrder(value: object): string {
  const filled = Object.entries(value).filter(([, held]) => held !== null && held !== undefined);
  const parts = filled.map(([key, held]) => [key, typeof held === 'object' ? inOrder(held) : held]);
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Registers these records in place of all others. Throws as `areRegistered`. */
export async function registerRecords(applicationId: string, records: readonly RoleRecord[]): Promise<void> {
  const path = Routes.applicationRoleConnectionMetadata(applicationId);
  await asBot().put(path, { body: records }).catch(refusalOf);
}

/** Tells Discord where people connect themselves. Throws as `areRegistered`. */
export async function setVerificationUrl(url: string): Promise<void> {
  const body = { role_connections_verification_url: url };
  await asBot().patch(Routes.currentApplication(), { body }).catch(refusalOf);
}

/** Writes what servers can know of the person of a token. Throws TokenRefused, RoleConnectionRefused and ChatPlatformUnavailable. */
export async function writeRoleConnection(
  token: string,
  applicationId: string,
  { gameUsername, metadata }: RoleConnection,
): Promise<void> {
  const body = { platform_name: 'Roblox', platform_username: gameUsername, metadata };
  await asPerson(token).put(Routes.userApplicationRoleConnection(applicationId), { body }).catch(refusalOf);
}

/** Takes it away; what is not there is away already. Throws as `writeRoleConnection`. */
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

import { z } from 'zod';
import { DiscordError, fieldError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import type { SandboxRoleConnection } from './sandbox-model.js';

const localizations = z.record(z.string(), z.string().min(1)).nullish();
const record = z.object({
  type: z.int().min(1).max(8),
  key: z.string().regex(/^[a-z0-9_]{1,50}$/),
  name: z.string().min(1).max(100),
  name_localizations: localizations,
  description: z.string().min(1).max(200),
  description_localizations: localizations,
});
const records = z.array(record).max(5);
const connection = z.object({
  platform_name: z.string().max(50).nullish(),
  platform_username: z.string().max(100).nullish(),
  metadata: z.record(z.string(), z.string().min(1).max(100)).nullish(),
});

/** What servers can ask from Linked Roles (the records, five for an application), and what a person has there. */
export function roleConnectionRoutes(state: DiscordState): Endpoint[] {
  const ofApplication = '/applications/:applicationId/role-connections/metadata';
  const ofPerson = '/users/@me/applications/:applicationId/role-connection';
  const person = { credential: 'bearer' } as const;
  return [
    { endpoint: `GET ${ofApplication}`, credential: 'bot', handle: () => ok(state.roleConnectionRecords) },
    { endpoint: `PUT ${ofApplication}`, credential: 'bot', handle: (call) => ok(setRecords(state, call)) },
    { endpoint: `GET ${ofPerson}`, ...person, handle: (call) => ok(shown(state.roleConnections.get(ownerOf(call)))) },
    { endpoint: `PUT ${ofPerson}`, ...person, handle: (call) => ok(connect(state, call)) },
    { endpoint: `DELETE ${ofPerson}`, ...person, handle: (call) => disconnect(state, call) },
  ];
}

function setRecords(state: DiscordState, call: Call) {
  if (param(call, 'applicationId') !== state.application.id) throw new DiscordError('missingAccess');
  state.roleConnectionRecords = parseForm(records, call.body);
  return state.roleConnectionRecords;
}

/** What a person has is written whole; only keys that are registered are taken. */
function connect(state: DiscordState, call: Call) {
  const userId = ownerOf(call);
  const { platform_name: name, platform_username: username, metadata } = parseForm(connection, call.body);
  const known = new Set(state.roleConnectionRecords.map(({ key }) => key));
  const unknown = Object.keys(metadata ?? {}).find((key) => !known.has(key));
  if (unknown !== undefined) throw fieldError(['metadata', unknown], 'BASE_TYPE_INVALID', 'Not a key of this app.');
  state.roleConnections.set(userId, { name: name ?? null, username: username ?? null, metadata: metadata ?? {} });
  return shown(state.roleConnections.get(userId));
}

function disconnect(state: DiscordState, call: Call) {
  state.roleConnections.delete(ownerOf(call));
  return noContent;
}

function ownerOf({ bearer }: Call): string {
  if (!bearer) throw new DiscordError('unauthorized');
  if (!bearer.scopes.includes('role_connections.write')) throw new DiscordError('missingScope');
  return bearer.userId;
}

function shown(found: SandboxRoleConnection | undefined) {
  if (found === undefined) return { metadata: {} };
  const { name, username, metadata } = found;
  return { ...(name !== null && { platform_name: name }), platform_username: username, metadata };
}

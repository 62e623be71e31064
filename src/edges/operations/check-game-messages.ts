import { readUniverses } from '../../core/settings/settings-service.js';
import { readKeyState } from '../../platforms/roblox/api-key.js';
import { type Finding, fault, ok } from './finding.js';

/** More would hide the first ones. */
const mostNamed = 10;

/** Whether messages can reach the experiences of the servers (PUSH-9). Needs the database. */
export async function messageFindings(): Promise<Finding[]> {
  const guilds = await readUniverses();
  const named = [...new Set(guilds.flatMap(({ universeIds }) => universeIds))];
  if (named.length === 0) return [];
  const key = await readKeyState();
  if (key === null) return [keyUnset];
  const withoutScope = named.filter((id) => !key.maySendTo(id));
  const refused = guilds.flatMap(({ universeIds, refused }) => universeIds.filter((id) => refused[id] !== undefined));
  const others = [...new Set(refused)].filter((id) => !withoutScope.includes(id));
  if (withoutScope.length + others.length === 0) return [allFine(named.length)];
  return [
    ...(withoutScope.length > 0 ? [scopeMissing(listed(withoutScope))] : []),
    ...(others.length > 0 ? [refusedBy(listed(others))] : []),
  ];
}

const listed = (ids: readonly string[]): string =>
  ids.slice(0, mostNamed).join(', ') + (ids.length > mostNamed ? ' …' : '');

const allFine = (count: number): Finding =>
  ok(`Roblox experiences that servers name: ${count}. The key may send messages to them.`, 'game_messages_ok', {
    count,
  });

const keyUnset = fault(
  'game_messages_key_unset',
  "Servers name Roblox experiences to tell of changes, and ROBLOX_API_KEY isn't set.",
  'Set ROBLOX_API_KEY, or let the servers remove the experiences from their settings.',
);

const scopeMissing = (universes: string): Finding =>
  fault(
    'game_messages_scope_missing',
    `The key doesn't have the permission universe-messaging-service:publish for the experiences ${universes}.`,
    'Open https://create.roblox.com/dashboard/credentials → API Keys → the key → Access Permissions → messaging-service → the experience → Publish.',
    { universes },
  );

const refusedBy = (universes: string): Finding =>
  fault(
    'game_messages_refused',
    `Roblox refuses messages to the experiences ${universes}.`,
    'Check that these universe ids exist, and that the account of ROBLOX_API_KEY may edit these experiences.',
    { universes },
  );

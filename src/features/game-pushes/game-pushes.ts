import { Counter } from 'prom-client';
import { config, processesOf } from '../../config/config.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import {
  keepPushRefusals,
  type NamedUniverses,
  onSettingsWritten,
  type PushRefusal,
  readUniverses,
} from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { FairQueue } from '../../lib/fair-queue.js';
import { logger } from '../../lib/logger.js';
import { metrics } from '../../lib/metrics.js';
import { minuteMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { type MessageOutcome, sendToUniverse } from '../../platforms/roblox/universe-messages.js';
import { onLookUpChanged } from '../members/look-up-changes.js';
import { PushLine, pushPace } from './push-line.js';
import { messageOf, type Push, topicOf } from './push-message.js';

// Hints to running games: "look these players up again". They are in memory only, and sent once.

const messages = new Counter({
  name: 'rolelink_game_messages_total',
  help: 'Messages to running games about changed look-ups, by outcome.',
  labelNames: ['outcome'],
  registers: [metrics],
});

for (const outcome of ['sent', 'limited', 'unanswered', 'refused']) messages.inc({ outcome }, 0);

/** A guild's experiences as this process knows them: the settings are the truth. */
interface Named {
  universeIds: readonly string[];
  refused: Record<string, PushRefusal>;
  line: PushLine;
}

const named = new Map<string, Named>();

/** Few calls at the same time, guild by guild, so that syncs keep nearly all connections to Roblox. */
let sending = new FairQueue({ inAll: 4, perKey: 2 });
let stopping = new AbortController();

/** Starts to tell running games of changed look-ups. Returns the end of it: a message on its way is cut. */
export function startGamePushes(): () => Promise<void> {
  sending = new FairQueue({ inAll: 4, perKey: 2 });
  stopping = new AbortController();
  const ends = [
    onSettingsWritten(noteSettings),
    onLookUpChanged((guildId, gameUserIds) => {
      if (hasOpenCloud()) named.get(guildId)?.line.add(gameUserIds);
    }),
  ];
  return async () => {
    for (const end of ends) end();
    for (const { line } of named.values()) line.clear();
    named.clear();
    stopping.abort();
    await sending.clear();
  };
}

/** Reads again which guilds name experiences: another process may have changed that. */
export async function readNamedUniverses(): Promise<void> {
  const written = new Set<string>();
  const end = onSettingsWritten((guildId) => written.add(guildId));
  const found = await readUniverses().finally(end);
  const guildIds = new Set(found.map(({ guildId }) => guildId));
  // Settings that this process has written meanwhile are newer.
  for (const guildId of named.keys()) if (!guildIds.has(guildId) && !written.has(guildId)) forget(guildId);
  for (const one of found) if (!written.has(one.guildId)) note(one);
}

standing({
  name: 'read-universes',
  everyMs: minuteMs,
  atStart: true,
  inEachProcess: true,
  run: readNamedUniverses,
});

function noteSettings(guildId: string, { universeIds }: GuildSettings): void {
  if (universeIds.length === 0) forget(guildId);
  else note({ guildId, universeIds, refused: named.get(guildId)?.refused ?? {} });
}

function note({ guildId, universeIds, refused }: NamedUniverses): void {
  const line = named.get(guildId)?.line ?? newLine(guildId);
  named.set(guildId, { universeIds, refused: { ...refused }, line });
}

const newLine = (guildId: string): PushLine =>
  new PushLine((push) => sendToAll(guildId, push), pushPace, processesOf(config().shards));

function forget(guildId: string): void {
  named.get(guildId)?.line.clear();
  named.delete(guildId);
}

/** Sends one message to each experience of a guild. Never throws. */
async function sendToAll(guildId: string, push: Push): Promise<void> {
  const universeIds = named.get(guildId)?.universeIds ?? [];
  const [topic, message] = [topicOf(guildId), messageOf(push)];
  await Promise.all(
    universeIds.map((universeId) =>
      inTurn(guildId, async () => {
        const outcome = await sendToUniverse({ universeId, topic, message }, stopping.signal);
        if (stopping.signal.aborted) return;
        messages.inc({ outcome: outcome.kind });
        await noteOutcome(guildId, universeId, outcome);
      }),
    ),
  );
}

const inTurn = (guildId: string, task: () => Promise<void>): Promise<void> =>
  new Promise((resolve) => sending.add(guildId, () => task().finally(resolve)));

/** Keeps a refusal for the guild's health until a message passes. Other failures say nothing about the settings. */
async function noteOutcome(guildId: string, universeId: string, outcome: MessageOutcome): Promise<void> {
  const known = named.get(guildId);
  const former = known?.refused[universeId];
  if (known === undefined) return;
  if (outcome.kind === 'refused' && outcome.status !== former?.status) {
    known.refused[universeId] = { status: outcome.status, since: clock.now() };
    logger.warn({ guildId, universeId, status: outcome.status }, 'Roblox refuses messages to an experience');
  } else if (outcome.kind === 'sent' && former !== undefined) delete known.refused[universeId];
  else return;
  const stillNamed = Object.entries(known.refused).filter(([id]) => known.universeIds.includes(id));
  await keepPushRefusals(guildId, Object.fromEntries(stillNamed)).catch((err: unknown) =>
    logger.warn({ err, guildId }, 'refusal of Roblox not stored'),
  );
}

import type { Db } from 'mongodb';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';

const storedAtOnce = 5_000;
const spanMs = 200 * 24 * 60 * 60_000;

/** Fills a guild's log with entries as its members, team and jobs leave them. */
export async function fillLog(database: Db, guildId: string, entries: number): Promise<void> {
  const log = database.collection<AuditEntry>('audit_log');
  const [now, step] = [Date.now(), spanMs / entries];
  for (let done = 0; done < entries; done += storedAtOnce) {
    const count = Math.min(storedAtOnce, entries - done);
    const batch = Array.from({ length: count }, (_, index) =>
      entryAt(guildId, done + index, new Date(now - Math.floor((done + index + 1) * step))),
    );
    await log.insertMany(batch, { ordered: false });
  }
}

function entryAt(guildId: string, index: number, at: Date): AuditEntry {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0');
  const number = index.toString(16);
  const person = { id: String(200_000_000_000_000_000n + BigInt(index % 50_000)), name: `person${index % 50_000}` };
  return {
    _id: `log_${seconds}${guildId.slice(-6)}${number.padStart(10, '0')}`,
    guildId,
    at,
    ...kinds[index % kinds.length]?.(person, number),
    requestId: `0f8fad5b-d9cb-469f-a165-${number.padStart(12, '0')}`,
  } as AuditEntry;
}

type Person = { id: string; name: string };
type Kind = (person: Person, number: string) => Pick<AuditEntry, 'actor' | 'action' | 'target' | 'changes'>;

const kinds: readonly Kind[] = [
  (person) => ({
    actor: { kind: 'system', id: 'resync', name: 'resync' },
    action: 'member.synced',
    target: { kind: 'member', ...person },
    changes: { roles: { from: ['300000000000000001'], to: ['300000000000000002', '300000000000000003'] } },
  }),
  (person, number) => ({
    actor: { kind: 'user', ...person },
    action: 'member.linked',
    target: { kind: 'member', ...person },
    changes: { gameUserId: { from: null, to: String(Number.parseInt(number, 16)) } },
  }),
  (person, number) => ({
    actor: { kind: 'user', ...person },
    action: 'mapping.updated',
    target: { kind: 'mapping', id: `map_${number.padStart(24, '0')}`, name: 'Officers, "old" and new' },
    changes: { name: { from: 'Officers', to: 'Officers, "old" and new' }, enabled: { from: true, to: false } },
  }),
  (_, number) => ({
    actor: { kind: 'bot_token', id: `tok_${number.padStart(24, '0')}`, name: '=our website' },
    action: 'group.added',
    target: { kind: 'group', id: String(Number.parseInt(number, 16)), name: 'Builders ä🦊' },
    changes: {},
  }),
];

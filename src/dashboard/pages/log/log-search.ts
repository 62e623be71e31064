import type { AuditEntry, LogFilter } from '../../api/team-queries.js';

/** The log's filters, as in the address. Days are the browser's, the last one included. */
export interface LogSearch {
  action?: NonNullable<LogFilter['action']>;
  actor?: string;
  target?: string;
  /** The actor or the target. */
  involves?: string;
  from?: string;
  to?: string;
}

export const families = [
  'mapping.*',
  'mappings.*',
  'group.*',
  'member.*',
  'verification.*',
  'resync.*',
  'settings.*',
  'role.*',
  'permission.*',
  'panel.*',
  'people.*',
  'teammate.*',
  'token.*',
  'webhook.*',
  'delivery.*',
  'billing.*',
  'guild.*',
] as const;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
const day = (value: unknown): string | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(String(value)) ? String(value) : undefined;

/** Reads the filters from an address; invalid ones are left out. */
export function logSearch(search: Record<string, unknown>): LogSearch {
  const read = {
    action: families.find((family) => family === search.action),
    actor: text(search.actor),
    target: text(search.target),
    involves: text(search.involves),
    from: day(search.from),
    to: day(search.to),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as LogSearch;
}

/** The first moment in a day, or in the one `after` days later. */
function startOf(day: string, after = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + after);
  return start.toISOString();
}

/** The search as an API filter: `to` is exclusive. */
export function filterOf({ action, actor, target, involves, from, to }: LogSearch): LogFilter {
  return {
    ...(action && { action }),
    ...(actor && { actorId: actor }),
    ...(target && { targetId: target }),
    ...(involves && { involves }),
    ...(from && { from: startOf(from) }),
    ...(to && { to: startOf(to, 1) }),
  };
}

/** Entries day by day, in the order in which they come. */
export function byDay(entries: readonly AuditEntry[]): { day: string; entries: AuditEntry[] }[] {
  const days: { day: string; entries: AuditEntry[] }[] = [];
  for (const entry of entries) {
    const of = new Date(entry.at).toDateString();
    const last = days.at(-1);
    if (last?.day === of) last.entries.push(entry);
    else days.push({ day: of, entries: [entry] });
  }
  return days;
}

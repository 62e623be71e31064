import mongoose from 'mongoose';

/** What of a command makes its plan. */
const planned = ['filter', 'query', 'pipeline', 'sort', 'hint', 'limit', 'skip', 'projection', 'collation'] as const;

interface StartedCommand {
  commandName: string;
  command: Record<string, unknown>;
}

/** Watches the reads of this process, until `competing` says which of them had more than one plan. */
export function watchPlans(): { competing(): Promise<string[]> } {
  const client = mongoose.connection.getClient();
  const seen = new Map<string, Record<string, unknown>>();
  const note = ({ commandName, command }: StartedCommand) => {
    if (commandName !== 'find' && commandName !== 'aggregate' && commandName !== 'count') return;
    const parts = planned.filter((part) => part in command).map((part) => [part, command[part]]);
    const whole = { [commandName]: command[commandName], ...Object.fromEntries(parts) };
    seen.set(shapeOf(whole), commandName === 'aggregate' ? { ...whole, cursor: {} } : whole);
  };
  client.on('commandStarted', note);
  const competing = async () => {
    client.off('commandStarted', note);
    const faults: string[] = [];
    for (const [shape, command] of seen) {
      if (isPointRead(command)) continue;
      const explained = await mongoose.connection.db?.command({ explain: command, verbosity: 'queryPlanner' });
      if (rejectedIn(explained) > 0) faults.push(shape);
    }
    return faults;
  };
  return { competing };
}

/** Without the values, which make no difference to how many plans there are. */
const shapeOf = (command: object): string =>
  JSON.stringify(command, (key, value) =>
    (typeof value === 'string' && !['find', 'aggregate', 'count', 'hint'].includes(key)) || value instanceof Date
      ? '?'
      : value,
  );

/** One document by its id or unique key: the first plan ends at once, before there is any competition. */
function isPointRead({ limit, sort }: Record<string, unknown>): boolean {
  return limit === 1 && sort === undefined;
}

function rejectedIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]) => sum + (key === 'rejectedPlans' && Array.isArray(part) ? part.length : rejectedIn(part)),
    0,
  );
}

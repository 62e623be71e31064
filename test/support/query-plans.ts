import mongoose from 'mongoose';
import { memberIndexes } from '../../src/features/members/member-model.js';

/** The command parts that decide its plan. */
const planned = ['filter', 'query', 'pipeline', 'sort', 'hint', 'limit', 'skip', 'projection', 'collation'] as const;

interface StartedCommand {
  commandName: string;
  command: Record<string, unknown>;
}

type Command = Record<string, unknown>;

/** The commands that have a plan, each as the reads that would be planned alike. */
const readsOf: Readonly<Record<string, (command: Command) => Command[]>> = {
  find: (command) => [command],
  aggregate: (command) => [{ ...command, cursor: {} }],
  count: (command) => [command],
  distinct: ({ distinct, query }) => [{ find: distinct, filter: query }],
  findAndModify: ({ findAndModify, query, sort, hint }) => [
    { find: findAndModify, filter: query, sort, hint, limit: 1 },
  ],
  update: ({ update, updates }) => writesIn(update, updates, 'multi', true),
  delete: ({ delete: from, deletes }) => writesIn(from, deletes, 'limit', 0),
};

interface Write {
  q: object;
  hint?: unknown;
}

function writesIn(collection: unknown, writes: unknown, key: 'multi' | 'limit', many: unknown): Command[] {
  return (writes as (Write & Command)[]).map(({ q: filter, hint, [key]: scope }) => ({
    find: collection,
    filter,
    hint,
    ...(scope !== many && { limit: 1 }),
  }));
}

/** Query plan faults, by the query's shape. */
export interface PlanFaults {
  /** Several plans for one query, over which the embedded engine fails. */
  competing: string[];
  /** Whole collections read to find some documents. */
  scans: string[];
  /** Sorts that no index supports. */
  sorts: string[];
}

export const noPlanFaults: PlanFaults = { competing: [], scans: [], sorts: [] };

/**
 * Watches this process's database commands. `faults` has the engine explain each query shape; `mostExamined` returns
 * how many documents the widest list search reads.
 */
export function watchPlans(): {
  faults(): Promise<PlanFaults>;
  mostExamined(list: ListRead): Promise<number>;
  byShards(keys: ShardKeys): Promise<ShardReads>;
} {
  const client = mongoose.connection.getClient();
  const seen = new Map<string, Command>();
  const note = ({ commandName, command }: StartedCommand) => {
    for (const read of readsOf[commandName]?.(command) ?? []) {
      const [name = ''] = Object.keys(read);
      const parts = ['cursor', ...planned].filter((part) => read[part] !== undefined).map((part) => [part, read[part]]);
      const whole = { [name]: read[name], ...Object.fromEntries(parts) };
      seen.set(shapeOf(whole), whole);
    }
  };
  client.on('commandStarted', note);
  const faults = async () => {
    client.off('commandStarted', note);
    const found: PlanFaults = { competing: [], scans: [], sorts: [] };
    for (const [shape, command] of seen) await explain(shape, command, found);
    return found;
  };
  const mostExamined = async ({ collection, limit }: ListRead) => {
    client.off('commandStarted', note);
    const lists = [...seen.values()].filter((read) => read.find === collection && read.limit === limit);
    const examined = await Promise.all(lists.map(documentsExamined));
    return Math.max(0, ...examined);
  };
  const byShards = async (keys: ShardKeys) => {
    client.off('commandStarted', note);
    const found: ShardReads = { one: new Set(), every: new Set() };
    for (const command of seen.values()) await noteShards(command, keys, found);
    return found;
  };
  return { faults, mostExamined, byShards };
}

/** The first field of each sharded collection's key. A cluster asks one shard if a query compares it for equality. */
type ShardKeys = Readonly<Record<string, string>>;

/** Queries as `collection: compared fields`, by how many shards a cluster would ask. */
interface ShardReads {
  one: Set<string>;
  every: Set<string>;
}

async function noteShards(command: Command, keys: ShardKeys, { one, every }: ShardReads): Promise<void> {
  const collection = String(command.find ?? command.aggregate ?? command.count);
  const key = keys[collection];
  if (key === undefined) return;
  const explained = await mongoose.connection.db?.command({ explain: command, verbosity: 'queryPlanner' });
  const parts = conjuncts(parsedIn(explained));
  const fields = [...new Set(parts.flatMap((part) => Object.keys(part)))].sort();
  const isNamed = parts.some(({ [key]: test }) => ['$eq', '$in'].some((name) => Object.hasOwn(Object(test), name)));
  (isNamed ? one : every).add(`${collection}: ${fields.join(', ')}`);
}

/** The query as the engine understands it, in its first form in the explanation. */
function parsedIn(value: unknown): Command | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { parsedQuery } = value as Command;
  if (parsedQuery !== undefined) return parsedQuery as Command;
  for (const part of Object.values(value)) {
    const found = parsedIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

const conjuncts = (query: Command = {}): Command[] =>
  Object.entries(query).flatMap(([name, test]) =>
    name === '$and' ? (test as Command[]).flatMap(conjuncts) : [{ [name]: test }],
  );

/** A list's searches, recognised by its limit among this process's other queries. */
interface ListRead {
  collection: string;
  limit: number | undefined;
}

/** How many documents a query reads. */
async function documentsExamined(command: Command): Promise<number> {
  const explained = await mongoose.connection.db?.command({ explain: command, verbosity: 'executionStats' });
  return explained?.executionStats?.totalDocsExamined ?? 0;
}

async function explain(shape: string, command: Command, { competing, scans, sorts }: PlanFaults): Promise<void> {
  const explained = await mongoose.connection.db?.command({ explain: command, verbosity: 'queryPlanner' });
  if (!isPointRead(command) && plansIn(explained, 'rejectedPlans') > 0) competing.push(shape);
  if (isSelective(command) && stagesIn(explained).includes('COLLSCAN')) scans.push(shape);
  if (stagesIn(explained).includes('SORT') && !isOfFew(command)) sorts.push(shape);
}

/** Without the values, which make no difference to the plan. */
const shapeOf = (command: object): string =>
  JSON.stringify(command, (key, value) => {
    if (value instanceof Map) return Object.fromEntries(value);
    if (key === '$in' || key === '$nin') return ['?'];
    return (typeof value === 'string' && !names.includes(key)) || value instanceof Date ? '?' : value;
  });

const names = ['find', 'aggregate', 'count', 'hint'];

/** One document by its id or unique key: the first plan ends before any competition. */
function isPointRead({ limit, sort }: Command): boolean {
  return limit === 1 && sort === undefined;
}

/** Not a read over everything, which no index makes shorter. */
function isSelective({ filter, query, pipeline }: Command): boolean {
  const first = (pipeline as { $match?: object }[] | undefined)?.[0]?.$match;
  return Object.keys(filter ?? query ?? first ?? {}).length > 0;
}

/**
 * Sorting at most a thousand members found by name, or those with one game account: no index has these in every order.
 */
function isOfFew({ hint }: Command): boolean {
  return hint === '_id_' || hint === memberIndexes.gameUserId;
}

function plansIn(value: unknown, list: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]) => sum + (key === list && Array.isArray(part) ? part.length : plansIn(part, list)),
    0,
  );
}

/** The stages in the plan that was chosen. */
function stagesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === 'rejectedPlans') return [];
    return key === 'stage' ? [String(part)] : stagesIn(part);
  });
}

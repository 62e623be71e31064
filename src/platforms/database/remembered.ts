import { model, type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { readDirectly, readOneDirectly } from './direct-reads.js';
import { removeInSteps } from './in-steps.js';
import { schemaOf } from './schema-of.js';

/** A small thing that counts for a time, such as a draft or a question. */
const rememberedFields = z.strictObject({
  /** `<kind> <key>`: a kind has one thing per key. */
  _id: z.string(),
  kind: z.string(),
  guildId: z.string().exactOptional(),
  /** The person that it names, for their export and erasure. */
  person: z.string().exactOptional(),
  /** When its time ends; absent if it always does. */
  until: z.date().exactOptional(),
  value: z.custom<unknown>().exactOptional(),
});
type Row = z.output<typeof rememberedFields>;

const schema = schemaOf<Row>('remembered', rememberedFields);
// Everything about a person: their export and erasure.
schema.index({ person: 1 }, { partialFilterExpression: { person: { $exists: true } } });
// One kind's things in one guild or all.
schema.index({ kind: 1, guildId: 1 });
// purgeRemembered.
schema.index({ until: 1 }, { partialFilterExpression: { until: { $exists: true } } });

const Rows = model<Row>('Remembered', schema);

export type Thing<Value> = Omit<Row, '_id' | 'kind' | 'value'> & { value: Value };

const byKind = { kind: 1, guildId: 1 } as const;

/** The things in one kind. A key contains the guild if a caller chooses its other part (AUTH-34). */
export class Remembered<Value> {
  constructor(private readonly kind: string) {}

  /** The thing under a key; null if there is none, or its time is over. */
  async find(key: string): Promise<Thing<Value> | null> {
    const now = clock.now();
    const found = await readOneDirectly<Row>(Rows, this.#idOf(key));
    return found !== null && countsAt(now)(found) ? shown<Value>(found) : null;
  }

  /** The keys among these whose thing counts. */
  async keysAmong(keys: readonly string[]): Promise<Set<string>> {
    const now = clock.now();
    const found = await readDirectly<Row>(Rows, { _id: trusted({ $in: keys.map((key) => this.#idOf(key)) }) });
    return new Set(found.filter(countsAt(now)).map(({ _id }) => _id.slice(this.kind.length + 1)));
  }

  /** A guild's things that count. */
  async inGuild(guildId: string): Promise<Thing<Value>[]> {
    const now = clock.now();
    const found = await readDirectly<Row>(Rows, { kind: this.kind, guildId }, { hint: byKind });
    return found.filter(countsAt(now)).map(shown<Value>);
  }

  /** A person's things, also after their time. */
  async ofPerson(person: string): Promise<Thing<Value>[]> {
    const found = await readDirectly<Row>(Rows, { person }, { hint: { person: 1 } });
    return found.filter(({ kind }) => kind === this.kind).map(shown<Value>);
  }

  /** Stores a key's thing in place of an older one. */
  async keep(key: string, thing: Thing<Value>): Promise<void> {
    await Rows.replaceOne({ _id: this.#idOf(key) }, { kind: this.kind, ...thing }, { upsert: true });
  }

  /**
   * Changes a key's thing if it matches `filter`; the value's fields are `value.…`. With `upsert` it creates one, and
   * throws a duplicate-key error if one is there that doesn't match. Returns the changed thing; null if none matched.
   */
  async change(
    key: string,
    change: UpdateQuery<Row>,
    { filter = {}, upsert = false }: { filter?: QueryFilter<Row>; upsert?: boolean } = {},
  ): Promise<Thing<Value> | null> {
    const which = { ...filter, _id: this.#idOf(key) };
    const update = { ...change, $setOnInsert: { kind: this.kind, ...change.$setOnInsert } };
    const changed = await Rows.findOneAndUpdate(which, update, { upsert, returnDocument: 'after' }).lean<Row | null>();
    return changed === null ? null : shown<Value>(changed);
  }

  async forget(key: string, filter: QueryFilter<Row> = {}): Promise<void> {
    await Rows.deleteOne({ ...filter, _id: this.#idOf(key) });
  }

  /** Forgets all in the kind that match. */
  async forgetAll(filter: QueryFilter<Row>): Promise<void> {
    const hint = filter.person === undefined ? byKind : { person: 1 as const };
    await Rows.deleteMany({ ...filter, kind: this.kind }).hint(hint);
  }

  #idOf(key: string): string {
    return `${this.kind} ${key}`;
  }
}

const countsAt =
  (now: Date) =>
  ({ until }: Row): boolean =>
    until === undefined || until > now;

function shown<Value>({ _id, kind: _, ...thing }: Row): Thing<Value> {
  return thing as Thing<Value>;
}

/** Deletes all things whose time is over. */
export async function purgeRemembered(now: Date): Promise<void> {
  await removeInSteps(Rows, { until: trusted({ $lte: now }) }, { until: 1 });
}

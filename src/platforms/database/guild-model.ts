import { randomUUID } from 'node:crypto';
import {
  type Model,
  model,
  type mongo,
  type PipelineStage,
  type QueryFilter,
  type Schema,
  trusted,
  type UpdateQuery,
} from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';

/** A filter with its guild: a query without one does not compile (AUTH-34: every id is looked up in its guild). */
export type InGuild<T> = QueryFilter<T> & { guildId: string };

export type Hint = string | Record<string, 1 | -1>;

interface FindOptions {
  sort?: Record<string, 1 | -1>;
  limit?: number;
  /** Needed if several indexes could serve: the server would try them all (docs/ARCHITECTURE.md). */
  hint?: Hint;
  /** Fields that the caller never reads. */
  without?: readonly string[];
}

/**
 * A collection with documents that each belong to one guild. Reads are lean: plain objects, never Mongoose documents.
 */
export class GuildModel<T extends { guildId: string }> {
  /** The underlying model, for jobs across all guilds. Never used with a caller's input. */
  readonly acrossGuilds: Model<T>;

  constructor(name: string, schema: Schema<T>) {
    this.acrossGuilds = model<T>(name, schema);
  }

  findOne(filter: InGuild<T>): Promise<T | null> {
    return this.acrossGuilds.findOne(filter).lean<T | null>().exec();
  }

  find(filter: InGuild<T>, options: FindOptions = {}): Promise<T[]> {
    return this.acrossGuilds
      .find(filter, omitted(options.without), options.hint === undefined ? {} : { hint: options.hint })
      .sort(options.sort ?? {})
      .limit(options.limit ?? 0)
      .lean<T[]>()
      .exec();
  }

  /**
   * A page with matching documents, ordered by a text field that is unique among them; by age for `_id`. `hint` is the
   * index with this order. Throws InvalidRequest for an invalid cursor.
   */
  async page(
    filter: InGuild<T>,
    { limit, cursor }: PageQuery,
    { field, direction = 1, hint }: { field: keyof T & string; direction?: 1 | -1; hint: Hint },
  ): Promise<Page<T>> {
    const place = decodeCursor(z.string(), cursor) ?? (direction === 1 ? '' : undefined);
    const behind = place !== undefined && { [field]: trusted({ [direction === 1 ? '$gt' : '$lt']: place }) };
    const found = await this.find({ ...filter, ...behind }, { sort: { [field]: direction }, limit: limit + 1, hint });
    return pageOf(found, limit, (document) => document[field]);
  }

  /**
   * Reads however many documents, `batchSize` at a time, as the driver returns them, without casts or time limit. The
   * caller closes it.
   */
  cursor(filter: InGuild<T>, options: { sort: Record<string, 1 | -1>; batchSize: number; hint: Hint }) {
    return this.acrossGuilds.collection.find<T & mongo.BSON.Document>(filter as mongo.Filter<object>, options);
  }

  count(filter: InGuild<T>, { hint }: Pick<FindOptions, 'hint'> = {}): Promise<number> {
    return this.acrossGuilds.countDocuments(filter, hint === undefined ? {} : { hint }).exec();
  }

  async insert(document: T): Promise<T> {
    await this.acrossGuilds.create(document);
    return document;
  }

  async insertAll(documents: T[]): Promise<T[]> {
    await this.acrossGuilds.insertMany(documents);
    return documents;
  }

  /** Changes one document and returns the result; null if none matches. */
  update(filter: InGuild<T>, change: UpdateQuery<T>): Promise<T | null> {
    return this.acrossGuilds.findOneAndUpdate(filter, change, { returnDocument: 'after' }).lean<T | null>().exec();
  }

  /** Changes one document, or creates it from the filter and the change if none matches. */
  upsert(filter: InGuild<T>, change: UpdateQuery<T>): Promise<T> {
    return this.acrossGuilds
      .findOneAndUpdate(filter, change, { returnDocument: 'after', upsert: true })
      .orFail()
      .lean<T>()
      .exec();
  }

  /**
   * Removes one document and returns it; null if none matches. Its outbox and the removal's `items` stay until they are
   * relayed (`leftOutbox`). For models with an outbox.
   */
  async remove(filter: InGuild<T>, ...items: Told[]): Promise<T | null> {
    if (items.length === 0) {
      const removed = await this.acrossGuilds.findOneAndDelete(filter).lean<T | null>();
      if (removed !== null) return removed;
    }
    return this.acrossGuilds
      .findOneAndUpdate(filter, leftOutbox(...items), { returnDocument: 'before', updatePipeline: true })
      .lean<T | null>()
      .exec();
  }
}

const omitted = (fields: readonly string[] | undefined): Record<string, 0> | null =>
  fields === undefined ? null : Object.fromEntries(fields.map((field) => [field, 0 as const]));

type Told = Readonly<{ id: string; guildId: string }>;

/**
 * The update that removes a document except its outbox, and adds `items` to that. Queries don't find the rest: it has
 * no fields and belongs to no guild. The relay deletes it once the outbox is relayed; an empty one gets an item without
 * content, by which the relay finds it.
 */
export function leftOutbox(...items: Told[]): PipelineStage.ReplaceWith[] {
  const there = { $ifNull: ['$outbox', []] };
  const blank = { $literal: [{ id: 'removed', createdAt: clock.now() }] };
  const outbox =
    items.length > 0
      ? { $concatArrays: [there, { $literal: items }] }
      : { $cond: [{ $eq: [there, []] }, blank, '$outbox'] };
  const left = { _id: '$_id', guildId: `removed ${randomUUID()}`, removedAt: clock.now(), outbox };
  return [{ $replaceWith: left }];
}

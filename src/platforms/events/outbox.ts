import { Schema, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { Signal } from '../../lib/signal.js';
import type { EventData, EventName } from './event-types.js';

/** Something that happened, stored in its document until `relayOutboxes` has relayed it. */
export interface OutboxEvent {
  /** `evt_` and 24 hex digits. */
  id: string;
  event: EventName;
  createdAt: Date;
  guildId: string;
  data: EventData;
}

/** A log entry, stored in the changed document until it is known to be in the log. */
export interface OutboxEntry<Entry = unknown> {
  id: string;
  createdAt: Date;
  guildId: string;
  entry: Entry;
}

export type OutboxItem = OutboxEvent | OutboxEntry;

/** In an update cast by Mongoose, items of both kinds have the fields of both. */
export const isEvent = (item: OutboxItem): item is OutboxEvent => 'event' in item && item.event !== undefined;

export interface WithOutbox {
  outbox?: OutboxItem[];
  /** Set on a removed document that is kept until its outbox is relayed: see `leftOutbox`. */
  removedAt?: Date;
}

/** A new event. It exists only once the write that makes it true has stored it: see `push`. */
export function newEvent<Name extends EventName>(event: Name, guildId: string, data: EventData<Name>): OutboxEvent {
  const createdAt = clock.now();
  return { id: newId('evt', createdAt), event, createdAt, guildId, data };
}

/**
 * The update part that stores events and log entries together with the change, so a crash can't separate them. The
 * update's filter must not match once they are true, or a repetition would store them twice. An update has one such part
 * with all its items: a second one would replace the first.
 */
export function push(...items: OutboxItem[]): { $push: { outbox: { $each: OutboxItem[] } } } {
  return { $push: { outbox: { $each: items } } };
}

/** The JSON that is signed and sent for an event. It is stored once, since each attempt sends the same bytes. */
export function eventBody({ id, event, createdAt, guildId, data }: OutboxEvent): string {
  return JSON.stringify({ id, event, createdAt: createdAt.toISOString(), guildId, data });
}

export const outboxIsEmpty = { 'outbox.0': trusted({ $exists: false }) };

const outboxField = {
  type: [
    new Schema(
      { id: String, event: String, createdAt: Date, guildId: String, data: {}, entry: {} },
      { _id: false, id: false },
    ),
  ],
  default: undefined,
};

const eventStored = new Signal();

/** Calls `listener` after each write in this process that may have stored an event. */
export const onEventStored = eventStored.on;

/** Announces the events in a write past Mongoose. */
export function announceStored(items: readonly OutboxItem[]): void {
  if (items.some(isEvent)) eventStored.emit();
}

/**
 * Adds an outbox to a schema's documents; `relayOutboxes` empties it. Call it before the model is made. No deletion
 * removes a document with a filled outbox. Listeners hear only about events: an entry's writer also puts it into the
 * log, and the relay tidies up later.
 */
export function giveOutbox(schema: Pick<Schema, 'add' | 'index' | 'pre' | 'post'>): void {
  schema.add({ outbox: outboxField, removedAt: Date });
  // relayOutboxes: documents with events, oldest first.
  schema.index({ 'outbox.createdAt': 1 }, { partialFilterExpression: { 'outbox.createdAt': { $exists: true } } });
  schema.pre(['deleteMany', 'findOneAndDelete'], function () {
    this.where(outboxIsEmpty);
  });
  schema.pre('deleteOne', { document: false, query: true }, function () {
    this.where(outboxIsEmpty);
  });
  schema.post(['updateOne', 'findOneAndUpdate'], function () {
    const update = this.getUpdate();
    if (update === null || Array.isArray(update) || update.$push === undefined) return;
    const pushed: { $each?: OutboxItem[] } | undefined = update.$push.outbox;
    announceStored(pushed?.$each ?? []);
  });
}

import { Schema, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import type { EventData, EventName } from './event-types.js';

/** Something that happened, waiting in the document it is about until `relayOutboxes` has handed it on. */
export interface OutboxEvent {
  /** `evt_` and 24 hex digits. */
  id: string;
  event: EventName;
  createdAt: Date;
  guildId: string;
  data: EventData;
}

/** A document that carries an outbox. */
export interface WithOutbox {
  outbox?: OutboxEvent[];
}

/** A new event. It exists only once it is stored by the write that makes it true: see `pushEvent`. */
export function newEvent<Name extends EventName>(event: Name, guildId: string, data: EventData<Name>): OutboxEvent {
  const createdAt = clock.now();
  return { id: newId('evt', createdAt), event, createdAt, guildId, data };
}

/**
 * Belongs into the update that makes the event true, so that no crash can come between. The update's filter must not
 * match once the event is true, or a repetition would store it twice.
 */
export function pushEvent(event: OutboxEvent): { $push: { outbox: OutboxEvent } } {
  return { $push: { outbox: event } };
}

/** The JSON that is signed and sent for an event. Made once and stored, since each attempt sends the same bytes. */
export function eventBody({ id, event, createdAt, guildId, data }: OutboxEvent): string {
  return JSON.stringify({ id, event, createdAt: createdAt.toISOString(), guildId, data });
}

const outboxField = {
  type: [
    new Schema({ id: String, event: String, createdAt: Date, guildId: String, data: {} }, { _id: false, id: false }),
  ],
  default: undefined,
};

const listeners = new Set<() => void>();

/** Calls `listener` after each write of this process that may have stored an event. */
export function onEventStored(listener: () => void): void {
  listeners.add(listener);
}

/** Gives the documents of a schema an outbox, which `relayOutboxes` empties. Call it before the model is made. */
export function giveOutbox(schema: Pick<Schema, 'add' | 'index' | 'post'>): void {
  schema.add({ outbox: outboxField });
  // relayOutboxes: documents with events, the oldest first.
  schema.index({ 'outbox.createdAt': 1 }, { partialFilterExpression: { 'outbox.createdAt': { $exists: true } } });
  schema.post(['updateOne', 'findOneAndUpdate'], function () {
    const update = this.getUpdate();
    if (update === null || Array.isArray(update) || update.$push === undefined) return;
    if ('outbox' in update.$push) for (const listener of listeners) listener();
  });
}

/** Matches documents whose events are all relayed: only those may be deleted. */
export const outboxIsEmpty = { 'outbox.0': trusted({ $exists: false }) };

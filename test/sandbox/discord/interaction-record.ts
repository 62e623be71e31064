import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { InteractionType } from 'discord-api-types/v10';
import { clock } from '../../../src/lib/clock.js';
import type { Component, InteractionOrigin, StoredMessage } from './sandbox-model.js';

/** How long Discord takes later answers to an interaction (Discord's documentation). */
const tokenLifeMs = 15 * 60_000;

export interface Modal {
  readonly customId: string;
  readonly title: string;
  readonly components: readonly Component[];
}

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

/** What a person did, and from where. */
export interface InteractionInput {
  readonly type: InteractionType;
  readonly userId: string;
  readonly guildId: string | undefined;
  readonly channelId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** For a form that was sent: the interaction that was answered with it. */
  readonly openedBy?: InteractionOrigin;
  /** The message whose component was used, or from whose component the modal came. */
  readonly message: StoredMessage | undefined;
}

/**
 * One interaction and what has become of it. `changed` is emitted on `changes` whenever the person sees something new.
 */
export class InteractionRecord {
  readonly token = `aW50ZXJhY3Rpb246${randomBytes(60).toString('base64url')}`;
  readonly changes = new EventEmitter();
  readonly #startedAt = clock.monotonicMs();
  readonly #createdAt = clock.epochMs();
  /** `lost`: the application did not answer in time. */
  phase: 'waiting' | 'answered' | 'lost' = 'waiting';
  acknowledgedAfterMs = 0;
  /** The message that `@original` names. */
  original: StoredMessage | undefined;
  /** Whether the person sees `original` as the answer: false while a deferred one is outstanding. */
  originalShown = false;
  modal: Modal | undefined;
  choices: readonly Choice[] = [];
  followUps: StoredMessage[] = [];

  constructor(
    readonly id: string,
    readonly input: InteractionInput,
  ) {}

  get origin(): InteractionOrigin {
    const { type, message, openedBy } = this.input;
    return {
      ...{ id: this.id, type },
      ...(message !== undefined && { messageId: message.id }),
      ...(openedBy !== undefined && { openedBy }),
    };
  }

  get expired(): boolean {
    return clock.epochMs() - this.#createdAt >= tokenLifeMs;
  }

  /** The answer that the person sees: the original one, or else the last that came after it. */
  get shown(): StoredMessage | undefined {
    return this.originalShown ? this.original : this.followUps.at(-1);
  }

  /** Notes the first answer and resumes the person. */
  acknowledge(answer: { original?: StoredMessage; shown: boolean; modal?: Modal; choices?: readonly Choice[] }): void {
    this.phase = 'answered';
    this.acknowledgedAfterMs = clock.monotonicMs() - this.#startedAt;
    this.original = answer.original;
    this.originalShown = answer.shown;
    this.modal = answer.modal;
    this.choices = answer.choices ?? [];
    this.changes.emit('acknowledged');
  }

  /** A message in this interaction has been sent, filled in or edited. */
  show(message: StoredMessage): void {
    if (message === this.original) this.originalShown = true;
    else if (!this.followUps.includes(message)) this.followUps.push(message);
    this.changes.emit('changed');
  }

  /** A message in this interaction has been deleted. */
  hide(message: StoredMessage): void {
    if (message === this.original) {
      this.original = undefined;
      this.originalShown = false;
    }
    this.followUps = this.followUps.filter((other) => other !== message);
    this.changes.emit('changed');
  }
}

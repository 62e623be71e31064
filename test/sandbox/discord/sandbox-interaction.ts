import { once } from 'node:events';
import { ComponentType } from 'discord-api-types/v10';
import type { InteractionRecord } from './interaction-record.js';
import { flattenComponents } from './message-components.js';
import { type SandboxMessage, viewMessage, wordsOf } from './sandbox-message.js';
import type { Component } from './sandbox-model.js';

const usualTimeoutMs = 30_000;

export interface SandboxModal {
  readonly customId: string;
  readonly title: string;
  readonly fields: readonly {
    readonly customId: string;
    readonly label: string;
    readonly required: boolean;
    readonly placeholder?: string;
    readonly value?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
  }[];
}

/** What a person did, after the application's first answer: the answers as that person sees them. */
export class SandboxInteraction {
  readonly id: string;
  readonly token: string;
  /** Time to the first answer, in milliseconds. */
  readonly acknowledgedAfterMs: number;
  /** Whether the first answer is for that person's eyes only. */
  readonly ephemeral: boolean;
  /** The form that the person was shown, if that was the answer. */
  readonly modal?: SandboxModal;
  readonly #record: InteractionRecord;

  constructor(record: InteractionRecord) {
    this.#record = record;
    this.id = record.id;
    this.token = record.token;
    this.acknowledgedAfterMs = record.acknowledgedAfterMs;
    this.ephemeral = record.original?.visibleTo !== undefined;
    if (record.modal) {
      const { customId, title, components } = record.modal;
      this.modal = { customId, title, fields: modalFields(components) };
    }
  }

  /**
   * The answer as the person sees it now; while the application is "thinking", waits for it.
   * After a press that was deferred without a message, that is the edited message or else the first follow-up.
   * Throws when there is none within `timeoutMs`, or when the answer is a form.
   */
  async reply(timeoutMs = usualTimeoutMs): Promise<SandboxMessage> {
    const { modal, changes } = this.#record;
    if (modal) throw new Error(`The answer is the form "${modal.title}", not a message.`);
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const message = this.#record.shown;
      if (message) return viewMessage(message);
      await once(changes, 'changed', { signal }).catch((cause) => {
        throw new Error(`The application did not finish its answer within ${timeoutMs} ms.`, { cause });
      });
    }
  }

  /** All that there is to read in the reply, one piece a line. */
  async text(timeoutMs = usualTimeoutMs): Promise<string> {
    return wordsOf(await this.reply(timeoutMs));
  }

  /** The messages sent after the first answer, oldest first. */
  followUps(): SandboxMessage[] {
    return this.#record.followUps.map(viewMessage);
  }

  /** Waits until the reply matches `pattern`, also by later edits; returns the reply. */
  async replyMatching(pattern: RegExp, timeoutMs = usualTimeoutMs): Promise<SandboxMessage> {
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const reply = await this.reply(timeoutMs);
      if (pattern.test(wordsOf(reply))) return reply;
      await once(this.#record.changes, 'changed', { signal }).catch((cause) => {
        throw new Error(`The reply never matched ${pattern}; it says: ${wordsOf(reply)}`, { cause });
      });
    }
  }
}

function modalFields(components: readonly Component[]): SandboxModal['fields'] {
  const labels = components.filter(({ type }) => type === ComponentType.Label);
  const labelOf = (field: Component) =>
    labels.find(({ component }) => component?.id === field.id)?.label ?? field.label;
  return flattenComponents(components).flatMap((field) => {
    if (field.custom_id === undefined) return [];
    return {
      customId: field.custom_id,
      label: labelOf(field) ?? '',
      required: field.required ?? true,
      ...(field.value === undefined ? {} : { value: field.value }),
      ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
      ...(field.min_length == null ? {} : { minLength: field.min_length }),
      ...(field.max_length == null ? {} : { maxLength: field.max_length }),
    };
  });
}

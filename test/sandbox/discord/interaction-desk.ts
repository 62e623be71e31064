import { InteractionType } from 'discord-api-types/v10';
import type { DiscordState } from './discord-state.js';
import { type Choice, type InteractionInput, InteractionRecord } from './interaction-record.js';
import { interactionJson } from './interaction-wire.js';
import { SandboxInteraction } from './sandbox-interaction.js';

/** Keeps all interactions: sends them to the bot and waits for the answers. */
export class InteractionDesk {
  readonly #records = new Map<string, InteractionRecord>();
  readonly #byToken = new Map<string, InteractionRecord>();

  constructor(
    readonly state: DiscordState,
    readonly answerWithinMs = 3_000,
  ) {}

  /**
   * Sends what a person did and waits for the first answer.
   * Throws "The application did not respond" after `answerWithinMs`, as the person would read it.
   */
  async open(input: InteractionInput): Promise<SandboxInteraction> {
    return new SandboxInteraction(await this.#send(input));
  }

  /** Asks for an option's suggestions while it is being typed. */
  async suggest(input: InteractionInput): Promise<readonly Choice[]> {
    return (await this.#send({ ...input, type: InteractionType.ApplicationCommandAutocomplete })).choices;
  }

  find(id: string): InteractionRecord | undefined {
    return this.#records.get(id);
  }

  findByToken(token: string): InteractionRecord | undefined {
    return this.#byToken.get(token);
  }

  async #send(input: InteractionInput): Promise<InteractionRecord> {
    const record = new InteractionRecord(this.state.ids.next(), input);
    this.#records.set(record.id, record);
    this.#byToken.set(record.token, record);
    const answered = this.#firstAnswer(record);
    this.state.dispatch({
      event: 'INTERACTION_CREATE',
      ...(input.guildId === undefined ? {} : { guildId: input.guildId }),
      data: interactionJson(this.state, record),
    });
    await answered;
    return record;
  }

  #firstAnswer(record: InteractionRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        record.phase = 'lost';
        reject(new Error('The application did not respond'));
      }, this.answerWithinMs);
      record.changes.once('acknowledged', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

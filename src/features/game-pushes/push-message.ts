import { mostMessageBytes } from '../../platforms/roblox/universe-messages.js';

/** The accounts with a changed look-up, or all of the guild where there are more than fit. */
export type Push = readonly string[] | 'everybody';

/** Only these players' look-ups in one guild: the game subscribes to it. */
export const topicOf = (guildId: string): string => `rolelink-${guildId}`;

export const messageOf = (push: Push): string =>
  JSON.stringify({ v: 1, ...(push === 'everybody' ? { everybody: true } : { gameUserIds: push }) });

/** Of an id in the list: its quotes, and a comma. The first has no comma. */
const bytesBeside = 3;
const emptyBytes = Buffer.byteLength(messageOf([])) - 1;

/** Ids of different accounts, as many as one message takes. */
export class PushedIds {
  readonly #ids = new Set<string>();
  #bytes = emptyBytes;

  /** Whether there was room for it. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return true;
    this.#bytes += id.length + bytesBeside;
    if (this.#bytes > mostMessageBytes) return false;
    this.#ids.add(id);
    return true;
  }

  /** The ids, which are then forgotten. */
  take(): string[] {
    const ids = [...this.#ids];
    this.#ids.clear();
    this.#bytes = emptyBytes;
    return ids;
  }
}

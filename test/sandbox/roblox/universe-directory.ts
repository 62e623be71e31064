import { clock } from '../../../src/lib/clock.js';
import { nextGameId } from './game-ids.js';

/** A message as a game server's subscription gets it. */
interface SandboxMessage {
  topic: string;
  message: string;
  at: Date;
}

export interface SandboxUniverse {
  id: string;
  /** Whose keys may publish to it. */
  ownerId: string;
  /** How many play: Roblox takes more messages then. */
  players: number;
  /** Everything published, oldest first. */
  messages: SandboxMessage[];
}

type Listener = (message: string) => void;

/** Universes, the messages published to them, and the topics that their running games have subscribed to. */
export class UniverseDirectory {
  readonly #universes = new Map<string, SandboxUniverse>();
  readonly #listeners = new Map<string, Set<Listener>>();

  add({ ownerId, players = 0 }: Pick<SandboxUniverse, 'ownerId'> & { players?: number | undefined }): SandboxUniverse {
    const universe = { id: nextGameId(), ownerId, players, messages: [] };
    this.#universes.set(universe.id, universe);
    return universe;
  }

  find(id: string): SandboxUniverse | undefined {
    return this.#universes.get(id);
  }

  get(id: string): SandboxUniverse {
    const universe = this.find(id);
    if (universe === undefined) throw new Error(`There is no universe ${id}.`);
    return universe;
  }

  list(): SandboxUniverse[] {
    return [...this.#universes.values()];
  }

  /** MessagingService:SubscribeAsync in a game server. Returns the end of the subscription. */
  subscribe(id: string, topic: string, listener: Listener): () => void {
    const key = `${this.get(id).id} ${topic}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  publish(id: string, topic: string, message: string): void {
    this.get(id).messages.push({ topic, message, at: clock.now() });
    for (const listener of this.#listeners.get(`${id} ${topic}`) ?? []) listener(message);
  }
}

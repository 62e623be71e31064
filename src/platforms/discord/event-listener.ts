import { Listener } from '@sapphire/framework';
import type { ClientEvents } from 'discord.js';

/** The class of a piece in `listeners/`. */
export type ListenerPiece = new (context: Listener.LoaderContext) => Listener;

/** A piece that runs for one event of the client, and is named like its file. What it throws is logged. */
export function onEvent<E extends keyof ClientEvents & string>(
  event: E,
  run: (...args: ClientEvents[E]) => unknown,
): ListenerPiece {
  return listenerPiece({ event }, run);
}

/** A piece that runs with what an emitter emits. */
export function listenerPiece<Args extends unknown[]>(
  options: Listener.Options,
  run: (...args: Args) => unknown,
): ListenerPiece {
  return class extends Listener {
    constructor(context: Listener.LoaderContext) {
      super(context, options);
    }

    override run(...args: unknown[]) {
      return run(...(args as Args));
    }
  };
}

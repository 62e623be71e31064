import { Listener } from '@sapphire/framework';
import type { ClientEvents } from 'discord.js';
import { inLane } from '../../lib/lane.js';

export type ListenerPiece = new (context: Listener.LoaderContext) => Listener;

/**
 * A piece that handles one client event, in the lane for single syncs, and is named after its file. Errors are logged.
 */
export function onEvent<E extends keyof ClientEvents & string>(
  event: E,
  run: (...args: ClientEvents[E]) => unknown,
): ListenerPiece {
  return listenerPiece({ event }, run);
}

export function listenerPiece<Args extends unknown[]>(
  options: Listener.Options,
  run: (...args: Args) => unknown,
): ListenerPiece {
  return class extends Listener {
    constructor(context: Listener.LoaderContext) {
      super(context, options);
    }

    override run(...args: unknown[]) {
      return inLane('single', async () => run(...(args as Args)));
    }
  };
}

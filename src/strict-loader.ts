/** What all of Sapphire's loader strategies have, whatever kind of piece they load. */
interface Strategy {
  clientUsesESModules: boolean;
  onLoad(store: { name: string; has(name: string): boolean }, piece: { name: string }): unknown;
  onError(error: Error, path: string): void;
}

/** Stores share a strategy unless they have one of their own. */
const strict = new WeakSet<object>();

/**
 * Makes a store load its pieces without mercy: a file that cannot be loaded, or a second piece of the same name, ends
 * the boot, and files are read as ES modules whatever the working directory. Sapphire by itself logs the first, replaces
 * the second, and guesses the third. What else the store's own strategy does stays.
 */
export function loadStrictly(store: { readonly strategy: object }): void {
  // Each store's strategy is typed for its own pieces; here only what every piece has is used.
  const strategy = store.strategy as Strategy;
  if (strict.has(strategy)) return;
  strict.add(strategy);
  const { onLoad } = strategy;
  strategy.clientUsesESModules = true;
  strategy.onLoad = (into, piece) => {
    if (into.has(piece.name)) throw new Error(`Two pieces of ${into.name} are named "${piece.name}".`);
    return onLoad.call(strategy, into, piece);
  };
  strategy.onError = (error, path) => {
    throw new Error(`The piece ${path} cannot be loaded: ${error.message}`, { cause: error });
  };
}

/** The common interface for Sapphire's loader strategies, for every kind of piece. */
interface Strategy {
  clientUsesESModules: boolean;
  onLoad(store: { name: string; has(name: string): boolean }, piece: { name: string }): unknown;
  onError(error: Error, path: string): void;
}

/** Stores share a strategy unless they have their own. */
const strict = new WeakSet<object>();

/**
 * Makes a store load its pieces strictly. A file that can't be loaded, or a second piece with the same name, ends the
 * boot. Files are read as ES modules in any working directory. By default, Sapphire logs the first, replaces the second
 * and guesses the third. The store's strategy otherwise stays.
 */
export function loadStrictly(store: { readonly strategy: object }): void {
  // Each store's strategy is typed for its own pieces; only the common part is used here.
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

/** A package that the start does not need: it is loaded by the first call. Loading each takes a start some 20 ms. */
export function onFirstUse<Package>(load: () => Promise<Package>): () => Promise<Package> {
  let loaded: Promise<Package> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** What the address of the list says: that only some mappings are meant, as a health issue names them. */
export interface MappingsSearch {
  only?: string[];
}

/** What the address of a new mapping says: which one it is a copy of. */
export const newMappingSearch = ({ like }: Record<string, unknown>): { like?: string } =>
  typeof like === 'string' ? { like } : {};

/** An address is typed by hand too: what it has no sense for is left out. */
export function mappingsSearch({ only }: Record<string, unknown>): MappingsSearch {
  const ids = Array.isArray(only) ? only.filter((id): id is string => typeof id === 'string') : [];
  return ids.length === 0 ? {} : { only: ids };
}

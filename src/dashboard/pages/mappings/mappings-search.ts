/** The filter of the list, from the address: only some mappings, as a health issue names them. */
export interface MappingsSearch {
  only?: string[];
}

/** The mapping that a new one copies, from the address. */
export const newMappingSearch = ({ like }: Record<string, unknown>): { like?: string } =>
  typeof like === 'string' ? { like } : {};

/** People edit addresses by hand: invalid values are left out. */
export function mappingsSearch({ only }: Record<string, unknown>): MappingsSearch {
  const ids = Array.isArray(only) ? only.filter((id): id is string => typeof id === 'string') : [];
  return ids.length === 0 ? {} : { only: ids };
}

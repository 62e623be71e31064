/** The list's filter, from the address: only some mappings, as a health issue names them. */
export interface MappingsSearch {
  only?: string[];
}

/** The start of a new mapping, from the address: the mapping that it copies, or a group's rank. */
export interface NewMappingSearch {
  like?: string;
  group?: string;
  rank?: string;
}

export const newMappingSearch = ({ like, group, rank }: Record<string, unknown>): NewMappingSearch => ({
  ...(typeof like === 'string' && { like }),
  ...(typeof group === 'string' && typeof rank === 'string' && { group, rank }),
});

/** People edit addresses by hand: invalid values are left out. */
export function mappingsSearch({ only }: Record<string, unknown>): MappingsSearch {
  const ids = Array.isArray(only) ? only.filter((id): id is string => typeof id === 'string') : [];
  return ids.length === 0 ? {} : { only: ids };
}

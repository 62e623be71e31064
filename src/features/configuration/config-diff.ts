import type { MappingDraft } from '../mappings/mapping-draft.js';
import { draftOf } from '../mappings/mapping-draft.js';
import { type Mapping, ruleKey } from '../mappings/mapping-service.js';
import type { MappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { type ConfigMapping, rolesById } from './config-document.js';

/** A document's mapping that differs from every stored one, and its place there. */
export interface Wanted {
  place: number;
  entry: ConfigMapping;
}

/** A document's mappings, split by whether an identical one is stored; `left`: the stored ones that are not in it. */
export function partUnchanged(
  entries: readonly ConfigMapping[],
  { mappings, facts }: Pick<MappingsSnapshot, 'mappings' | 'facts'>,
): { unchanged: Mapping[]; wanted: Wanted[]; left: Mapping[] } {
  const left = new KeyedOnes(mappings);
  const idOf = rolesById(facts);
  const takeSame = left.takerBy((mapping) => stableKey(draftOf(mapping)));
  const unchanged: Mapping[] = [];
  const wanted: Wanted[] = [];
  for (const [place, entry] of entries.entries()) {
    const { roles, ...rest } = entry;
    const same = takeSame(stableKey({ ...rest, roleIds: roles.map(idOf) }));
    if (same === undefined) wanted.push({ place, entry });
    else unchanged.push(same);
  }
  return { unchanged, wanted, left: left.rest() };
}

export interface MappingChanges {
  created: MappingDraft[];
  updated: { before: Mapping; draft: MappingDraft }[];
  removed: Mapping[];
}

/** A draft changes the mapping with the same name, else with the same rule, else with the same condition. Pure. */
export function pairDrafts(drafts: readonly MappingDraft[], stored: readonly Mapping[]): MappingChanges {
  const left = new KeyedOnes(stored);
  const updated: MappingChanges['updated'] = [];
  const likenesses: ((mapping: MappingDraft | Mapping) => string | null)[] = [
    ({ name }) => name,
    ruleKey,
    ({ condition }) => stableKey(condition),
  ];
  let open = [...drafts];
  for (const likeness of likenesses) {
    const takeAlike = left.takerBy(likeness);
    open = open.filter((draft) => {
      const before = takeAlike(likeness(draft));
      if (before !== undefined) updated.push({ before, draft });
      return before === undefined;
    });
  }
  return { created: open, updated, removed: left.rest() };
}

/** Mappings, each taken once. Found by key: comparing each with each would take minutes for a thousand. */
class KeyedOnes {
  readonly #left: Set<Mapping>;

  constructor(mappings: readonly Mapping[]) {
    this.#left = new Set(mappings);
  }

  /** Takes the first that is left of a key; none for null. */
  takerBy(keyOf: (mapping: Mapping) => string | null): (key: string | null) => Mapping | undefined {
    const byKey = new Map<string, Mapping[]>();
    for (const mapping of [...this.#left].reverse()) {
      const key = keyOf(mapping);
      if (key === null) continue;
      const alike = byKey.get(key);
      if (alike === undefined) byKey.set(key, [mapping]);
      else alike.push(mapping);
    }
    return (key) => {
      const found = key === null ? undefined : byKey.get(key)?.pop();
      if (found !== undefined) this.#left.delete(found);
      return found;
    };
  }

  rest(): Mapping[] {
    return [...this.#left];
  }
}

/** A key that is equal for equal values, in any field order. Pure. */
export const stableKey = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

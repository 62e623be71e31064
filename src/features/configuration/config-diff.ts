import { isDeepStrictEqual } from 'node:util';
import type { MappingDraft } from '../mappings/mapping-draft.js';
import { type Mapping, ruleKey } from '../mappings/mapping-service.js';
import type { MappingsPicture } from '../mappings/mappings-picture.js';
import { type ConfigMapping, entryOf } from './config-document.js';

/** A mapping of a document that differs from all that are stored as they are, and its place there. */
export interface Wanted {
  place: number;
  entry: ConfigMapping;
}

/** The mappings of a document, parted by whether one is stored that says exactly the same; `left`: what is stored beside. */
export function partUnchanged(
  entries: readonly ConfigMapping[],
  picture: Pick<MappingsPicture, 'mappings' | 'facts'>,
): { unchanged: Mapping[]; wanted: Wanted[]; left: Mapping[] } {
  const left = [...picture.mappings];
  const unchanged: Mapping[] = [];
  const wanted: Wanted[] = [];
  for (const [place, entry] of entries.entries()) {
    const at = left.findIndex((mapping) => isDeepStrictEqual(entryOf(mapping, picture), entry));
    const [same] = at === -1 ? [] : left.splice(at, 1);
    if (same === undefined) wanted.push({ place, entry });
    else unchanged.push(same);
  }
  return { unchanged, wanted, left };
}

/** What becomes of the stored mappings that a document does not say as they are. */
export interface MappingChanges {
  created: MappingDraft[];
  updated: { before: Mapping; draft: MappingDraft }[];
  removed: Mapping[];
}

/** A draft is the change of the mapping of the same name, else of the same rule, else of the same condition. Pure. */
export function pairDrafts(drafts: readonly MappingDraft[], stored: readonly Mapping[]): MappingChanges {
  const removed = [...stored];
  const changes: MappingChanges = { created: [], updated: [], removed };
  const alike: ((draft: MappingDraft, mapping: Mapping) => boolean)[] = [
    (draft, mapping) => draft.name !== null && draft.name === mapping.name,
    (draft, mapping) => ruleKey(draft) === ruleKey(mapping),
    (draft, mapping) => isDeepStrictEqual(draft.condition, mapping.condition),
  ];
  let open = [...drafts];
  for (const isAlike of alike) {
    open = open.filter((draft) => {
      const at = removed.findIndex((mapping) => isAlike(draft, mapping));
      const [before] = at === -1 ? [] : removed.splice(at, 1);
      if (before !== undefined) changes.updated.push({ before, draft });
      return before === undefined;
    });
  }
  changes.created.push(...open);
  return changes;
}

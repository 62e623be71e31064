import type { Schemas } from '../../api/api-types.js';
import type { Mapping } from '../../api/queries.js';

/** The writable fields of a mapping. */
export type Draft = Required<Schemas['MappingDraft']>;

/** The initial draft of a new mapping. */
export const freshDraft: Draft = {
  name: null,
  condition: { type: 'verified' },
  roleIds: [],
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
};

/** The draft of a stored mapping. */
export const draftOf = ({ name, condition, roleIds, nickname, removeWhenUnmatched, enabled }: Mapping): Draft => ({
  name,
  condition,
  roleIds,
  nickname,
  removeWhenUnmatched,
  enabled,
});

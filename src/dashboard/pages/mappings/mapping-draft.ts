import type { Schemas } from '../../api/api-types.js';
import type { Mapping } from '../../api/queries.js';

/** What is written of a mapping. */
export type Draft = Required<Schemas['MappingDraft']>;

/** Where a new one begins. */
export const freshDraft: Draft = {
  name: null,
  condition: { type: 'verified' },
  roleIds: [],
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
};

/** What a stored mapping would be written as. */
export const draftOf = ({ name, condition, roleIds, nickname, removeWhenUnmatched, enabled }: Mapping): Draft => ({
  name,
  condition,
  roleIds,
  nickname,
  removeWhenUnmatched,
  enabled,
});

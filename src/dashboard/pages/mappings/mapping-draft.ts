import type { Schemas } from '../../../client/api-types.js';
import type { Mapping } from '../../api/queries.js';

/** The writable fields of a mapping. */
export type Draft = Required<Schemas['MappingDraft']>;

export const freshDraft: Draft = {
  name: null,
  condition: { type: 'verified' },
  roleIds: [],
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
};

export const draftOf = ({ name, condition, roleIds, nickname, removeWhenUnmatched, enabled }: Mapping): Draft => ({
  name,
  condition,
  roleIds,
  nickname,
  removeWhenUnmatched,
  enabled,
});

import type { Schemas } from '../../../client/api-types.js';
import type { Mapping } from '../../api/queries.js';

/** A mapping's writable fields. */
export type Draft = Required<Schemas['MappingDraft']>;

/** A new mapping for the rank; its empty parts are yet to be chosen. */
export const freshDraft = (rank = { groupId: '', gameRoleId: '' }): Draft => ({
  name: null,
  condition: { type: 'group_role', ...rank },
  roleIds: [],
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
});

export const draftOf = ({ name, condition, roleIds, nickname, removeWhenUnmatched, enabled }: Mapping): Draft => ({
  name,
  condition,
  roleIds,
  nickname,
  removeWhenUnmatched,
  enabled,
});

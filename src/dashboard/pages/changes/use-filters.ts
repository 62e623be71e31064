import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangesSearch, changesSearch } from './changes-search.js';

/** The filters, and a function that changes one. */
export function useFilters() {
  const search = useSearch({ from: '/g/$guildId/changes' });
  const navigate = useNavigate({ from: '/g/$guildId/changes' });
  const change = (changed: { [Key in keyof ChangesSearch]: ChangesSearch[Key] | undefined }) =>
    navigate({ search: changesSearch({ ...search, ...changed }), replace: true, resetScroll: false });
  return { search, change };
}

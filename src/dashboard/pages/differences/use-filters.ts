import { useNavigate, useSearch } from '@tanstack/react-router';
import { type DifferencesSearch, differencesSearch } from './differences-search.js';

/** The filters, and a function that changes one of them. */
export function useFilters() {
  const search = useSearch({ from: '/g/$guildId/differences' });
  const navigate = useNavigate({ from: '/g/$guildId/differences' });
  const change = (changed: { [Key in keyof DifferencesSearch]: DifferencesSearch[Key] | undefined }) =>
    navigate({ search: differencesSearch({ ...search, ...changed }), replace: true, resetScroll: false });
  return { search, change };
}

import type { LineRemark } from '../../features/mappings/import-proposal.js';
import type { MappingImport } from '../../features/mappings/import-view.js';
import { t } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import { componentId } from './component-id.js';
import { card, pressButton, type Reply, rowOf } from './reply.js';

/** So many remarks on lines are shown; the rest is counted. */
const mostRemarks = 10;

/** Where an import was asked for. */
export type ImportedFrom = 'setup' | 'command';

/** What an import would do, and the button that does it. `from`: where to go on afterwards. */
export function importReview(plan: MappingImport, from: ImportedFrom): Reply {
  const { created, skipped, refused, notes, limits, addedGroups } = plan;
  const { adding, limit, used } = limits.mappings;
  const may = created.length > 0 && limits.fits;
  const lines = [
    addedGroups.length === 0
      ? t('import.would_alone', { count: created.length })
      : t('import.would', { count: created.length, groups: addedGroups.length }),
    ...(skipped.length === 0 ? [] : [t('import.skipped', { count: skipped.length })]),
    ...(limits.fits ? [] : [t('import.no_room', { limit, used, adding })]),
    ...remarks(t('import.refused', { count: refused.length }), refused),
    ...remarks(t('import.notes', { count: notes.length }), notes),
  ];
  const apply = pressButton(componentId('import-apply', from), t('import.apply', { count: created.length }));
  return card(t('import.title'), lines, refused.length > 0 || !may ? 'attention' : 'fine', rowOf(may ? [apply] : []));
}

function remarks(heading: string, list: readonly LineRemark[]): string[] {
  if (list.length === 0) return [];
  const shown = list
    .slice(0, mostRemarks)
    .map(({ line, message }) => t('import.line', { line, message: verbatim(message) }));
  const more = list.length - shown.length;
  return [heading, ...shown, ...(more > 0 ? [t('import.more', { count: more })] : [])];
}

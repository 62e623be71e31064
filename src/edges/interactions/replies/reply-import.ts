import type { LinkedGroup } from '../../../core/groups/group-service.js';
import type { LineRemark } from '../../../features/mapping-import/import-proposal.js';
import type { ImportReview } from '../../../features/mapping-import/import-review.js';
import { describeCondition, type NamedGroup } from '../../../features/mappings/describe-condition.js';
import { mappingDraft } from '../../../features/mappings/mapping-draft.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { otherBotsButtons, otherBotsLine } from '../other-bots-question.js';
import { card, pressButton, type Reply, rowOf } from './reply.js';
import { aboveLine, dangerLine, rolesInWords } from './reply-lists.js';

const mostRemarks = 10;
const mostMappings = 10;

export type ImportedFrom = 'move' | 'command';

/** An import's effect, with the buttons that apply it. `from`: the page to return to. */
export function importReview(
  { plan, dangers, key }: ImportReview,
  from: ImportedFrom,
  attached: readonly LinkedGroup[],
): Reply {
  const groups = [...attached, ...plan.newGroups];
  const { created, skipped, refused, notes, limits, addedGroups, rolesAbove } = plan;
  const { adding, limit, used } = limits.mappings;
  const lines = [
    addedGroups.length === 0
      ? t('import.would_alone', { count: created.length })
      : t('import.would', { count: created.length, groups: addedGroups.length }),
    ...mappingLines(plan, groups),
    ...dangers.map(dangerLine),
    ...aboveLine(rolesAbove),
    ...(skipped.length === 0 ? [] : [t('import.skipped', { count: skipped.length })]),
    ...(limits.fits ? [] : [t('import.no_room', { limit, used, adding })]),
    ...remarks(t('import.refused', { count: refused.length }), refused),
    ...remarks(t('import.notes', { count: notes.length }), notes),
  ];
  const { observing, otherBots } = plan;
  const asks = key !== null && otherBots.length > 0 && !observing;
  const label = t('import.apply', { count: created.length });
  const apply = key === null ? [] : [pressButton(componentId('import-apply', from, key), label)];
  const buttons = asks ? otherBotsButtons('import', [from, key]) : apply;
  const isFine = refused.length === 0 && dangers.length === 0 && key !== null && !asks;
  if (asks) lines.push(otherBotsLine(otherBots.map(({ name }) => name)));
  return card(t('import.title'), lines, isFine ? 'fine' : 'attention', rowOf(buttons));
}

function mappingLines({ created }: ImportReview['plan'], groups: readonly NamedGroup[]): string[] {
  const lines = created.slice(0, mostMappings).map(({ mapping }) => {
    const { condition, roleIds } = mappingDraft.parse(mapping);
    const words = verbatim(describeCondition(condition, groups));
    const isWhole = condition.type === 'group_roles';
    return isWhole ? `➕ ${words}` : t('setup.will_map', { condition: words, roles: rolesInWords(roleIds) });
  });
  const more = created.length - lines.length;
  return [...lines, ...(more > 0 ? [t('import.more', { count: more })] : [])];
}

function remarks(heading: string, list: readonly LineRemark[]): string[] {
  if (list.length === 0) return [];
  const shown = list
    .slice(0, mostRemarks)
    .map(({ line, message }) => t('import.line', { line, message: verbatim(message) }));
  const more = list.length - shown.length;
  return [heading, ...shown, ...(more > 0 ? [t('import.more', { count: more })] : [])];
}

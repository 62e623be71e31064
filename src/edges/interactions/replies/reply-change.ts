import { type APIButtonComponent, ButtonStyle } from 'discord.js';
import { holds } from '../../../core/actors/team-roles.js';
import { keepingUndo } from '../../../features/configuration/undo-service.js';
import { t } from '../../../lib/translate.js';
import type { Entrance } from '../commands/command-access.js';
import { componentId } from '../component-id.js';
import { pressButton, type Reply, rowOf, withLine } from './reply.js';

/**
 * Changes groups, mappings or settings and adds buttons for the next step: *Preview*, *Resync now* and, after an actual
 * change, *Undo* (CONF-34). While the guild observes, the reply says that no member is changed (OBS-8). Throws as `work`
 * does.
 */
export async function changing({ guild, actor }: Entrance, work: () => Promise<Reply>): Promise<Reply> {
  const { result: done, undoId, mode } = await keepingUndo(guild, work);
  const result = mode === 'observe' ? withLine(done, t('change.observing')) : done;
  if (undoId === null) return result;
  const preview = pressButton(componentId('change-preview', undoId), t('change.preview'), ButtonStyle.Secondary);
  const resync = pressButton(componentId('change-resync'), t('change.resync'), ButtonStyle.Secondary);
  const next = holds(actor.role, 'manager') ? [preview, resync] : [preview];
  return { ...result, components: [...result.components, ...rowOf([...next, undoButton(undoId)])] };
}

export const undoButton = (undoId: string): APIButtonComponent =>
  pressButton(componentId('change-undo', undoId), t('change.undo'), ButtonStyle.Secondary);

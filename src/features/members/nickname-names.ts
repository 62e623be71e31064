import { readSettings } from '../../core/settings/settings-service.js';
import { enabledMappings } from '../mappings/mapping-service.js';
import type { Member } from './member-model.js';

/** The names that a nickname template may use (MAP-18). */
type NamePlaceholder = 'gameUsername' | 'gameDisplayName' | 'chatUsername';

/** Whether a linked member's nickname uses any of these names, so that changing it requires a sync. */
export async function isInNickname(
  { guildId, state, present }: Pick<Member, 'guildId' | 'state' | 'present'>,
  changed: readonly NamePlaceholder[],
): Promise<boolean> {
  if (state !== 'linked' || !present || changed.length === 0) return false;
  const { enabled, template } = (await readSettings(guildId)).nickname;
  if (!enabled) return false;
  const templates = [template, ...(await enabledMappings(guildId)).map(({ nickname }) => nickname?.template ?? '')];
  return changed.some((name) => templates.some((each) => each.includes(`{${name}}`)));
}

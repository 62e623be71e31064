import type { GameIdentity, Member } from './member-model.js';
import { keepNames } from './member-service.js';
import { isInNickname } from './nickname-names.js';
import { owedSync } from './owed-syncs.js';

/** Takes over what a member's game account is called by now, and owes a sync where the nickname says one that has changed. */
export async function renameMember(member: Member, game: GameIdentity): Promise<void> {
  const changed = (['gameUsername', 'gameDisplayName'] as const).filter((name) => member[name] !== game[name]);
  if (changed.length === 0) return;
  await keepNames(member, game, (await isInNickname(member, changed)) ? owedSync('account') : {});
}

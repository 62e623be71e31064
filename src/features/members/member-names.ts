import type { GameIdentity, Member } from './member-model.js';
import { keepNames } from './member-service.js';
import { isInNickname } from './nickname-names.js';
import { pendingSync } from './pending-syncs.js';

/** Stores the current name of a member's game account, and enqueues a sync if the nickname uses a name that changed. */
export async function renameMember(member: Member, game: GameIdentity): Promise<void> {
  const changed = (['gameUsername', 'gameDisplayName'] as const).filter((name) => member[name] !== game[name]);
  if (changed.length === 0) return;
  await keepNames(member, game, (await isInNickname(member, changed)) ? pendingSync('account') : {});
}

import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { hourMs } from '../../lib/time.js';
import { namesPerRead, readGameNames } from '../../platforms/roblox/game-user-search.js';
import { unhurried } from '../../platforms/roblox/roblox-http.js';
import { type GameIdentity, type Member, Members } from '../members/member-model.js';
import { renameMember } from '../members/member-names.js';
import { reportAccountChanged } from './account-changes.js';
import { accountIsBack, noteMissing } from './account-gone.js';
import { Accounts, byNamesReadAt, ownersOf, type StoredAccount } from './account-model.js';
import { refreshPremium } from './account-traits.js';

/** Frequent enough to read each account once a day. */
const dueAfterMs = 20 * hourMs;
/** Batches per run. With a run a minute that covers four million accounts a day, in 30 calls a minute. */
const batchesPerRun = 30;

/**
 * Reads people's current Roblox names, oldest reading first, and detects accounts that are gone or back. Progress is
 * stored with each account. Throws GamePlatformUnavailable.
 */
export async function refreshNames(now: Date, signal: AbortSignal): Promise<void> {
  const before = trusted({ $not: { $gt: new Date(now.getTime() - dueAfterMs) } });
  for (let batch = 0; batch < batchesPerRun && !signal.aborted; batch += 1) {
    const due = await Accounts.find({ gameUserId: trusted({ $type: 'string' }), namesReadAt: before })
      .sort({ namesReadAt: 1 })
      .limit(namesPerRead)
      .hint(byNamesReadAt)
      .lean<StoredAccount[]>();
    if (due.length === 0) return;
    await refreshBatch(due, signal);
  }
}

const takingOver = new SeparateWork('account_names');

async function refreshBatch(due: readonly StoredAccount[], signal: AbortSignal): Promise<void> {
  const found = await readGameNames(
    due.flatMap(({ gameUserId }) => gameUserId ?? []),
    unhurried(signal),
  );
  for (const account of due) {
    const game = found.get(account.gameUserId ?? '');
    // An account that fails is read again in its next turn, and blocks no other.
    await takingOver.on(account._id, () =>
      game === undefined ? noteMissing(account.gameUserId ?? '') : takeOver(account, game),
    );
  }
  await refreshPremium(due, unhurried(signal));
  const read = { _id: trusted({ $in: due.map(({ _id }) => _id) }) };
  await Accounts.updateMany(read, { $set: { namesReadAt: clock.now() } });
}

async function takeOver(account: StoredAccount, game: GameIdentity): Promise<void> {
  if (account.goneSince !== undefined) await accountIsBack(game.gameUserId);
  const { gameUsername, gameDisplayName } = account;
  if (gameUsername !== game.gameUsername || gameDisplayName !== game.gameDisplayName) await keepGameNames(game);
}

/**
 * Stores a game account's names, also in its person's guilds. Enqueues a sync if the nickname uses a name that changed,
 * except in the guild `syncedIn`, which is syncing already.
 */
export async function keepGameNames(game: GameIdentity, syncedIn?: string): Promise<void> {
  const { gameUserId, gameUsername, gameDisplayName } = game;
  const named = { gameUsername, gameDisplayName };
  const owners = await ownersOf(gameUserId);
  if (owners.length === 0) return;
  const stale = { chatUserId: trusted({ $in: owners }), gameUserId, $nor: [named] };
  for await (const member of Members.acrossGuilds.find(stale).hint({ chatUserId: 1 }).lean<Member>().cursor()) {
    if (member.guildId !== syncedIn) await renameMember(member, game);
  }
  // Last, so that a crash before it leaves the difference to be found again.
  await Accounts.updateMany({ gameUserId }, { $set: named });
  for (const owner of owners) await reportAccountChanged(owner);
}

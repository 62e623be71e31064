import { trusted, type UpdateQuery } from 'mongoose';
import { systemActor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { PatientWork } from '../../lib/patient-work.js';
import { minuteMs } from '../../lib/time.js';
import { push } from '../../platforms/events/outbox.js';
import { isAccountGone } from '../../platforms/roblox/game-users.js';
import { announceLookUp } from '../members/look-up-changes.js';
import { type Member, Members } from '../members/member-model.js';
import { pendingSync } from '../members/pending-syncs.js';
import { reportAccountChanged } from './account-changes.js';
import { Accounts, ownersOf, type StoredAccount } from './account-model.js';

// Handles accounts that Roblox has deleted or banned (VER-29). One reading changes nothing; a second one, five minutes
// later, decides. Members are marked before the account, so that a crash leaves work to repeat. They are marked again
// after it, for a guild that linked the old account in between.

const confirmAfterMs = 5 * minuteMs;
/** Maximum second readings in one run; each takes a call or two. */
const readingsPerRun = 100;

/** Records that one reading from Roblox reports the account as deleted or banned. This alone has no effect. */
export async function noteMissing(gameUserId: string): Promise<void> {
  const first = { gameUserId, missingSince: trusted({ $exists: false }), goneSince: trusted({ $exists: false }) };
  await Accounts.updateMany(first, { $set: { missingSince: clock.now() } });
}

const confirming = new PatientWork('account_checks');

/** Reads accounts again that were first missing at least five minutes ago, then marks them gone or clears the error. */
export async function confirmGoneAccounts(now: Date, signal: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - confirmAfterMs);
  const others = { _id: trusted({ $nin: confirming.resting() }) };
  const due = await Accounts.find({ ...others, missingSince: trusted({ $lte: before }) })
    .sort({ missingSince: 1 })
    .limit(readingsPerRun)
    .lean<StoredAccount[]>();
  for (const account of due) {
    if (signal.aborted) return;
    await confirming.on(account._id, () => confirm(account));
  }
}

async function confirm({ _id, gameUserId }: StoredAccount): Promise<void> {
  if (gameUserId !== undefined && (await isAccountGone(gameUserId))) await accountIsGone(gameUserId);
  else await Accounts.updateOne({ _id }, { $unset: { missingSince: 1 } });
}

/** Marks the account and its person in each guild, and enqueues the syncs that follow. */
async function accountIsGone(gameUserId: string): Promise<void> {
  const goneSince = clock.now();
  await changeAll(gameUserId, goneSince, { $set: { goneSince }, $unset: { missingSince: 1 } });
  logger.info({ gameUserId }, 'linked account deleted or banned on Roblox');
}

/** Roblox shows the account again: its person regains the ranks that it gives. */
export async function accountIsBack(gameUserId: string): Promise<void> {
  await changeAll(gameUserId, null, { $unset: { goneSince: 1, missingSince: 1 } });
}

async function changeAll(
  gameUserId: string,
  goneSince: Date | null,
  change: UpdateQuery<StoredAccount>,
): Promise<void> {
  await markMembers(gameUserId, goneSince);
  await changeAccount(gameUserId, change);
  await markMembers(gameUserId, goneSince);
}

/** Reported before the write, so that a crash loses nothing, and after it, when readers see the change. */
async function changeAccount(gameUserId: string, change: UpdateQuery<StoredAccount>): Promise<void> {
  const owners = await ownersOf(gameUserId);
  for (const owner of owners) await reportAccountChanged(owner);
  await Accounts.updateMany({ gameUserId }, change);
  for (const owner of owners) await reportAccountChanged(owner);
}

async function markMembers(gameUserId: string, goneSince: Date | null): Promise<void> {
  const owners = await ownersOf(gameUserId);
  if (owners.length === 0) return;
  const unmarked = trusted<{ $exists: boolean }>({ $exists: goneSince === null });
  const which = { gameUserId, state: 'linked' as const, goneSince: unmarked };
  const change = goneSince === null ? { $unset: { goneSince: 1 as const } } : {};
  const marks = goneSince === null ? pendingSync('account') : { goneSince, ...pendingSync('account') };
  for await (const member of Members.acrossGuilds
    .find({ ...which, chatUserId: trusted({ $in: owners }) })
    .hint({ chatUserId: 1 })
    .lean<Member>()
    .cursor()) {
    const { guildId, chatUserId, chatUsername } = member;
    const entry = newEntry({
      guildId,
      actor: systemActor('account-check'),
      action: goneSince === null ? 'member.account_back' : 'member.account_gone',
      target: { kind: 'member', id: chatUserId, name: chatUsername },
    });
    const marked = await Members.update({ guildId, chatUserId, ...which }, { ...change, $set: marks, ...push(entry) });
    if (marked === null) continue;
    announceLookUp(guildId, gameUserId);
    await enterLog(entry);
  }
}

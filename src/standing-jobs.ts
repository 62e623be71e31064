import { z } from 'zod';
import { purgeAuditLog } from './core/audit/audit-retention.js';
import { purgeSealedActors } from './core/audit/sealed-actors.js';
import { purgeSessions } from './core/auth/session-service.js';
import { purgeCounters } from './core/counters/daily-counters.js';
import { purgeDrafts } from './core/drafts/review-drafts.js';
import { allGuildPlans } from './core/guilds/guild-service.js';
import { onWelcomePending } from './core/guilds/welcomes.js';
import { completeWholeChanges } from './core/settings/whole-changes.js';
import { purgeKeyedRequests } from './edges/http/idempotency.js';
import { purgeRateLimits } from './edges/http/rate-limits.js';
import { sendDueJoinMessages } from './edges/interactions/join-message.js';
import { sendDueWelcomes } from './edges/interactions/welcome.js';
import { registerLinkedRoles } from './edges/operations/linked-role-records.js';
import { purgeBillingEvents } from './features/billing/billing-events.js';
import { reconcileBilling } from './features/billing/billing-reconcile.js';
import { purgeUndos } from './features/configuration/undo-model.js';
import './features/linked-roles/linked-role-service.js';
import { confirmGoneAccounts } from './features/accounts/account-gone.js';
import { refreshNames } from './features/accounts/account-names.js';
import { tellOfChangesLeft } from './features/accounts/account-notices.js';
import { linkDueMembers, settleAccountsLeft } from './features/accounts/account-settling.js';
import { onJoinMessagePending } from './features/accounts/join-messages.js';
import { beginDueReadings } from './features/accounts/trait-readings.js';
import { purgeNeverLinked } from './features/members/member-service.js';
import { checkGameKey } from './features/overview/game-key.js';
import { purgeImports } from './features/people-import/people-import-service.js';
import './features/people-import/people-import-worker.js';
import './features/privacy/erasure.js';
import { lookForDueSyncs } from './features/sync/member/background-syncs.js';
import { purgeHandRemovals } from './features/sync/member/hand-removals.js';
import { purgePreviews } from './features/sync/preview/stored-previews.js';
import { endUnconfirmed, purgeResyncs, wakeOpenResyncs } from './features/sync/resync/resync-job.js';
import { enqueueRegularReconciliations } from './features/sync/resync/resync-schedule.js';
import { purgeSwitches } from './features/sync/resync/switch-service.js';
import { wakeUndos } from './features/sync/resync/switch-undo.js';
import { purgeToldInvitees } from './features/team/told-invitees.js';
import { purgeTokens } from './features/tokens/token-service.js';
import { purgeClaimQuestions } from './features/verification/claim-questions.js';
import { endKilledProofs } from './features/verification/killed-proofs.js';
import { settleTransfers } from './features/verification/transfers.js';
import { purgeVerifications } from './features/verification/verification-store.js';
import './features/webhooks/delivery-job.js';
import { purgeDeliveries } from './features/webhooks/delivery-store.js';
import './features/webhooks/relay-job.js';
import { clock } from './lib/clock.js';
import { eachPart } from './lib/patient-work.js';
import { dayMs, hourMs, minuteMs } from './lib/time.js';
import { mendDueTimes } from './platforms/database/due-times.js';
import { purgeLeases } from './platforms/database/lease-store.js';
import { purgeRemoved } from './platforms/events/outbox-relay.js';
import { defineJob } from './platforms/jobs/define-job.js';
import { poke, standing, startStanding } from './platforms/jobs/standing.js';
import { wakeAt } from './platforms/jobs/wake.js';

/** Syncs that are pending and due (SYNC-3), in case this process is not already running them. */
standing({
  name: 'retry-syncs',
  everyMs: 10 * minuteMs,
  atStart: false,
  run: (signal) => lookForDueSyncs(signal),
});

/**
 * Leftovers of killed processes: account changes not carried to every guild, messages not sent, links waiting for an
 * account's age. Also the counts of begun and ended links, and unfinished changes of rules.
 */
standing({
  name: 'settle-accounts',
  everyMs: minuteMs,
  atStart: true,
  async run(signal) {
    const before = new Date(clock.epochMs() - 30_000);
    await eachPart(
      signal,
      () => settleAccountsLeft(before, signal),
      () => tellOfChangesLeft(before, signal),
      () => linkDueMembers(clock.now(), signal),
      () => sendDueJoinMessages(signal),
      () => completeWholeChanges(signal),
    );
  },
});

/** Deleted, banned or returned Roblox accounts, and changed names (ROBLOX-10, VER-33). */
standing({
  name: 'watch-accounts',
  everyMs: minuteMs,
  atStart: false,
  async run(signal) {
    await eachPart(
      signal,
      () => confirmGoneAccounts(clock.now(), signal),
      () => refreshNames(clock.now(), signal),
    );
  },
});

/** Account traits that mappings need and nobody has read yet, at the pace Roblox allows (ROBLOX-20). */
standing({
  name: 'read-traits',
  everyMs: minuteMs,
  atStart: false,
  run: (signal) => beginDueReadings(clock.now(), signal),
});

/** The state of the host's Roblox key; retried after ten minutes if there is a problem or Roblox does not answer. */
const checkKey = standing({
  name: 'check-game-key',
  everyMs: dayMs,
  atStart: true,
  async run(): Promise<void> {
    try {
      const fault = await checkGameKey();
      if (fault !== null) await wakeAt(checkKey, {}, new Date(clock.epochMs() + 10 * minuteMs));
    } catch (error) {
      await wakeAt(checkKey, {}, new Date(clock.epochMs() + 10 * minuteMs));
      throw error;
    }
  },
});

/** The facts registered for Linked Roles; retried after ten minutes while Discord does not answer. */
const registerRoles = standing({
  name: 'register-linked-roles',
  everyMs: dayMs,
  atStart: true,
  async run(): Promise<void> {
    try {
      await registerLinkedRoles();
    } catch (error) {
      await wakeAt(registerRoles, {}, new Date(clock.epochMs() + 10 * minuteMs));
      throw error;
    }
  },
});

/** Verifications left by a killed process between link and completion, and account transfers without an objection. */
standing({
  name: 'settle-verifications',
  everyMs: minuteMs,
  atStart: false,
  async run(signal) {
    await eachPart(
      signal,
      () => endKilledProofs(signal),
      () => settleTransfers(signal),
    );
  },
});

/** Resyncs with a killed process, resyncs that waited for a platform, and unconfirmed ones. */
standing({
  name: 'resume-resyncs',
  everyMs: 30_000,
  atStart: true,
  async run(signal) {
    const now = clock.now();
    await eachPart(
      signal,
      () => endUnconfirmed(now),
      () => wakeOpenResyncs(now),
      () => wakeUndos(),
    );
  },
});

/** The daily reconciliation of every guild, or a more frequent one by plan and settings (RESYNC-30). */
standing({
  name: 'automatic-resyncs',
  everyMs: 5 * minuteMs,
  atStart: false,
  run: (signal) => enqueueRegularReconciliations(clock.now(), signal),
});

/** Subscriptions with lost events, and checkouts with an unreported payment (PLAN-11). */
standing({
  name: 'reconcile-billing',
  everyMs: hourMs,
  atStart: false,
  run: (signal) => reconcileBilling(clock.now(), signal),
});

/** The welcome message, in servers that have not had it. */
const welcomeGuilds = standing({
  name: 'welcome-guilds',
  everyMs: minuteMs,
  atStart: false,
  run: (signal) => sendDueWelcomes(signal),
});

/** The messages to new unverified members (DISC-36): started by an event, and checked together with the accounts. */
const tellJoiners = defineJob({
  name: 'tell-joiners',
  data: z.strictObject({}),
  concurrency: 1,
  run: (_data, { signal }) => sendDueJoinMessages(signal),
});

/** Removes expired data: the embedded database has no TTL indexes. */
standing({
  name: 'purge-expired',
  everyMs: 10 * minuteMs,
  atStart: false,
  async run(signal) {
    const now = clock.now();
    await Promise.all([
      purgeAuditLog(allGuildPlans(), now, signal),
      purgeSealedActors(now),
      purgeSessions(now),
      purgeTokens(now),
      purgeLeases(now),
      purgeNeverLinked(now),
      purgeRateLimits(now),
      purgeKeyedRequests(now),
      purgeVerifications(now),
      purgeClaimQuestions(now),
      purgeToldInvitees(now),
      purgeResyncs(now),
      purgeImports(now),
      purgeSwitches(now),
      purgeHandRemovals(now),
      purgePreviews(now),
      purgeUndos(now),
      purgeDrafts(now),
      purgeCounters(now),
      purgeBillingEvents(now),
      purgeDeliveries(now),
      purgeRemoved(),
      mendDueTimes(),
    ]);
  },
});

/** Runs work that people wait for as soon as it is stored. Without `welcomes`, no guild gets a welcome. */
export function listenForWork({ welcomes }: { welcomes: boolean }): void {
  if (welcomes) onWelcomePending(() => poke(welcomeGuilds));
  onJoinMessagePending(() => poke(tellJoiners));
}

/**
 * Starts the schedule of all standing work. The process that stores pending work also starts it; the schedule finds
 * work left by killed processes. Without `welcomes`, no guild gets a welcome.
 */
export const startStandingWork = ({ welcomes }: { welcomes: boolean }): Promise<void> =>
  startStanding((job) => welcomes || job !== welcomeGuilds);

import { z } from 'zod';
import { purgeAuditLog } from './core/audit/audit-retention.js';
import { purgeSealedActors } from './core/audit/sealed-actors.js';
import { purgeSessions } from './core/auth/session-service.js';
import { purgeCounters } from './core/counters/daily-counters.js';
import { purgeDrafts } from './core/drafts/review-drafts.js';
import { allGuildPlans } from './core/guilds/guild-service.js';
import { onWelcomeOwed } from './core/guilds/welcomes.js';
import { completeWholeChanges } from './core/settings/whole-changes.js';
import { purgeKeyedRequests } from './edges/http/idempotency.js';
import { purgeRateLimits } from './edges/http/rate-limits.js';
import { sendDueJoinMessages } from './edges/interactions/join-message.js';
import { sendDueWelcomes } from './edges/interactions/welcome.js';
import { registerLinkedRoles } from './edges/operations/linked-role-records.js';
import { purgeBillingEvents } from './features/billing/billing-events.js';
import { reconcileBilling } from './features/billing/billing-reconcile.js';
import { purgeUndos } from './features/configuration/undo-model.js';
import { writeLinkedRoles } from './features/linked-roles/linked-role-service.js';
import { confirmGoneAccounts } from './features/members/account-gone.js';
import { refreshNames } from './features/members/account-names.js';
import { tellOfChangesLeft } from './features/members/account-notices.js';
import { linkDueMembers, settleAccountsLeft } from './features/members/account-settling.js';
import { onJoinMessageOwed } from './features/members/join-messages.js';
import { countChangedLinks, recountLinks } from './features/members/linked-counts.js';
import { purgeStrangers } from './features/members/member-service.js';
import { beginDueReadings } from './features/members/trait-readings.js';
import { checkGameKey } from './features/overview/game-key.js';
import { erasures } from './features/privacy/erasure.js';
import { lookForDueSyncs } from './features/sync/member/background-syncs.js';
import { purgeHandRemovals } from './features/sync/member/hand-removals.js';
import { purgePreviews } from './features/sync/preview/stored-previews.js';
import { endUnconfirmed, purgeResyncs, wakeOpenResyncs } from './features/sync/resync/resync-job.js';
import { catchUpGuilds, oweRegularCatchUps } from './features/sync/resync/resync-schedule.js';
import { purgeSwitches } from './features/sync/resync/switch-service.js';
import { wakeUndos } from './features/sync/resync/switch-undo.js';
import { purgeToldInvitees } from './features/team/told-invitees.js';
import { purgeTokens } from './features/tokens/token-service.js';
import { purgeClaimQuestions } from './features/verification/claim-questions.js';
import { endKilledProofs } from './features/verification/killed-proofs.js';
import { settleTransfers } from './features/verification/transfers.js';
import { purgeVerifications } from './features/verification/verification-store.js';
import { deliverWebhooks } from './features/webhooks/delivery-job.js';
import { purgeDeliveries } from './features/webhooks/delivery-store.js';
import { relayEvents } from './features/webhooks/relay-job.js';
import { clock } from './lib/clock.js';
import { logger } from './lib/logger.js';
import { eachPart } from './lib/patient-work.js';
import { dayMs, hourMs, minuteMs } from './lib/time.js';
import { mendDueTimes } from './platforms/database/due-times.js';
import { purgeLeases } from './platforms/database/lease-store.js';
import { purgeRemoved } from './platforms/events/outbox-relay.js';
import { defineJob } from './platforms/jobs/define-job.js';
import { every, wake, wakeAt } from './platforms/jobs/wake.js';

const nothing = z.strictObject({});

/** Syncs that are owed and due (SPEC §6.2), should this process not be at it by itself. */
const retrySyncs = defineJob({
  name: 'retry-syncs',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => lookForDueSyncs(signal),
});

/**
 * What a killed process had not carried to every guild or told the person or who joined, and links that waited for an
 * account to get older. And the counts of links that began or ended, and changes of rules that were not finished.
 */
const settleAccounts = defineJob({
  name: 'settle-accounts',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    const before = new Date(clock.epochMs() - 30_000);
    await eachPart(
      signal,
      () => settleAccountsLeft(before, signal),
      () => tellOfChangesLeft(before, signal),
      () => linkDueMembers(clock.now(), signal),
      () => sendDueJoinMessages(signal),
      () => countChangedLinks(signal),
      () => completeWholeChanges(signal),
    );
  },
});

/** Whose Roblox account is deleted, banned or back, and what people are called there by now (SPEC §5, §6.10). */
const watchAccounts = defineJob({
  name: 'watch-accounts',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    await eachPart(
      signal,
      () => confirmGoneAccounts(clock.now(), signal),
      () => refreshNames(clock.now(), signal),
    );
  },
});

/** What mappings ask of accounts and nobody knows yet, at the pace that Roblox allows (SPEC §6.12). */
const readTraits = defineJob({
  name: 'read-traits',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => beginDueReadings(clock.now(), signal),
});

/** What has become of the host's Roblox key; while something is wrong or Roblox does not answer, again after ten minutes. */
const checkKey = defineJob({
  name: 'check-game-key',
  data: nothing,
  concurrency: 1,
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

/** What Discord lets servers ask for by Linked Roles; while Discord does not answer, again after ten minutes. */
const registerRoles = defineJob({
  name: 'register-linked-roles',
  data: nothing,
  concurrency: 1,
  async run(): Promise<void> {
    try {
      await registerLinkedRoles();
    } catch (error) {
      await wakeAt(registerRoles, {}, new Date(clock.epochMs() + 10 * minuteMs));
      throw error;
    }
  },
});

/** Verifications that a killed process left between link and completion, and accounts whose owner has not objected. */
const settleVerifications = defineJob({
  name: 'settle-verifications',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    await eachPart(
      signal,
      () => endKilledProofs(signal),
      () => settleTransfers(signal),
    );
  },
});

/** Resyncs whose process was killed, or that waited for a platform, and those that nobody confirms. */
const resumeResyncs = defineJob({
  name: 'resume-resyncs',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    const now = clock.now();
    await eachPart(
      signal,
      () => endUnconfirmed(now),
      () => wakeOpenResyncs(now),
      () => wakeUndos(),
    );
  },
});

/** The daily catch-up of every guild, or a more frequent one by plan and settings (SPEC §4). */
const automaticResyncs = defineJob({
  name: 'automatic-resyncs',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => oweRegularCatchUps(clock.now(), signal),
});

/** Subscriptions whose events were lost, and checkouts of whose payment nobody told (SPEC §4). */
const reconcileBillings = defineJob({
  name: 'reconcile-billing',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => reconcileBilling(clock.now(), signal),
});

/** The message of the bot's first coming, in servers that have not had it. */
const welcomeGuilds = defineJob({
  name: 'welcome-guilds',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => sendDueWelcomes(signal),
});

/** The messages for who joined and is not verified (SPEC §8): woken for, and looked for with the accounts. */
const tellJoiners = defineJob({
  name: 'tell-joiners',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => sendDueJoinMessages(signal),
});

/** The counts of linked members, counted anew. */
const recount = defineJob({
  name: 'recount-links',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => recountLinks(signal),
});

/** Removes what is over: the embedded database has no TTL indexes. */
const purgeExpired = defineJob({
  name: 'purge-expired',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    const now = clock.now();
    await Promise.all([
      purgeAuditLog(allGuildPlans(), now, signal),
      purgeSealedActors(now),
      purgeSessions(now),
      purgeTokens(now),
      purgeLeases(now),
      purgeStrangers(now),
      purgeRateLimits(now),
      purgeKeyedRequests(now),
      purgeVerifications(now),
      purgeClaimQuestions(now),
      purgeToldInvitees(now),
      purgeResyncs(now),
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

/** Runs the messages that somebody waits for as soon as they are stored. Without `welcomes` no guild gets one. */
export function listenForWork({ welcomes }: { welcomes: boolean }): void {
  if (welcomes) {
    onWelcomeOwed(() => {
      wake(welcomeGuilds, {}).catch((err: unknown) => logger.warn({ err }, 'guilds are welcomed later'));
    });
  }
  onJoinMessageOwed(() => {
    wake(tellJoiners, {}).catch((err: unknown) => logger.warn({ err }, 'joiners are told later'));
  });
}

/**
 * Wakes the jobs that always have to look whether there is something to do. What comes to be is woken for at once by who
 * makes it: these looks find what a process left that was killed. Without `welcomes` no guild gets one.
 */
export async function scheduleStandingJobs({ welcomes }: { welcomes: boolean }): Promise<void> {
  // Each process looks for these every 5 s by itself (`watchDueSyncs`).
  await every(retrySyncs, 10 * minuteMs);
  if (welcomes) await every(welcomeGuilds, minuteMs);
  await every(settleAccounts, minuteMs);
  await wake(settleAccounts, {});
  await every(watchAccounts, minuteMs);
  await every(readTraits, minuteMs);
  await every(checkKey, dayMs);
  await every(recount, dayMs);
  await wake(checkKey, {});
  await every(registerRoles, dayMs);
  await wake(registerRoles, {});
  await every(writeLinkedRoles, minuteMs);
  await every(settleVerifications, minuteMs);
  await every(resumeResyncs, 30_000);
  await every(automaticResyncs, 5 * minuteMs);
  await every(relayEvents, minuteMs);
  await every(catchUpGuilds, 30_000);
  await every(erasures, minuteMs);
  await wake(erasures, {});
  await every(reconcileBillings, hourMs);
  await every(purgeExpired, 10 * minuteMs);
  await every(deliverWebhooks, 30_000);
  await wake(deliverWebhooks, {});
  await wakeOpenResyncs(clock.now());
  await wake(relayEvents, {});
}

import { Readable } from 'node:stream';
import { teamsOf } from '../../core/access/teammate-service.js';
import type { Actor } from '../../core/actors/actor.js';
import { entriesOfPerson } from '../../core/audit/audit-list.js';
import { platformLog } from '../../core/audit/audit-model.js';
import { recordAudit } from '../../core/audit/audit-service.js';
import { viewEntry } from '../../core/audit/audit-view.js';
import { sessionsOf } from '../../core/auth/session-service.js';
import { guildsOwnedBy } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { type Account, allAccounts, findOwnAccount } from '../accounts/account-service.js';
import { viewAccount } from '../accounts/account-view.js';
import { refusedImportsOf } from '../accounts/refused-imports.js';
import { storedLinkedRole } from '../linked-roles/linked-role-service.js';
import { viewOwnLinkedRole } from '../linked-roles/linked-role-view.js';
import { membershipsOf } from '../members/member-service.js';
import { importedPairsOf, importsBegunBy } from '../people-import/people-import-service.js';
import { ranksSeenOf } from '../rank-watch/watched-links.js';
import { rankChangesOf } from '../ranking/rank-changes-of-person.js';
import { ownRankChanges } from '../ranking/rank-view.js';
import { stateOf } from '../sync/plan/plan-model.js';
import { resyncsBegunBy } from '../sync/resync/resyncs-of-person.js';
import { ownTokens } from '../tokens/token-view.js';
import { tokensMadeBy } from '../tokens/tokens-of-person.js';
import { claimQuestionsOf, ownClaimQuestions } from '../verification/claim-questions.js';
import { verificationsOf } from '../verification/verification-store.js';
import { ownVerifications } from '../verification/verification-view.js';
import { viewOwnMembership } from './own-membership.js';
import {
  ownImportedPairs,
  ownPeopleImports,
  ownRefusedImports,
  ownSessions,
  ownTeams,
  type PersonExport,
} from './person-export-view.js';

/** An export's fields; lists are read from the database while the stream is read. */
type Sources = {
  [Field in keyof PersonExport]: PersonExport[Field] extends (infer Item)[] ? AsyncIterable<Item> : PersonExport[Field];
};

/**
 * All stored data about a person, as JSON text (`personExportView`). It is read at its reader's speed, so its size
 * doesn't matter. The request is logged first, and so belongs to the export.
 */
export async function exportMe(actor: Actor): Promise<Readable> {
  const target = { kind: 'account', id: actor.id, name: actor.name };
  await recordAudit({ guildId: null, actor, action: 'account.exported', target });
  const [account, connection, accounts] = await Promise.all([
    findOwnAccount(actor.id),
    storedLinkedRole(actor.id),
    allAccounts(actor.id),
  ]);
  const whole = {
    exportedAt: clock.now().toISOString(),
    chatUserId: actor.id,
    account: account && viewOwnAccount(account),
    linkedRoles: connection && viewOwnLinkedRole(connection),
  };
  return Readable.from(jsonOf({ ...whole, ...listsOf(actor.id, accounts) }));
}

const viewOwnAccount = (account: Account) => ({ ...viewAccount(account), ...moreOf(account) });

function moreOf({ gameCreatedAt, guildId, missingSince, goneSince, namesReadAt, traits }: Account) {
  const shown = (at: Date | undefined) => at?.toISOString() ?? null;
  return {
    gameCreatedAt: shown(gameCreatedAt),
    onlyIn: guildId === undefined ? null : [guildId],
    missingSince: shown(missingSince),
    goneSince: shown(goneSince),
    namesReadAt: shown(namesReadAt),
    premium: traits?.premium ?? null,
    premiumReadAt: shown(traits?.premiumReadAt),
    items: (traits?.items ?? []).map(({ readAt, ...item }) => ({ ...item, readAt: readAt.toISOString() })),
  };
}

function listsOf(
  chatUserId: string,
  accounts: readonly Account[],
): Omit<Sources, 'exportedAt' | 'chatUserId' | 'account' | 'linkedRoles'> {
  return {
    accounts: each(Promise.resolve(accounts), (account) => ({
      ...viewOwnAccount(account),
      mainSince: account.mainSince?.toISOString() ?? null,
    })),
    memberships: each(membershipsOf(chatUserId), viewOwnMembership),
    verifications: each(verificationsOf(chatUserId), (session) => ({
      ...ownVerifications.show(session),
      gameUserId: session.game?.gameUserId ?? null,
    })),
    claimQuestions: each(claimQuestionsOf(chatUserId), ownClaimQuestions.show),
    teams: each(teamsOf(chatUserId), ownTeams.show),
    ownedGuilds: each(guildsOwnedBy(chatUserId), ({ _id: guildId, name }) => ({ guildId, name })),
    sessions: each(sessionsOf(chatUserId), ownSessions.show),
    tokens: each(tokensMadeBy(chatUserId), ownTokens.show),
    resyncs: each(resyncsBegunBy(chatUserId), ({ _id: jobId, guildId, createdAt, ...plan }) => ({
      jobId,
      guildId,
      state: stateOf(plan),
      createdAt: createdAt.toISOString(),
    })),
    peopleImports: each(importsBegunBy(chatUserId), (begun) => ({
      ...ownPeopleImports.show(begun),
      importId: begun._id,
      guildId: begun.guildId,
    })),
    importedPairs: each(importedPairsOf(chatUserId), (pair) => ({
      ...ownImportedPairs.show(pair),
      guildId: pair.guildId,
    })),
    refusedImports: each(refusedImportsOf(chatUserId), ownRefusedImports.show),
    ranksSeen: each(ranksSeenOf(chatUserId), ({ seenAt, ...seen }) => ({
      ...seen,
      seenAt: seenAt?.toISOString() ?? null,
    })),
    rankChanges: each(rankChangesOf(chatUserId, accounts), (change) => ({
      ...ownRankChanges.show(change),
      changeId: change._id,
      guildId: change.guildId,
    })),
    auditEntries: each(entriesOfPerson(chatUserId, accounts), (entry) => ({
      guildId: entry.guildId === platformLog ? null : entry.guildId,
      entry: viewEntry(entry),
    })),
  };
}

async function* each<T, View>(
  items: AsyncIterable<T> | Promise<readonly T[]>,
  view: (item: T) => View | Promise<View>,
): AsyncGenerator<View> {
  for await (const item of Symbol.asyncIterator in items ? items : await items) yield await view(item);
}

/** A JSON object with lists that are written as they are read. */
async function* jsonOf(fields: Sources): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    yield `${before}${JSON.stringify(name)}:`;
    if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) yield* arrayOf(value);
    else yield JSON.stringify(value);
    before = ',';
  }
  yield '}';
}

async function* arrayOf(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

import { z } from 'zod';
import { teammateFields } from '../../core/access/teammate-model.js';
import { entryView } from '../../core/audit/audit-view.js';
import { sessionFields } from '../../core/auth/session-service.js';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { accountView } from '../accounts/account-view.js';
import { refusedImportFields } from '../accounts/refused-imports.js';
import { linkedRoleView } from '../linked-roles/linked-role-view.js';
import { importRowFields, peopleImportFields } from '../people-import/people-import-model.js';
import { ownRankChanges } from '../ranking/rank-view.js';
import { resyncState } from '../sync/plan/plan-model.js';
import { ownTokens } from '../tokens/token-view.js';
import { ownClaimQuestions } from '../verification/claim-questions.js';
import { ownVerifications } from '../verification/verification-view.js';
import { ownMembershipView, rankView } from './own-membership.js';

const guildId = z.string();

export const ownTeams = shownFields(teammateFields.omit({ chatUserId: true }));
export const ownSessions = shownFields(sessionFields.omit({ _id: true, chatUserId: true }));

export const ownPeopleImports = shownFields(
  peopleImportFields.pick({ source: true, state: true, total: true, createdAt: true }),
);
export const ownImportedPairs = shownFields(importRowFields.pick({ importId: true, gameUserId: true, problem: true }));
export const ownRefusedImports = shownFields(refusedImportFields);

/** An account in the export for its person. */
const ownAccount = accountView.extend({
  gameCreatedAt: timestamp.nullable(),
  onlyIn: z
    .array(guildId)
    .nullable()
    .describe(
      'The only guild in which it counts, by its word: an import or a code from its game; null: it counts everywhere.',
    ),
  missingSince: timestamp.nullable().describe('Since when Roblox has seemed to have no such account.'),
  goneSince: timestamp.nullable().describe('Since when that is certain.'),
  namesReadAt: timestamp.nullable().describe('When its names were last read.'),
  premium: z.boolean().nullable().describe('Roblox Premium, in servers that ask for it.'),
  premiumReadAt: timestamp.nullable(),
  items: z
    .array(z.strictObject({ item: z.string(), owned: z.boolean().nullable(), readAt: timestamp }))
    .describe('The items read for servers; null: the inventory was private.'),
});

/** All stored data about a person, as GET /api/auth/me/export returns it. */
export const personExportView = z
  .strictObject({
    exportedAt: timestamp,
    chatUserId: z.string(),
    account: ownAccount.nullable().describe('The Roblox account that is linked now: the main one.'),
    accounts: z
      .array(ownAccount.extend({ mainSince: timestamp.nullable() }))
      .describe('All accounts that they have proved, and those that servers gave them by their word.'),
    linkedRoles: linkedRoleView
      .omit({ available: true })
      .nullable()
      .describe('Their connection for Linked Roles on Discord, without its encrypted tokens.'),
    memberships: z.array(ownMembershipView).describe('The data of each server.'),
    verifications: z
      .array(ownVerifications.view.extend({ gameUserId: z.string().nullable() }))
      .describe('Sessions of the last days; older ones are removed.'),
    claimQuestions: z
      .array(ownClaimQuestions.view.extend({ guildId: guildId.nullable() }))
      .describe('Questions about accounts that servers claimed for them, of the last day.'),
    teams: z.array(ownTeams.view),
    ownedGuilds: z.array(z.strictObject({ guildId, name: z.string() })).describe('Servers that they own on Discord.'),
    sessions: z.array(ownSessions.view).describe('Where they are signed in.'),
    tokens: z.array(ownTokens.view).describe('Bot tokens that they made; the tokens themselves are stored nowhere.'),
    resyncs: z
      .array(z.strictObject({ jobId: z.string(), guildId, state: resyncState, createdAt: timestamp }))
      .describe('Resyncs of the last month that they began.'),
    peopleImports: z
      .array(ownPeopleImports.view.extend({ importId: z.string(), guildId }))
      .describe('Imports of people of the last month that they began.'),
    importedPairs: z
      .array(ownImportedPairs.view.extend({ guildId }))
      .describe(
        'Roblox accounts that servers name for them in imports of the last month; `problem`: why it was left out.',
      ),
    refusedImports: z
      .array(ownRefusedImports.view)
      .describe('Roblox accounts that the person has rejected, so that no import gives them.'),
    ranksSeen: z
      .array(
        z.strictObject({
          gameUserId: z.string(),
          ranks: z.array(rankView),
          seenAt: timestamp.nullable(),
        }),
      )
      .describe('Their last known ranks in groups used by their servers.'),
    rankChanges: z
      .array(ownRankChanges.view.extend({ changeId: z.string(), guildId }))
      .describe('Changes of their ranks in Roblox groups, and those that they made, of the last month.'),
    auditEntries: z
      .array(z.strictObject({ guildId: guildId.nullable(), entry: entryView }))
      .describe("Entries of all logs: the person's own actions, then those of others on them."),
  })
  .meta({ id: 'PersonExport' });

export type PersonExport = z.input<typeof personExportView>;

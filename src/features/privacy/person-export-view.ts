import { z } from 'zod';
import { teamRole } from '../../core/actors/team-roles.js';
import { entryView } from '../../core/audit/audit-view.js';
import { verificationMethod } from '../../core/settings/guild-settings.js';
import { timestamp } from '../../lib/fields.js';
import { accountView } from '../members/account-view.js';
import { memberStatus, syncRecordView } from '../members/member-view.js';

const guildId = z.string();

/** All that is stored about a person, as GET /api/auth/me/export hands it to them. */
export const personExportView = z
  .strictObject({
    exportedAt: timestamp,
    chatUserId: z.string(),
    account: accountView.nullable().describe('The Roblox account that is linked now.'),
    memberships: z
      .array(
        z.strictObject({
          guildId,
          chatUsername: z.string(),
          status: memberStatus,
          present: z.boolean().describe('Whether they are in the server.'),
          autoLinkBlocked: z
            .boolean()
            .describe('An admin unlinked them: only a new proof made there links them again.'),
          gameUserId: z.string().nullable(),
          gameUsername: z.string().nullable(),
          gameDisplayName: z.string().nullable(),
          linkedAt: timestamp.nullable(),
          givenNickname: z.string().nullable().describe('The nickname that the bot gave.'),
          syncs: z.array(syncRecordView).describe('The last ten, oldest first.'),
        }),
      )
      .describe('What each server knows.'),
    verifications: z
      .array(
        z.strictObject({
          guildId: guildId.nullable(),
          chatUsername: z.string(),
          method: verificationMethod,
          state: z.enum(['pending', 'completed', 'failed']),
          reason: z.string().nullable(),
          gameUsername: z.string().nullable(),
          gameUserId: z.string().nullable(),
          attempts: z.int(),
          createdAt: timestamp,
          expiresAt: timestamp,
        }),
      )
      .describe('Sessions of the last days; older ones are removed.'),
    teams: z.array(
      z.strictObject({
        guildId,
        role: teamRole,
        state: z.enum(['invited', 'active']),
        invitedBy: z.string(),
        invitedAt: timestamp,
      }),
    ),
    ownedGuilds: z.array(z.strictObject({ guildId, name: z.string() })).describe('Servers that they own on Discord.'),
    sessions: z
      .array(
        z.strictObject({
          username: z.string(),
          avatarUrl: z.string().nullable(),
          managedGuildIds: z.array(z.string()).describe('Servers that they could manage when they signed in.'),
          expiresAt: timestamp,
        }),
      )
      .describe('Where they are signed in.'),
    tokens: z
      .array(
        z.strictObject({
          tokenId: z.string(),
          guildId,
          name: z.string(),
          role: teamRole,
          createdAt: timestamp,
          expiresAt: timestamp,
          lastUsedAt: timestamp.nullable(),
          revokedAt: timestamp.nullable(),
        }),
      )
      .describe('Bot tokens that they made; the tokens themselves are stored nowhere.'),
    resyncs: z
      .array(z.strictObject({ jobId: z.string(), guildId, state: z.string(), createdAt: timestamp }))
      .describe('Resyncs of the last month that they began.'),
    auditEntries: z
      .array(z.strictObject({ guildId: guildId.nullable(), entry: entryView }))
      .describe('Entries of all logs about what they did, and then about what was done to them.'),
  })
  .meta({ id: 'PersonExport' });

export type PersonExport = z.input<typeof personExportView>;

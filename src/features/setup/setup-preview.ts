import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { guildSettings } from '../../core/settings/guild-settings.js';
import { mappingDraft } from '../mappings/mapping-draft.js';
import { previewSync } from '../sync/preview/preview-service.js';
import { previewSummary, previewWarning } from '../sync/preview/preview-summary.js';
import { outcomeOf } from './setup-outcome.js';
import type { Setup } from './setup-service.js';

const { nickname, verification } = guildSettings.shape;

/** A setup's effect when applied, in numbers (DISC-22). */
export const setupPreviewView = z
  .strictObject({
    key: z.string().describe('For POST …/setup/apply, which does exactly this or nothing.'),
    mappings: z
      .array(z.strictObject({ mapping: mappingDraft, roleIds: z.array(z.string()).describe('The roles it gives.') }))
      .describe('The mappings that would be added.'),
    nickname: nickname.nullable().describe('The new nicknames; null: as they are.'),
    methods: verification.shape.methods.nullable().describe('The new methods; null: as they are.'),
    dangerous: z
      .array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) }))
      .describe('The roles among those of the new mappings that are dangerous to give.'),
    summary: previewSummary,
    warnings: z.array(previewWarning),
    isPart: z.boolean().describe('The numbers are of the first members only: the server has more.'),
  })
  .meta({ id: 'SetupPreview' });

/** Works out a setup's effect when applied; writes only the preview itself. Throws as `previewSync` does. */
export async function previewSetup(
  guild: Guild,
  actor: Actor,
  setup: Setup,
): Promise<z.input<typeof setupPreviewView>> {
  const outcome = await outcomeOf(setup, actor);
  const { before, after } = outcome.settings;
  const preview = await previewSync(guild, actor, { mappings: outcome.mappings, settings: after });
  return {
    key: outcome.key,
    mappings: outcome.added.map(({ draft, roleIds }) => ({ mapping: draft, roleIds })),
    nickname: isDeepStrictEqual(before.nickname, after.nickname) ? null : after.nickname,
    methods: isDeepStrictEqual(before.verification.methods, after.verification.methods)
      ? null
      : after.verification.methods,
    dangerous: outcome.dangers,
    summary: preview.summary,
    warnings: preview.warnings,
    isPart: preview.nextCursor !== null,
  };
}

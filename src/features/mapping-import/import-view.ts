import { z } from 'zod';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { mappingDraft } from '../mappings/mapping-draft.js';
import { lineRemark } from './import-proposal.js';

/** The bots, and the list, with texts that can be imported. */
export const importFormat = z.enum(['csv', 'bloxlink', 'rover', 'rowifi']);
export type ImportFormat = z.output<typeof importFormat>;

/** An import's input: mappings as the API has them, or a text in one of the forms that docs/api.md describes. */
export const importBody = z.union([
  z.strictObject({
    mappings: z.array(mappingDraft).min(1).max(1000),
    addGroups: z.boolean().default(false),
    dryRun: z.boolean().default(true),
  }),
  z.strictObject({
    format: importFormat.describe(
      'csv: with a header line. bloxlink: the text of /viewbinds. rover: of !bindings, or its JSON. rowifi: of /rankbinds, /groupbinds and /assetbinds.',
    ),
    text: z.string().min(1),
    addGroups: z.boolean().default(false).describe('Attach the Roblox groups that are named and not attached yet.'),
    dryRun: z.boolean().default(true).describe('Only returns the effect, without the import.'),
  }),
]);
export type ImportWish = z.output<typeof importBody>;

const { line } = lineRemark.shape;

/** The effect of an import or its dry run. Every line is in one of the lists. */
export const importView = z
  .strictObject({
    dryRun: z.boolean(),
    created: z
      .array(z.strictObject({ line, mappingId: z.string().nullable(), mapping: mappingDraft }))
      .describe('New mappings; a dry run has no ids for them.'),
    skipped: z
      .array(z.strictObject({ line, mappingId: z.string().nullable() }))
      .describe('The same rule is there already: by `mappingId`, or null for a line above.'),
    refused: z.array(lineRemark).describe('Lines that no mapping can be made of, and why; the others are not held up.'),
    notes: z.array(lineRemark).describe('The parts left out of accepted lines.'),
    addedGroups: z.array(z.string()).describe('Roblox groups that are attached on the way.'),
    newGroups: z
      .array(
        z.strictObject({
          groupId: z.string(),
          name: z.string(),
          roles: z.array(gameRole).describe('The roles that new mappings name.'),
        }),
      )
      .describe('The names of these groups.'),
    rolesAbove: z
      .array(z.string())
      .describe(
        'Roles above the bot of new mappings: only an observing server takes them, and it goes live once they are below.',
      ),
    observing: z.boolean().describe('Whether the server only observes: then mappings change no member.'),
    otherBots: z.array(z.strictObject({ name: z.string() })).describe('Other bots that may give roles.'),
    limits: z.strictObject({
      mappings: z.strictObject({
        used: z.int(),
        adding: z.int().describe('The number of new mappings.'),
        limit: z.int(),
      }),
      fits: z.boolean().describe('Whether the plan has room for all of it; without, nothing is imported.'),
    }),
  })
  .meta({ id: 'MappingImport' });
export type MappingImport = z.input<typeof importView>;

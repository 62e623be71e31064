import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { BesideOtherBots } from '../../core/settings/beside-other-bots.js';
import { differences } from '../../core/settings/settings-change.js';
import { AppError } from '../../lib/errors.js';
import { withLocale } from '../../lib/translate.js';
import { otherBots } from '../../platforms/discord/other-bots.js';
import { describeCondition } from '../mappings/describe-condition.js';
import { draftOf, type MappingDraft } from '../mappings/mapping-draft.js';
import { rolesAboveBot } from '../mappings/mapping-rules.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { previewSync } from '../sync/preview/preview-service.js';
import { currentConfig } from './config-document.js';
import type { ConfigPlan } from './config-service.js';

/** The changes that a document makes, and how many people they affect. */
export const configResult = z
  .strictObject({
    dryRun: z.boolean(),
    changes: z.array(
      z.strictObject({
        change: z.enum(['+', '~', '-']),
        kind: z.enum(['group', 'mapping', 'setting']),
        what: z.string().describe('The group, mapping or setting in words; for a changed one, before → after.'),
      }),
    ),
    people: z
      .strictObject({
        checked: z.int(),
        changed: z.int(),
        isWhole: z.boolean().describe('Whether all members were checked.'),
      })
      .nullable()
      .describe("In a dry run, the number of people that would change; null if a preview can't find it."),
    rolesAbove: z
      .array(z.string())
      .describe('Roles above the bot of new and changed mappings: only an observing server takes them.'),
    observing: z.boolean().describe('Whether the server then only observes, so that nobody is changed.'),
    otherBots: z.array(z.strictObject({ name: z.string() })).describe('Other bots that may give roles.'),
    config: currentConfig.describe('The configuration as it is now.'),
  })
  .meta({ id: 'ConfigResult' });
type ConfigChange = z.input<typeof configResult>['changes'][number];

/** A plan's changes, in words, in English: groups, then mappings, then settings. Pure. */
export function changesOf({ snapshot, settings, groups, mappings }: ConfigPlan): ConfigChange[] {
  const names = [...snapshot.groups, ...groups.added];
  const say = (mapping: Mapping | MappingDraft): string => {
    const { name, condition, roleIds, nickname, removeWhenUnmatched, enabled } = draftOf(mapping);
    const roles = roleIds.map((roleId) => snapshot.facts.roles.get(roleId)?.name ?? roleId);
    const words = withLocale('en', () => describeCondition(condition, names));
    const naming = nickname === null ? [] : [`nickname ${nickname.template} (order ${nickname.order})`];
    const rest = [...naming, ...(removeWhenUnmatched ? [] : ['never removed']), ...(enabled ? [] : ['turned off'])];
    const given = roles.length === 0 ? '' : ` → ${roles.join(', ')}`;
    return [`${name === null ? '' : `${name}: `}${words}${given}`, ...rest].join(', ');
  };
  return [
    ...groups.added.map(({ name, groupId }) => ({
      change: '+' as const,
      kind: 'group' as const,
      what: `${name} (${groupId})`,
    })),
    ...groups.removed.map(({ name, groupId }) => ({
      change: '-' as const,
      kind: 'group' as const,
      what: `${name} (${groupId})`,
    })),
    ...mappings.created.map((draft) => ({ change: '+' as const, kind: 'mapping' as const, what: say(draft) })),
    ...mappings.updated.map(({ before, draft }) => {
      return { change: '~' as const, kind: 'mapping' as const, what: `${say(before)} ⇒ ${say(draft)}` };
    }),
    ...mappings.removed.map((mapping) => ({ change: '-' as const, kind: 'mapping' as const, what: say(mapping) })),
    ...Object.entries(differences(settings.before, settings.after)).map(([path, { from, to }]) => {
      const what = `${path}: ${JSON.stringify(from)} ⇒ ${JSON.stringify(to)}`;
      return { change: '~' as const, kind: 'setting' as const, what };
    }),
  ];
}

/** The roles above the bot in the mappings that a plan writes (CONF-62). Pure. */
export const rolesAboveOf = ({ snapshot, mappings }: ConfigPlan): string[] =>
  rolesAboveBot(
    snapshot.facts,
    [...mappings.created, ...mappings.updated.map(({ draft }) => draft)].flatMap(({ roleIds }) => roleIds),
  );

/** Whether the server observes after a plan, and the other bots that may give roles there (CONF-61). Pure. */
export const besideOtherBotsOf = ({ settings, snapshot }: ConfigPlan): BesideOtherBots => ({
  observing: settings.after.mode === 'observe',
  otherBots: otherBots(snapshot.facts).map((name) => ({ name })),
});

/**
 * How many people a plan affects, by previewing its drafts; in a large guild the preview covers the first part. Null
 * for groups that are not attached yet, and if the preview is refused. Throws ChatPlatformUnavailable and
 * GamePlatformUnavailable.
 */
export async function peopleChangedBy(guild: Guild, actor: Actor, plan: ConfigPlan) {
  const { outcome, settings, groups } = plan;
  if (changesOf(plan).length === 0) return { checked: 0, changed: 0, isWhole: true };
  if (groups.added.length > 0) return null;
  try {
    const wish = { mappings: outcome.map(draftOf), settings: settings.after };
    const { summary, nextCursor } = await previewSync(guild, actor, wish);
    return { checked: summary.checked, changed: summary.changed, isWhole: nextCursor === null };
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unavailable') return null;
    throw error;
  }
}

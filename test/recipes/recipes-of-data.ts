import {
  add,
  bot,
  english,
  everywhere,
  generated,
  hasEveryText,
  pages,
  type Recipe,
  recorded,
  translated,
  write,
} from './recipe.js';

const actions = 'src/core/audit/audit-actions.ts';
const waveEntry = { 'log.guild.waved': '{actor} waved at everyone' };
const auditText: Recipe = {
  thing: 'an audit text',
  given(copy) {
    copy.write(
      'src/features/members/wave-service.ts',
      `import type { Actor } from '../../core/actors/actor.js';
import { recordAudit } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { Waves } from './wave-model.js';

/** Stores a wave of the actor. */
export async function wave(guildId: string, actor: Actor): Promise<void> {
  const at = new Date(clock.now());
  await Waves.insert({ guildId, chatUserId: actor.id, at });
  const target = { kind: 'guild', id: guildId };
  await recordAudit({ guildId, actor, action: 'guild.waved', target, changes: { loudness: { from: 1, to: 2 } } });
}
`,
    );
    copy.write(
      'routes/waves/end.ts',
      `import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { wave } from '../../src/features/members/wave-service.js';

export const EndWaves = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/waves',
  summary: 'End the waving',
  access: guildRole('manager'),
  answers: { 204: null },
  async handle({ guild, actor }) {
    await wave(guild._id, actor);
    return noContent();
  },
});
`,
    );
    copy.add(actions, 'auditActions = {', "\n  'guild.waved': 'Somebody waved at everyone',");
  },
  first: {},
  compiled: {
    [`${bot}/en.json`]: { step: english(bot, waveEntry), blames: 'src/features/log-channel/log-channel-text.ts' },
    [pages]: { step: everywhere(pages, waveEntry), blames: 'src/dashboard/guild/log-words.ts' },
  },
  tested: {
    [bot]: { step: translated(bot, waveEntry), test: hasEveryText },
    'log_field.<path>': {
      step: everywhere(pages, { 'log_field.loudness': 'Loudness' }),
      test: 'Every changed field of an entry has a name on the page of the log',
    },
  },
  else: ['test/core/audit/every-change.test.ts'],
};

const events = 'src/platforms/events/event-types.ts';
const namesEvents = 'The papers name exactly the events that are sent';
const event: Recipe = {
  thing: 'an event',
  first: {
    [events](copy) {
      copy.add(events, 'eventData = {', "\n  'member.waved': z.strictObject({ chatUserId, loud: z.boolean() }),");
      copy.add(events, 'Record<EventName, string>> = {', "\n  'member.waved': 'A member waved',");
    },
  },
  compiled: {
    'src/features/webhooks/test-event.ts': {
      step: add(
        'src/features/webhooks/test-event.ts',
        'EventData<Name> } = {',
        "\n  'member.waved': { chatUserId, loud: true },",
      ),
    },
    'test/features/events/event-fields.test.ts': {
      step: add(
        'test/features/events/event-fields.test.ts',
        'readonly string[]> = {',
        "\n  'member.waved': ['chatUserId', 'loud'],",
      ),
    },
    'src/dashboard/pages/webhooks/webhook-words.ts': {
      step: add('src/dashboard/pages/webhooks/webhook-words.ts', 'true>> = {', "\n  'member.waved': true,"),
    },
    [pages]: {
      step: everywhere(pages, { 'event.member.waved': 'Somebody waves' }),
      blames: 'src/dashboard/pages/webhooks/webhook-form.tsx',
    },
  },
  tested: {
    'npm run generate': { test: generated },
    'docs/spec/webhooks.md': {
      step: add('docs/spec/webhooks.md', '|---|---|', '\n| `member.waved` | `chatUserId`, `loud` |'),
      test: namesEvents,
    },
    'docs/webhooks.md': {
      step: add('docs/webhooks.md', '|---|---|', '\n| `member.waved` | A member waved. |'),
      test: namesEvents,
    },
  },
  else: ['test/features/events/listening.ts'],
};

const memberField: Recipe = {
  thing: 'a member field',
  first: {
    'src/features/members/member-model.ts': add(
      'src/features/members/member-model.ts',
      'memberFields = z.strictObject({',
      '\n  /** When they waved last. */\n  wavedAt: z.date().exactOptional(),',
    ),
  },
  tested: { 'npm run generate': { test: generated }, 'npm run examples': { test: recorded } },
  else: ['src/features/privacy/own-membership.ts', 'src/features/sync/plan/member-state.ts'],
};

const coverage = 'test/features/privacy/export-coverage.test.ts';
const collection: Recipe = {
  thing: 'a collection',
  given: write(
    'src/features/members/wave-model.ts',
    `import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

const waveFields = z.strictObject({ guildId: z.string(), chatUserId: z.string(), at: z.date() });
type Wave = z.output<typeof waveFields>;

const schema = schemaOf<Wave>('waves', waveFields);
// The waves of a person in a guild.
schema.index({ guildId: 1, chatUserId: 1 });

export const Waves = new GuildModel<Wave>('Wave', schema);
`,
  ),
  first: {},
  tested: {
    [coverage]: {
      step: add(coverage, 'leftOut: Record<string, string> = {', "\n  waves: 'kept for the moment of a wave',"),
      test: 'Every stored collection is in the export of a person, or is left out for a reason',
    },
    'test/structure/stored-size.test.ts': {
      step: (copy) => {
        const path = 'test/structure/stored-size.test.ts';
        copy.write(
          path,
          copy
            .read(path)
            .replace(
              / (collections|indexes): (\d+)/g,
              (_, of, n) => ` ${of}: ${Number(n) + (of === 'collections' ? 1 : 2)}`,
            ),
        );
      },
      test: 'The service has as many collections and indexes as are written here',
    },
  },
  else: ['src/platforms/database/guild-model.ts', 'src/standing-jobs.ts', 'src/features/privacy/erasure.ts'],
};

const conditions = 'src/features/mappings/condition.ts';
const hat = '\n  wears_hat: [],';
const condition: Recipe = {
  thing: 'a condition',
  first: {
    [conditions]: add(
      conditions,
      "z.literal('premium') }).meta({ id: 'PremiumCondition' }),",
      "\n    z.strictObject({ type: z.literal('wears_hat') }).meta({ id: 'HatCondition' }),",
    ),
  },
  compiled: {
    [conditions]: {
      step(copy) {
        copy.add(conditions, "switch (wanted.type) {\n    case 'verified':", "\n    case 'wears_hat':");
        copy.add(conditions, 'const subjectOf = {', "\n  wears_hat: 'link',");
      },
    },
    'src/features/mappings/describe-condition.ts': {
      step: add('src/features/mappings/describe-condition.ts', 'switch (condition.type) {', "\n    case 'wears_hat':"),
    },
    'src/edges/interactions/commands/command-mapping-options.ts': {
      step: add('src/edges/interactions/commands/command-mapping-options.ts', 'choicesOf = {', hat),
    },
    'src/features/mapping-import/import-csv.ts': {
      step: add('src/features/mapping-import/import-csv.ts', 'wordsOf = {', hat),
    },
    'test/features/sync/member-planner.test.ts': {
      step: add(
        'test/features/sync/member-planner.test.ts',
        'fc.Arbitrary<Condition & { type: Type }>;\n} = {',
        "\n  wears_hat: fc.constant({ type: 'wears_hat' }),",
      ),
    },
    'test/features/mappings/every-condition.test.ts': {
      step: add(
        'test/features/mappings/every-condition.test.ts',
        'Outcomes<Type> } = {',
        "\n  wears_hat: { wanted: { type: 'wears_hat' }, met: facts(), unmet: unlinked, unknown: ourLink },",
      ),
    },
    'test/model/guild-steps.ts': {
      step: add(
        'test/model/guild-steps.ts',
        "'group_role'>, Condition[]> = {",
        "\n    wears_hat: [{ type: 'wears_hat' }],",
      ),
    },
    'test/model/oracle.ts': {
      step: add(
        'test/model/oracle.ts',
        'known: Known): boolean | null {',
        "\n  if (wanted.type === 'wears_hat') return known.game !== undefined;",
      ),
    },
    'src/dashboard/guild/condition-words.ts': {
      step: add(
        'src/dashboard/guild/condition-words.ts',
        'switch (condition.type) {',
        "\n    case 'wears_hat':\n      return t('condition.verified');",
      ),
    },
    'src/dashboard/pages/mappings/condition-draft.ts': {
      step: add(
        'src/dashboard/pages/mappings/condition-draft.ts',
        'Offer<K> } = {',
        "\n  wears_hat: { fits: anywhere, start: () => ({ type: 'wears_hat' }), isComplete: () => true },",
      ),
    },
    [pages]: {
      step: everywhere(pages, { 'kind.wears_hat': 'wears a hat' }),
      blames: 'src/dashboard/pages/mappings/condition-editor.tsx',
    },
  },
  tested: { 'npm run generate': { test: generated }, 'npm run examples': { test: recorded } },
  else: [
    ...['src/dashboard/pages/mappings/condition-editor.tsx', 'src/features/sync/plan/seen-member.ts'],
    ...['src/platforms/discord/discord-answers.ts', 'src/platforms/discord/guild-members.ts'],
    ...['test/features/mappings/every-condition.test.ts', 'test/features/sync/member-planner.test.ts'],
    'test/features/sync/seen-member.test.ts',
  ],
};

const settings = 'src/core/settings/guild-settings.ts';
const named = { 'log_field.greetsLoudly': 'Greets loudly', 'option.set.greets_loudly': 'Whether it shouts' };
const options = 'src/edges/interactions/commands/command-settings-options.ts';
const answer = 'src/edges/interactions/replies/reply-settings.ts';
const fields = 'src/dashboard/pages/settings/settings-fields.tsx';
const others = 'test/core/settings/other-settings.ts';
const papers = 'The papers name every setting, and exactly those that a document may leave out';
const setting: Recipe = {
  thing: 'a setting',
  first: {
    [settings](copy) {
      copy.add(settings, '  .strictObject({', "\n    greetsLoudly: z.boolean().describe('Whether it shouts.'),");
      copy.add(settings, 'defaultSettings: GuildSettings = {', '\n  greetsLoudly: false,');
    },
  },
  compiled: { [others]: { step: add(others, "\n  mode: 'observe',", '\n  greetsLoudly: true,') } },
  tested: {
    [options]: {
      step: add(options, "    accounts: 'accounts',", "\n    greets_loudly: 'greetsLoudly',"),
      test: 'Every setting has an option of a subcommand of /settings',
    },
    [answer]: {
      step: add(
        answer,
        'const lines = [',
        "\n    t('settings.link_on_join', { state: onOrOff(settings.greetsLoudly) }),",
      ),
      test: 'Every setting changes the answer of /settings view',
    },
    'src/dashboard/pages/settings': {
      step: add(
        fields,
        '    <>',
        `
      <Switch
        label={t('setting.greetsLoudly')}
        checked={draft.greetsLoudly}
        onChange={(event) => onChange({ ...draft, greetsLoudly: event.currentTarget.checked })}
      />`,
      ),
      test: 'Every setting has a field on the settings page of the dashboard',
    },
    [bot]: { step: everywhere(bot, named), test: 'The log channel has words for every setting' },
    [pages]: {
      step: everywhere(pages, { 'setting.greetsLoudly': 'Greets loudly' }),
      test: 'Every setting has a name on the pages of the dashboard',
    },
    'docs/spec/settings.md': {
      step(copy) {
        copy.add('docs/spec/settings.md', 'A document without ', '`greetsLoudly`, ');
        copy.add('docs/spec/settings.md', '|---|---|---|', '\n| `greetsLoudly` | off | greets loudly |');
      },
      test: papers,
    },
    'docs/api.md': { step: add('docs/api.md', 'a missing one. Only ', '`greetsLoudly`, '), test: papers },
    'npm run generate': { test: generated },
    'npm run examples': { test: recorded },
  },
  else: [
    ...['log_field.<path>', 'setting.<path>', 'src/edges/interactions/commands/command-join-message.ts'],
    ...['test/core/settings/setting-doors.test.ts', 'test/core/settings/every-setting.test.ts'],
    'test/commands/settings.test.ts',
  ],
};

/** The recipes for things that are stored or told. */
export const recipesOfData = [auditText, event, memberField, collection, condition, setting];

import type { Copy } from './copy.js';
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

const waveWords = { 'command.wave': 'Wave at everyone', 'wave.done': 'You waved.' };
const command: Recipe = {
  thing: 'a command',
  first: {
    commands: write(
      'commands/wave.ts',
      `import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { t } from '../src/lib/translate.js';

export const WaveCommand = guildCommand('wave', { as: 'member', run: async () => note('fine', t('wave.done')) });
`,
    ),
  },
  compiled: { [`${bot}/en.json`]: { step: english(bot, waveWords), blames: 'commands/wave.ts' } },
  tested: { [bot]: { step: translated(bot, waveWords), test: hasEveryText } },
};

const button: Recipe = {
  thing: 'a button or form',
  first: {
    listeners: write(
      'listeners/press-wave.ts',
      `import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { t } from '../src/lib/translate.js';

/** "Wave back", under a wave. */
export const PressWave = button('wave', { as: 'member' }, async () => note('fine', t('wave.done')));
`,
    ),
  },
  compiled: {
    'src/edges/interactions/component-id.ts': {
      step: add('src/edges/interactions/component-id.ts', "  'left-out',", "\n  'wave',"),
      blames: 'listeners/press-wave.ts',
    },
  },
};

const walk = 'test/edges/http/walk-setup.ts';
const route: Recipe = {
  thing: 'a route',
  first: {
    routes: write(
      'routes/waves/send.ts',
      `import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { wave } from '../../src/features/members/wave-service.js';

export const SendWave = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/waves',
  summary: 'Wave at everyone',
  access: guildRole('manager'),
  input: { body: z.strictObject({ loud: z.boolean().describe('Whether all hear it.') }).meta({ id: 'Wave' }) },
  answers: { 200: z.strictObject({ heard: z.boolean() }) },
  async handle({ guild, actor, body }) {
    await wave(guild._id, actor);
    return ok({ heard: body.loud });
  },
});
`,
    ),
  },
  tested: {
    [walk]: {
      step: add(walk, '    bodies: {', "\n      'POST /api/guilds/:guildId/waves': { loud: true },"),
      test: 'Every route that changes something leaves an entry of its actor and request',
    },
    'npm run generate': { test: generated },
    'npm run examples': { test: recorded },
  },
};

const readers = 'src/features/mapping-import';
const fromWaver = { 'import.from_waver': 'Waver: the text of !waves' };
const importFormat: Recipe = {
  thing: 'an import format',
  first: {
    [`${readers}/import-view.ts`]: add(`${readers}/import-view.ts`, "importFormat = z.enum(['csv', ", "'waver', "),
  },
  compiled: {
    [`${readers}/import-text.ts`]: {
      step: add(
        `${readers}/import-text.ts`,
        '  csv: { read: parseCsv },',
        "\n  waver: { read: parseCsv, bot: 'Waver' },",
      ),
    },
    [`${bot}/en.json`]: { step: english(bot, fromWaver), blames: 'src/edges/interactions/commands/command-import.ts' },
    'src/dashboard/pages/mapping-import/mapping-import-page.tsx': {
      step: add('src/dashboard/pages/mapping-import/mapping-import-page.tsx', 'true>> = {', ' waver: true,'),
    },
    [pages]: {
      step: everywhere(pages, { 'mapping_import.from_waver': 'Waver: the text of !waves' }),
      blames: 'src/dashboard/pages/mapping-import/mapping-import-page.tsx',
    },
  },
  tested: { [bot]: { step: translated(bot, fromWaver), test: hasEveryText }, 'npm run generate': { test: generated } },
};

const shapes = 'src/dashboard/frame/page-shapes.ts';
const menu = 'src/dashboard/frame/navigation.ts';
const table = 'src/dashboard/route-table.ts';
const inPlace = 'Every page is in the route table, in the menu of its server, and in the tests of the browser';
const page: Recipe = {
  thing: 'a page of the dashboard',
  first: {
    'src/dashboard/pages': write(
      'src/dashboard/pages/waves/waves-page.tsx',
      `import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';

/** The waves of a server. */
export function WavesPage() {
  const { t } = useWords();
  return <Page title={t('nav.waves')}>{t('waves.none')}</Page>;
}
`,
    ),
  },
  compiled: {
    [pages]: {
      step: everywhere(pages, { 'nav.waves': 'Waves', 'waves.none': 'Nobody waves.' }),
      blames: 'src/dashboard/pages/waves/waves-page.tsx',
    },
  },
  tested: {
    [table]: {
      step(copy) {
        copy.add(
          table,
          '  component: GuildFrame,\n});\n',
          `
const waves = createRoute({
  getParentRoute: () => guild,
  path: 'waves',
  ...page('waves', () => import('./pages/waves/waves-page.js'), 'WavesPage'),
});
`,
        );
        copy.add(table, 'const teamPages = [', 'waves, ');
      },
      test: inPlace,
    },
    [shapes]: {
      step: add(shapes, 'pageShapes = {', "\n  waves: { title: 'nav.waves', parts: [['lines', 1]] },"),
      test: inPlace,
    },
    [menu]: {
      step: add(menu, "icon: 'list' },", "\n      { to: '/g/$guildId/waves', name: 'nav.waves', icon: 'people' },"),
      test: inPlace,
    },
    'test/web/matrix.test.ts': {
      step: add('test/web/matrix.test.ts', "  landing: '/',", "\n  waves: '/g/:guild/waves',"),
      test: inPlace,
    },
  },
};

const languages = 'src/dashboard/i18n/words.ts';
const findings = 'src/dashboard/pages/doctor/finding-texts.ts';
const language: Recipe = {
  thing: 'a language',
  // Without these two the service does not start.
  given(copy) {
    for (const file of ['nl.json', 'nl-refusals.json']) dutch(copy, `${bot}/${file}`);
  },
  first: { 'src/lib/translate.ts': add('src/lib/translate.ts', "'pl', 'tr'", ", 'nl'") },
  compiled: {
    'src/edges/interactions/discord-locales.ts': {
      step: add('src/edges/interactions/discord-locales.ts', '  de: [OfDiscord.German],', '\n  nl: [OfDiscord.Dutch],'),
    },
    [languages]: {
      step(copy) {
        copy.add(languages, "  de: 'Deutsch',", "\n  nl: 'Nederlands',");
        const own = "Promise.all([import('../locales/nl.json'), import('../../locales/nl-refusals.json')])";
        copy.add(languages, '{ default: Refusals }]>>> = {', `\n  nl: () => ${own},`);
        const late = ['me', 'moving', 'ranking'].map(
          (subject) => `${subject}: () => import('../locales/${subject}/nl.json')`,
        );
        copy.add(languages, '{ default: LateTexts[Name] }> }>> =\n  {', `\n    nl: { ${late.join(', ')} },`);
      },
    },
    [findings]: {
      step: add(findings, '{ default: Texts }>>> = {', "\n  nl: () => import('../../locales/doctor/nl.json'),"),
    },
  },
  tested: {
    [pages]: {
      step(copy) {
        for (const file of ['nl.json', 'doctor/nl.json', 'me/nl.json', 'moving/nl.json', 'ranking/nl.json'])
          dutch(copy, `${pages}/${file}`);
      },
      test: 'The dashboard’s nl has every word, with its placeholders and the plural forms of the language',
    },
    [bot]: {
      step: (copy) => copy.write(`${bot}/nl-privacy.md`, copy.read(`${bot}/de-privacy.md`)),
      test: 'The privacy text in nl has the same headings, lists and tables',
    },
    'npm run generate': { test: generated },
  },
};

/** Writes a file in a language that is German, but for words that German has from English. */
function dutch(copy: Copy, path: string): void {
  const german = JSON.parse(copy.read(path.replace('nl', 'de'))) as Record<string, string>;
  const inEnglish = path.includes('refusals')
    ? {}
    : (JSON.parse(copy.read(path.replace('nl', 'en'))) as Record<string, string>);
  const texts = Object.entries(german).map(([key, text]) => [key, inEnglish[key] === text ? `${text}.` : text]);
  copy.write(path, JSON.stringify(Object.fromEntries(texts), null, 2));
}

/** The recipes for things that people or programs use. */
export const recipesOfEdges = [command, button, route, importFormat, page, language];

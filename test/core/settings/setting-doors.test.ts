import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { ApplicationCommandOptionType } from 'discord.js';
import { defaultSettings, type GuildSettings, wishedSettings } from '../../../src/core/settings/guild-settings.js';
import { optionOfSetting } from '../../../src/edges/interactions/commands/command-settings-options.js';
import { settingsReply } from '../../../src/edges/interactions/replies/reply-settings.js';
import { buildGroupGuild } from '../../features/sync/sync-setup.js';
import { root } from '../../structure/source-files.js';
import { everythingElse, settingPaths, withValueOf } from './other-settings.js';

/** Options of `/settings` outside of `command-settings-options.ts`: these subcommands ask for more than a value. */
const ownOptions: Readonly<Record<string, string>> = {
  mode: 'mode mode',
  'joinMessage.to': 'join to',
  'joinMessage.channelId': 'join channel',
  'joinMessage.text': 'join text',
  waitForRules: 'join wait_for_rules',
};

/** Settings with a field of another name on the page, and the reason. */
const ownFields: Readonly<Record<string, string>> = {
  accounts: 'is a switch by its value: accounts.main',
};

/** Every `/settings` subcommand with each of its options, such as `join text`. */
async function registeredOptions(): Promise<string[]> {
  const registered = await container.client.application?.commands.fetch();
  const command = registered?.find(({ name }) => name === 'settings');
  return (command?.options ?? []).flatMap((part) =>
    part.type === ApplicationCommandOptionType.Subcommand
      ? (part.options ?? []).map(({ name }) => `${part.name} ${name}`)
      : [],
  );
}

const pageFolder = join(root, 'src/dashboard/pages/settings');
const fieldSources = readdirSync(pageFolder)
  .filter((name) => name.endsWith('fields.tsx'))
  .map((name) => readFileSync(join(pageFolder, name), 'utf8'));

/** Whether a file of the page names the field of a setting, or those of its section and the setting among them. */
function hasField(path: string): boolean {
  const [section, field] = path.split('.');
  return fieldSources.some(
    (source) =>
      source.includes(`t('setting.${path}')`) ||
      (field !== undefined && source.includes(`t(\`setting.${section}.\${name}\`)`) && source.includes(`'${field}'`)),
  );
}

/** The names in backticks of a sentence within a paper. */
function namesIn(paper: string, sentence: RegExp): string[] {
  const [, text = ''] = sentence.exec(readFileSync(join(root, paper), 'utf8')) ?? [];
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}

/** The settings with a row in the papers; `.text` after a path names another field of its section. */
function settingsInTable(): string[] {
  const [, table = ''] = readFileSync(join(root, 'docs/spec/settings.md'), 'utf8').split('| setting |');
  return [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) => {
    const [first = '', ...others] = names.replaceAll('`', '').split(', ');
    return [first, ...others.map((name) => first.split('.')[0] + name)];
  });
}

describe('The doors of every setting', () => {
  it('Every setting has an option of a subcommand of /settings', async () => {
    const options = await registeredOptions();
    const isOption = (path: string) => {
      const own = ownOptions[path];
      const name = optionOfSetting(path);
      return own === undefined ? options.some((option) => option.split(' ')[1] === name) : options.includes(own);
    };
    expect(settingPaths.filter((path) => !isOption(path))).to.deep.equal([]);
    expect(Object.keys(ownOptions).filter((path) => optionOfSetting(path) !== undefined)).to.deep.equal([]);
  });

  it('Every setting changes the answer of /settings view', async () => {
    const { guild } = await buildGroupGuild();
    const other: GuildSettings = {
      ...everythingElse('42'),
      bypass: { keepRoles: ['7'], keepNickname: ['8'] },
      restrictions: { ...everythingElse('42').restrictions, requiredGroupIds: ['1'], deniedGroupIds: ['2'] },
    };
    const shown = (settings: GuildSettings) =>
      JSON.stringify(settingsReply({ ...guild, plan: 'enterprise' }, settings));
    const isShown = (path: string) =>
      shown(withValueOf(defaultSettings, path, other)) !== shown(defaultSettings) ||
      shown(withValueOf(other, path, defaultSettings)) !== shown(other);
    expect(settingPaths.filter((path) => !isShown(path))).to.deep.equal([]);
  });

  it('Every setting has a field on the settings page of the dashboard', () => {
    expect(settingPaths.filter((path) => !hasField(path))).to.have.members(Object.keys(ownFields));
    const switches = fieldSources.join('');
    for (const reason of Object.values(ownFields)) expect(switches).to.contain(`t('${reason.split(': ')[1]}')`);
  });

  it('Every setting has a name on the pages of the dashboard', () => {
    const words: unknown = JSON.parse(readFileSync(join(root, 'src/dashboard/locales/en.json'), 'utf8'));
    expect(words).to.include.keys(settingPaths.map((path) => `setting.${path}`));
  });

  // SET-9
  it('The papers name every setting, and exactly those that a document may leave out', () => {
    expect(settingsInTable()).to.have.members(settingPaths);
    const optional = Object.entries(wishedSettings.shape).flatMap(([name, field]) =>
      field.safeParse(undefined).success ? name : [],
    );
    expect(optional).to.include('accounts');
    expect(namesIn('docs/spec/settings.md', /\*\*SET-9\*\* ([^\n]*)/)).to.have.members(optional);
    expect(namesIn('docs/api.md', /Only ([^\n]*?) may be left out/)).to.have.members(optional);
  });
});

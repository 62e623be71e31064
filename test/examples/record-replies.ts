import { writeFile } from 'node:fs/promises';
import { PermissionFlagsBits } from 'discord.js';
import { stringify } from 'yaml';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { sendDueJoinMessages } from '../../src/edges/interactions/join-message.js';
import { sendDueWelcomes } from '../../src/edges/interactions/welcome.js';
import { readConfig } from '../../src/features/configuration/config-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { openResync } from '../../src/features/sync/resync/resync-service.js';
import { phraseIn } from '../commands/private-answer.js';
import { endOfImport } from '../features/people-import/import-setup.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { api } from '../support/api.js';
import { withPromptSyncs } from '../support/background.js';
import { eventually, knownGuild, tokenFor } from '../support/build.js';
import { world } from '../support/world.js';
import { observed } from './observed-replies.js';
import { listHeading, listOfSilent, repliesFile } from './reply-texts.js';
import { nameAll, Transcript } from './transcript.js';
import { secondAccount } from './use-replies.js';

// `npm run examples`: plays what people do in Discord, against the sandbox, and writes every answer as they read it into
// test/fixtures/replies.md. test/examples/replies.test.ts holds that page against the texts.

const head = `# What Rolelink says

The texts that people read in Discord, in English, recorded from a test run by \`npm run examples\`. 🟩 fine, 🟨 something to look at, 🟥
trouble, 🟦 neither, ⬜ no embed; buttons stand in brackets.

`;

type Options = Record<string, string | number | boolean>;

/** A server, its owner, a member without a verification, and their actions. */
async function openStage() {
  const { discord, roblox } = await world();
  const transcript = new Transcript();
  const olga = discord.addUser({ username: 'Olga' }).id;
  const [max, ben] = [discord.addUser({ username: 'Max' }).id, discord.addUser({ username: 'Ben' }).id];
  const { id: guildId } = discord.addGuild({ name: 'Star Fleet', ownerId: olga });
  await sendDueWelcomes(new AbortController().signal);
  const guild = await knownGuild(guildId);
  for (const id of [max, ben]) discord.join(guildId, id);
  await eventually(async () => (await findMember(guildId, ben))?.syncs.length, 'the joining');
  const ranks = { Guest: 0, Cadet: 1, Captain: 200, Admiral: 255 };
  const roles = Object.entries(ranks).map(([name, rank]) => ({ name, rank }));
  const groupId = roblox.addGroup({ name: 'Star Fleet Crew', roles }).id;
  const game = roblox.addUser({ username: 'MaxPlays', createdAt: new Date(0) });
  roblox.setRank(groupId, game.id, 200);
  for (const name of ['Captain', 'Crew', 'Verified']) discord.addRole(guildId, { name });
  discord.addRole(guildId, { name: 'Boss', position: 90 });
  const people = { olga, max, ben };
  const by = (person: keyof typeof people) => `**${person[0]?.toUpperCase()}${person.slice(1)}**`;
  const command = async (person: keyof typeof people, name: string, options: Options = {}) => {
    await nameAll(transcript, guildId);
    const told = Object.entries(options).map(([option, value]) => ` ${option}:${shown(value)}`);
    const asked = discord.command(guildId, people[person], name, options);
    return transcript.hear(`${by(person)} uses \`/${name}${told.join('')}\``, asked);
  };
  const press = async (person: keyof typeof people, message: SandboxMessage, label: string) => {
    const asked = discord.press(guildId, people[person], message, label);
    return transcript.hear(`${by(person)} presses *${label}*`, asked);
  };
  const sends = (person: keyof typeof people, what: string, asked: Promise<SandboxInteraction>) =>
    transcript.hear(`${by(person)} ${what}`, asked);
  const roleId = (name: string) => discord.roles(guildId).find((role) => role.name === name)?.id ?? '';
  const mappings = async () => (await listAllMappings(guildId)).map(({ _id }) => _id);
  const caller = api(await tokenFor(guildId, 'owner'));
  const shown = (value: string | number | boolean) => (typeof value === 'string' && /^map_/.test(value) ? '…' : value);
  return {
    discord,
    roblox,
    transcript,
    guild,
    guildId,
    groupId,
    game,
    people,
    command,
    press,
    sends,
    roleId,
    mappings,
    caller,
  };
}
type Stage = Awaited<ReturnType<typeof openStage>>;

async function members({
  discord,
  roblox,
  transcript,
  guildId,
  groupId,
  game,
  people,
  command,
  press,
  sends,
  roleId,
}: Stage) {
  transcript.section('Members');
  await command('max', 'help');
  await command('max', 'account');
  await command('max', 'update');
  await command('max', 'unlink');
  await command('max', 'why');
  const verifier = await tokenFor(guildId, 'verifier');
  const offer = await press('max', await command('max', 'verify'), 'Get a game code');
  const code = await press('max', offer, "I've typed it");
  const typed = { code: /^[A-Z0-9]{6}$/m.exec(code.content)?.[0], gameUserId: game.id };
  await api(verifier).post(`/api/guilds/${guildId}/verification/game-codes/redeem`, typed);
  await press('max', await press('max', code, "I've typed it"), "That's not me");
  const choice = await command('max', 'verify');
  const form = await discord.press(guildId, people.max, choice, 'Use a profile code');
  const nobody = await sends(
    'max',
    'enters a username that nobody has',
    discord.submit(form, { username: 'Nobodyyy' }),
  );
  const missing = await press('max', nobody, "I've added it");
  const again = await discord.press(guildId, people.max, missing, 'Another username');
  const phrase = await sends('max', 'enters their username', discord.submit(again, { username: 'MaxPlays' }));
  const failed = await press('max', phrase, "I've added it");
  const anew = await press('max', failed, 'Try again');
  roblox.setAbout(game.id, phraseIn({ words: anew.content }));
  await press('max', anew, "I've added it");
  await command('max', 'verify');
  await command('max', 'update');
  await command('max', 'account');
  await command('olga', 'mapping verified', { role: roleId('Verified') });
  await command('olga', 'mapping rank', { from: 'Captain', role: roleId('Captain'), group: groupId });
  await command('max', 'update');
  await command('max', 'why');
  await command('ben', 'why');
  discord.moveRole(guildId, discord.botRole(guildId).id, 1);
  roblox.setRank(groupId, game.id, 1);
  await command('max', 'update');
  await command('olga', 'update', { member: people.max });
  discord.moveRole(guildId, discord.botRole(guildId).id, 50);
  await api(await tokenFor(guildId, 'owner')).delete(`/api/guilds/${guildId}/members/${people.max}/link`);
  await press('olga', await command('olga', 'why', { member: people.max }), 'Undo unlink');
  const { id: stranger } = discord.addUser({ username: 'Stranger' });
  transcript.name(stranger, '@Stranger');
  await command('olga', 'update', { member: stranger });
  const calm = roblox.inject({ match: /./, status: 500 });
  await command('max', 'update');
  calm();
}

async function manage(stage: Stage) {
  const { discord, roblox, transcript, groupId, people, guildId, command, press, sends, roleId, mappings, caller } =
    stage;
  transcript.section('Groups and mappings');
  await command('olga', 'group list');
  await command('olga', 'group add', { group: 'nonsense' });
  await command('olga', 'group remove', { group: groupId });
  await command('olga', 'mapping role', { game_role: 'Boss', role: roleId('Crew') });
  const changed = await command('olga', 'mapping member', { role: roleId('Crew'), name: 'Everyone in the crew' });
  await press('olga', changed, 'Preview');
  await command('olga', 'mapping group', {});
  discord.moveRole(guildId, discord.botRole(guildId).id, 1);
  await command('olga', 'mapping verified', { role: roleId('Boss') });
  discord.moveRole(guildId, discord.botRole(guildId).id, 50);
  await command('olga', 'mapping add', { type: 'unverified', role: roleId('Crew'), remove_when_unmatched: false });
  await command('olga', 'mapping list');
  const [first = '', second = ''] = await mappings();
  await command('olga', 'mapping edit', { mapping: first });
  await command('olga', 'mapping edit', { mapping: first, from: 'Cadet' });
  const edited = await command('olga', 'mapping edit', { mapping: second, to: 'Captain', name: 'Captains' });
  await press('olga', edited, 'Undo');
  await command('olga', 'mapping off', { mapping: second });
  await command('olga', 'mapping on', { mapping: second });
  await command('olga', 'mapping confirm', { mapping: second });
  const removed = await command('olga', 'mapping remove', { mapping: first });
  await command('olga', 'mapping verified', { role: roleId('Verified') });
  await press('olga', removed, 'Resync now');
  await eventually(async () => (await openResync(guildId)) === null, 'the end of the resync');
  transcript.section('Import');
  const file = discord.upload('roles.csv', `condition,roles\nunverified,Verified\nrank,Nobody\n`);
  const review = await command('olga', 'import', { file, from: 'csv' });
  await press('olga', review, 'Import 1');
  await sends(
    'olga',
    'uses `/import` with a file and no format',
    discord.command(guildId, people.olga, 'import', { file }),
  );
  await command('olga', 'import', { file: discord.upload('cells.csv', faultyCells(groupId)), from: 'csv' });
  for (const [from, lines] of Object.entries(faultyBinds(groupId)))
    await command('olga', 'import', { file: discord.upload(`${from}.txt`, lines.join('\n')), from });
  for (const [from, text] of otherForms)
    await command('olga', 'import', { file: discord.upload('other.txt', text), from });
  const list = discord.upload('people.csv', `${people.ben},261\n100000000000000777,262\n`);
  const numbers = await command('olga', 'import', { file: list, people: 'list' });
  await press('olga', numbers, 'Import 1');
  await endOfImport({ api: caller, path: `/api/guilds/${guildId}` });
  const twice = `${people.max},261\n100000000000000778,263\n100000000000000779,263\n`;
  await command('olga', 'import', { file: discord.upload('doubtful.csv', twice), people: 'list' });
  await command('olga', 'import', { file: discord.upload('large.csv', 'x'.repeat(2_000_000)), people: 'list' });
  await command('olga', 'import', { people: 'list' });
  for (const faulty of ['1,2\n', '[{"chatUserId": "1"}]', '"unclosed', '\n'])
    await command('olga', 'import', { file: discord.upload('faulty.csv', faulty), people: 'list' });
  for (const condition of [
    { type: 'account_age', days: 30 },
    { type: 'not', of: { type: 'premium' } },
    { type: 'owns_item', kind: 'badge', id: '12' },
    { type: 'owns_item', kind: 'game_pass', id: '13' },
    { type: 'owns_item', kind: 'asset', id: '14' },
  ])
    await caller.post(`/api/guilds/${guildId}/mappings`, { condition, roleIds: [roleId('Crew')] });
  await command('olga', 'mapping list');
  await command('olga', 'mapping fact', { fact: 'level', at_least: 10, at_most: 50, role: roleId('Crew') });
  await command('olga', 'mapping fact', { fact: 'clan', is: 'Red', role: roleId('Crew') });
  const { id: spare } = roblox.addGroup({ name: 'Spare' });
  await command('olga', 'group add', { group: spare });
  await command('olga', 'group remove', { group: spare });
}

/** A table with another kind of fault in each line. */
const faultyCells = (groupId: string): string =>
  [
    'condition,roles,group,min,max,gameRole,days,item',
    `group_rank,Crew,${groupId}`,
    `group_rank,Crew,${groupId},9,2`,
    `group_rank,Crew,${groupId},300`,
    `group_role,Crew,${groupId}`,
    'group_member,Crew',
    'account_age,Crew',
    'owns_badge,Crew',
    'verified,Crew,,,,,,,more',
  ].join('\n');

/** Texts in forms that are not read, and one that is read only in part. */
const otherForms = [
  ['rowifi', 'hello\nCrew = rank 5'],
  ['rover', '[1,'],
  ['rover', '[{"role": "1"}, {"role": "Crew", "groups": [{"id": 1, "ranks": []}]}]'],
  ['rover', '[{"role": "Crew", "groups": [{"id": 1, "ranks": [5]}]}, {"role": 1}]'],
  ['rover', `Crew <1>\nGroup 1\n${'x'.repeat(3_000)}\nRank 5`],
  ['bloxlink', 'Officer (100)\nBuilders (5)\nRole(s): Crew\nRank Owner (255): Role(s): Crew'],
] as const;

/** Bind lists in each kind, with lines that can't be read or have no counterpart. */
const faultyBinds = (groupId: string): Record<string, string[]> => ({
  csv: [
    'condition,group,gameRole,roles',
    'verified,,,Crew|Crew',
    'verified,,,100000000000000999',
    `group_role,${groupId},Nobody,Crew`,
    'group_member,424242,,Crew',
  ],
  bloxlink: [
    ...['Rank Officer (100):', 'Role(s): Crew', 'hello', 'Rank Officer (100):', 'Role(s): Crew', 'Role(s): Crew'],
    ...[`Builders (${groupId})`, 'Rank 7:', 'Badges', 'Gold (12)', '... and 3 more.', 'x'.repeat(3_000)],
  ],
  rover: ['#1 Crew', 'Group VirtualOne', 'Rank 5', '#2 Crew', `Group ${groupId}`, 'hello'],
  rowifi: [
    ...['hello', 'Id: 1', 'Roles: Crew', 'Custombinds', 'Id: 1', 'Code: HasRank(5, 20)', 'Roles: Crew'],
    ...['Assetbinds', 'ID: 9', 'Roles: Crew', 'ID: 10', 'Type: Badge', 'Roles:'],
  ],
});

async function settings({ discord, transcript, guild, guildId, command, press, roleId, caller }: Stage) {
  transcript.section('Settings');
  await command('olga', 'settings view');
  await command('olga', 'settings set', { nickname_template: '{groupRole:1} {who}' });
  await command('olga', 'settings set', { nickname_template: '{groupRank:9}' });
  await command('olga', 'settings set', { nickname_template: '\u200b' });
  await command('olga', 'settings restrictions', { restrict_denied_groups: '999999999' });
  await command('olga', 'settings resync', { mass_removal_people: 5 });
  await command('olga', 'settings set', { minimum_account_age: 30 });
  await command('olga', 'settings restrictions', {
    ...{ restrict_account_age: 7, restrict_denied_users: '12, 13' },
    ...{ restrict_action: 'refuse_roles', restrict_reason: 'Ask us.' },
  });
  await command('olga', 'settings set', { minimum_account_age: 0 });
  await command('olga', 'settings restrictions', {
    ...{ restrict_account_age: 0, restrict_denied_users: 'none', restrict_reason: 'none' },
  });
  await command('olga', 'differences');
  await command('olga', 'settings join', { to: 'channel' });
  await command('olga', 'settings join', { channel: discord.channel(guildId).id });
  const { chatUserId } = { chatUserId: discord.addUser({ username: 'Newcomer' }).id };
  discord.join(guildId, chatUserId);
  await nameAll(transcript, guildId);
  const posted = () => discord.messages(discord.channel(guildId).id).at(-1);
  await eventually(async () => {
    await sendDueJoinMessages(new AbortController().signal);
    return posted()?.content.includes('Welcome');
  }, 'the message');
  const message = posted();
  if (message !== undefined) transcript.read("Somebody joins who isn't verified, and the channel shows", message);
  await writeSettings(guildId, { ...(await readSettings(guildId)), joinMessage: defaultSettings.joinMessage });
  transcript.section('The configuration as a file');
  await command('olga', 'config export');
  const { config } = await readConfig(guild);
  const use = (content: string) => command('olga', 'config apply', { file: discord.upload('rolelink.yaml', content) });
  await use('groups: []');
  await use(stringify(config));
  const settled = { ...config.settings, autoLinkOnJoin: false };
  const review = await use(stringify({ ...config, mappings: config.mappings.slice(1), settings: settled }));
  const done = await press('olga', review, 'Apply 2 changes');
  await press('olga', done, 'Undo');
  transcript.section('The team');
  await command('olga', 'team invite', { person: chatUserId, role: 'viewer' });
  const [invitation] = discord.directMessages(chatUserId);
  if (invitation !== undefined) transcript.read('**Newcomer** gets a direct message', invitation);
  await command('olga', 'team change', { person: chatUserId, role: 'manager' });
  await command('olga', 'team list');
  await command('olga', 'team remove', { person: chatUserId });
  await command('olga', 'team remove', { person: chatUserId });
  await caller.put(`/api/guilds/${guildId}/settings`, { ...settled, trustDiscordAdmins: true });
  discord.addRole(guildId, { name: roleId('Staff') === '' ? 'Staff' : 'More staff' });
}

async function run({ discord, transcript, guildId, people, command, press }: Stage) {
  transcript.section('Checking and updating everyone');
  await command('olga', 'preview');
  await eventually(async () => (await openResync(guildId)) === null, 'the end of the resync');
  await command('olga', 'resync cancel');
  await command('olga', 'resync status');
  await command('olga', 'logs', { action: 'team' });
  await command('olga', 'logs', { action: 'teammate.*' });
  await command('olga', 'panel');
  const panel = discord.messages(discord.channel(guildId).id).at(-1);
  if (panel !== undefined) transcript.read('The channel shows', panel);
  const hidden = await press('max', await command('max', 'privacy'), 'Hide my account');
  await command('max', 'verify');
  await press('max', hidden, 'Show my account');
  const question = await command('max', 'unlink');
  await press('max', question, 'Unlink');
  await command('max', 'account', { member: people.ben });
  await command('olga', 'why', { member: discord.memberIds(guildId).find((id) => discord.user(id).bot) ?? '' });
}

async function setUp({ discord, roblox, transcript, groupId, people, sends }: Stage) {
  transcript.section('Setting up');
  const { id: guildId } = discord.addGuild({ name: 'Moon Base', ownerId: people.olga });
  await knownGuild(guildId);
  const max = discord.addUser({ username: 'Mia' }).id;
  discord.join(guildId, max);
  const boss = discord.addRole(guildId, { name: 'Boss', position: 90 }).id;
  discord.addRole(guildId, { name: 'captain' });
  await nameAll(transcript, guildId);
  const go = (message: SandboxMessage, label: string) =>
    transcript.hear(`**Olga** presses *${label}*`, discord.press(guildId, people.olga, message, label));
  const search = async (message: SandboxMessage, group: string) => {
    const form = await discord.press(guildId, people.olga, message, 'setup-form:find');
    return sends('olga', `searches for ${group}`, discord.submit(form, { group }));
  };
  const setup = discord.command(guildId, people.olga, 'setup');
  const place = await transcript.hear('**Olga** uses `/setup`', setup);
  discord.moveRole(guildId, boss, 1);
  const group = await go(place, 'Check again');
  roblox.addGroup({ name: 'Star Fleet Reserve' });
  await search(group, 'No such group');
  await search(group, 'Star Fleet');
  const ranks = await search(group, groupId);
  const made = await go(ranks, 'Create the missing roles');
  await nameAll(transcript, guildId);
  const panel = await go(await go(made, 'Next'), 'Next');
  const permissions = PermissionFlagsBits.ManageRoles;
  discord.addRole(guildId, { name: 'Other bot', permissions, managed: true });
  const summary = await go(panel, 'Next');
  const applied = await discord.press(guildId, people.olga, summary, 'Apply');
  transcript.read('**Olga** presses *Apply*', await applied.replyMatching(/is set up/));
  const help = discord.command(guildId, people.olga, 'help');
  await transcript.hear('**Olga** uses `/help`', help);
}

describe('The replies', () => {
  withPromptSyncs();
  it('The replies are recorded', async () => {
    const stage = await openStage();
    stage.transcript.section('Before a group is there');
    for (const name of ['group list', 'mapping list', 'mapping group', 'resync status', 'logs']) {
      await stage.command('olga', name);
    }
    await stage.command('olga', 'group add', { group: stage.groupId });
    await members(stage);
    await manage(stage);
    await settings(stage);
    await run(stage);
    await setUp(stage);
    await observed(stage.transcript, stage.groupId);
    await secondAccount(stage.transcript);
    const transcripts = head + stage.transcript.text;
    const list = [listHeading, '', '```text', ...listOfSilent(transcripts), '```', ''].join('\n');
    await writeFile(repliesFile, `${transcripts}\n${list}`);
  });
});

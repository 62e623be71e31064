import {
  type ApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  chatInputApplicationCommandMention as mention,
  type PermissionsBitField,
} from 'discord.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { commandWords } from '../commands/command-localizations.js';
import { dashboardLink } from '../dashboard-link.js';
import { card, type Reply, rowOf } from './reply.js';

/** The commands grouped by task. A command without a group comes last. */
const groups: readonly { heading: TextKey; names: readonly string[] }[] = [
  { heading: 'help.yourself', names: ['verify', 'update', 'account', 'why', 'privacy', 'unlink', 'help'] },
  { heading: 'help.set_up', names: ['setup', 'import', 'group', 'mapping', 'panel', 'settings', 'config', 'team'] },
  { heading: 'help.run', names: ['preview', 'differences', 'resync', 'rank', 'requests', 'logs'] },
];

/**
 * The registered slash commands and subcommands as clickable mentions, grouped by task. Commands hidden by default from
 * a person with `permissions` are omitted. Each group has its own embed, since one holds 4,096 characters. `page`: the
 * person's dashboard page.
 */
export function helpReply(
  commands: readonly ApplicationCommand[],
  permissions: PermissionsBitField | null,
  page: string,
): Reply {
  const shown = commands
    .filter(({ type }) => type === ApplicationCommandType.ChatInput)
    .filter(({ defaultMemberPermissions: needed }) => needed === null || (permissions?.has(needed) ?? false));
  const named = new Map(shown.map((command) => [command.name, command]));
  const grouped = groups.flatMap(({ names }) => names);
  const others = [...named.keys()].filter((name) => !grouped.includes(name)).toSorted();
  const embeds = [...groups, { heading: 'help.others' as const, names: others }].flatMap(({ heading, names }) => {
    const lines = names.flatMap((name) => named.get(name) ?? []).flatMap(linesOf);
    return lines.length === 0 ? [] : card(t(heading), lines, 'neutral', []).embeds;
  });
  return { content: `**${t('help.title')}**`, embeds, components: rowOf(dashboardLink(page)) };
}

function linesOf({ id, name, description, options }: ApplicationCommand): string[] {
  const subcommands = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [`${mention(name, id)} ${commandWords(name) ?? description}`];
  return subcommands.map((subcommand) => {
    const words = commandWords(name, subcommand.name) ?? subcommand.description;
    return `${mention(name, subcommand.name, id)} ${words}`;
  });
}

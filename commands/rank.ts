import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import {
  addRankOptions,
  addShowOptions,
  rankByCommand,
  rankByMenu,
} from '../src/edges/interactions/commands/command-rank.js';
import { suggestGroups } from '../src/edges/interactions/suggestions.js';

/** /rank, also in a person's context menu. The rules of a group decide about the person, and not their team role alone. */
export const RankCommand = guildCommand('rank', {
  subcommands: {
    set: { as: 'member', options: addRankOptions, run: rankByCommand('choose') },
    promote: { as: 'member', options: addRankOptions, run: rankByCommand(1) },
    demote: { as: 'member', options: addRankOptions, run: rankByCommand(-1) },
    show: { as: 'member', options: addShowOptions, run: rankByCommand('show') },
  },
  suggest: suggestGroups,
  menu: { name: 'command.rank_menu', run: rankByMenu },
});

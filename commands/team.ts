import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import {
  addPersonOption,
  addRoleOptions,
  change,
  invite,
  remove,
} from '../src/edges/interactions/commands/command-team.js';
import { teamPage } from '../src/edges/interactions/replies/reply-team.js';

export const TeamCommand = guildCommand('team', {
  forManagers: true,
  subcommands: {
    list: { as: 'admin', run: ({ guild }) => teamPage(guild) },
    invite: { as: 'admin', options: addRoleOptions, run: invite },
    change: { as: 'admin', options: addRoleOptions, run: change },
    remove: { as: 'viewer', options: addPersonOption, run: remove },
  },
});

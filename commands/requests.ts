import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import {
  addAnswerOptions,
  addRequestListOptions,
  answerByCommand,
  listByCommand,
} from '../src/edges/interactions/commands/command-requests.js';
import { suggestGroups } from '../src/edges/interactions/suggestions.js';

/** /requests: the people asking to join a group. The rules of the group decide, as for /rank. */
export const RequestsCommand = guildCommand('requests', {
  subcommands: {
    list: { as: 'member', options: addRequestListOptions, run: listByCommand },
    accept: { as: 'member', options: addAnswerOptions, run: answerByCommand('accept') },
    decline: { as: 'member', options: addAnswerOptions, run: answerByCommand('decline') },
  },
  suggest: suggestGroups,
});

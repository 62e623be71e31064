import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import {
  mappingEdit,
  mappingOfKind,
  mappingRemoval,
  mappingSwitch,
  suggestForMapping,
} from '../src/edges/interactions/commands/command-mapping.js';
import {
  addMappingOption,
  addMappingOptions,
  readMappingDraft,
} from '../src/edges/interactions/commands/command-mapping-options.js';
import { changing } from '../src/edges/interactions/replies/reply-change.js';
import { mappingsPage, writtenMapping } from '../src/edges/interactions/replies/reply-lists.js';
import { createMapping } from '../src/features/mappings/mapping-service.js';
import { rewriteMapping } from '../src/features/mappings/mapping-update.js';
import { readMappingsSnapshot } from '../src/features/mappings/mappings-snapshot.js';

export const MappingCommand = guildCommand('mapping', {
  forManagers: true,
  suggest: suggestForMapping,
  subcommands: {
    list: { as: 'viewer', run: async ({ guild }) => mappingsPage(guild._id, await readMappingsSnapshot(guild)) },
    rank: mappingOfKind('rank'),
    role: mappingOfKind('role'),
    member: mappingOfKind('member'),
    verified: mappingOfKind('verified'),
    group: mappingOfKind('group'),
    fact: mappingOfKind('fact'),
    add: {
      as: 'manager',
      options: addMappingOptions,
      run: (use) =>
        changing(use, async () =>
          writtenMapping('mapping.added', await createMapping(use.guild, use.actor, readMappingDraft(use.options))),
        ),
    },
    edit: mappingEdit,
    confirm: {
      as: 'admin',
      options: addMappingOption,
      run: (use) =>
        changing(use, async () => {
          const { guild, actor, options } = use;
          return writtenMapping(
            'mapping.confirmed',
            await rewriteMapping(guild, actor, options.getString('mapping', true)),
          );
        }),
    },
    on: mappingSwitch(true),
    off: mappingSwitch(false),
    remove: mappingRemoval,
  },
});

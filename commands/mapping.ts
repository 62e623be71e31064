import { type CommandUse, guildCommand } from '../src/edges/interactions/command-in-guild.js';
import {
  addMappingOption,
  addMappingOptions,
  readMappingDraft,
} from '../src/edges/interactions/command-mapping-options.js';
import { say } from '../src/edges/interactions/reply.js';
import { mappingsPage, writtenMapping } from '../src/edges/interactions/reply-lists.js';
import { suggestGameRoles, suggestGroups, suggestMappings } from '../src/edges/interactions/suggestions.js';
import { createMapping, removeMapping, rewriteMapping } from '../src/features/mappings/mapping-service.js';
import { readMappingsPicture } from '../src/features/mappings/mappings-picture.js';
import { t } from '../src/lib/translate.js';

/** While a mapping is off it neither gives nor takes roles. */
async function switchMapping({ guild, actor, options }: CommandUse, enabled: boolean) {
  const written = await rewriteMapping(guild, actor, options.getString('mapping', true), { enabled });
  return writtenMapping(enabled ? 'mapping.switched_on' : 'mapping.switched_off', written);
}

export const MappingCommand = guildCommand('mapping', {
  forManagers: true,
  suggest: async (guild, { options }) => {
    const { name } = options.getFocused(true);
    if (name === 'group') return suggestGroups(guild);
    if (name === 'mapping') return suggestMappings(guild);
    return suggestGameRoles(guild, options.getString('group') ?? '');
  },
  subcommands: {
    list: {
      as: 'viewer',
      run: async ({ guild }) => mappingsPage(await readMappingsPicture(guild)),
    },
    add: {
      as: 'manager',
      options: addMappingOptions,
      run: async ({ guild, actor, options }) =>
        writtenMapping('mapping.added', await createMapping(guild, actor, readMappingDraft(options))),
    },
    confirm: {
      as: 'admin',
      options: addMappingOption,
      run: async ({ guild, actor, options }) =>
        writtenMapping('mapping.confirmed', await rewriteMapping(guild, actor, options.getString('mapping', true))),
    },
    on: { as: 'manager', options: addMappingOption, run: (use) => switchMapping(use, true) },
    off: { as: 'manager', options: addMappingOption, run: (use) => switchMapping(use, false) },
    remove: {
      as: 'manager',
      options: addMappingOption,
      run: async ({ guild, actor, options }) => {
        await removeMapping(guild, actor, options.getString('mapping', true));
        return say(t('mapping.removed'));
      },
    },
  },
});

import { groupAddress } from '../src/core/groups/group-reference.js';
import { addGroup, listGroups } from '../src/core/groups/group-service.js';
import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { limitText } from '../src/edges/interactions/commands/command-limits.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { changing } from '../src/edges/interactions/replies/reply-change.js';
import { groupLine, groupsPage, pageSize } from '../src/edges/interactions/replies/reply-lists.js';
import { suggestGroups } from '../src/edges/interactions/suggestions.js';
import { removeGroup } from '../src/features/mappings/group-removal.js';
import { t } from '../src/lib/translate.js';

export const GroupCommand = guildCommand('group', {
  forManagers: true,
  suggest: suggestGroups,
  subcommands: {
    list: {
      as: 'viewer',
      run: async ({ guild }) => groupsPage(await listGroups(guild._id, { limit: pageSize })),
    },
    add: {
      as: 'manager',
      options: (add) =>
        add.addStringOption((group) =>
          limitText(group.setName('group').setDescription(t('option.new_group')).setRequired(true), groupAddress),
        ),
      run: (use) =>
        changing(use, async () => {
          const group = await addGroup(use.guild, use.actor, use.options.getString('group', true));
          return note('fine', t('group.added', { group: groupLine(group) }));
        }),
    },
    remove: {
      as: 'manager',
      options: (remove) =>
        remove
          .addStringOption((group) =>
            group.setName('group').setDescription(t('option.group')).setRequired(true).setAutocomplete(true),
          )
          .addBooleanOption((cascade) => cascade.setName('cascade').setDescription(t('option.cascade'))),
      run: (use) =>
        changing(use, async () => {
          const cascade = use.options.getBoolean('cascade') ?? false;
          await removeGroup(use.guild, use.actor, use.options.getString('group', true), { cascade });
          return note('fine', t('group.removed'));
        }),
    },
  },
});

import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { listGroups } from '../src/core/groups/group-service.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { groupsPage, pageSize } from '../src/edges/interactions/reply-lists.js';

/** The next page of /group list. */
export class PressGroupsPage extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'groups');
  }

  protected override serve(interaction: ButtonInteraction, [cursor]: string[]) {
    return answer(interaction, async () => {
      const { guild } = await enterAsTeam(interaction, 'viewer');
      return groupsPage(await listGroups(guild._id, { limit: pageSize, cursor }));
    });
  }
}

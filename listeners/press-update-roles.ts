import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { say } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { describeSync } from '../src/edges/interactions/reply-sync.js';
import { syncMember } from '../src/features/sync/member/member-sync.js';

/** "Update roles", as /update for oneself. */
export class PressUpdateRoles extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'update-roles');
  }

  protected override serve(interaction: ButtonInteraction) {
    return answer(interaction, async () => {
      const { guild, actor } = await enterAsMember(interaction);
      const sync = await syncMember(guild, actor.id, { trigger: 'command', actor });
      return say(await describeSync(guild._id, sync));
    });
  }
}

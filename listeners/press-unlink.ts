import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { say } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { unlinkAccount } from '../src/features/members/account-service.js';
import { t } from '../src/lib/translate.js';

/** "Unlink", under the question that /unlink asks. */
export class PressUnlink extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'unlink');
  }

  protected override serve(interaction: ButtonInteraction) {
    return answer(interaction, async () => {
      const { actor } = await enterAsMember(interaction);
      await unlinkAccount(actor.id, actor);
      return say(t('unlink.done'));
    });
  }
}

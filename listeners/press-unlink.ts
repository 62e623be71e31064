import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/interactions/command-access.js';
import { ButtonListener } from '../src/interactions/component-listener.js';
import { say } from '../src/interactions/reply.js';
import { answer } from '../src/interactions/reply-answer.js';
import { t } from '../src/locales/translate.js';
import { unlinkAccount } from '../src/members/account-service.js';

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

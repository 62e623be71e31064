import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { offerVerification } from '../src/edges/interactions/command-verify.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';

/** Verify, under a panel or a reply; with the state `another` it is "Link another account". */
export class PressVerify extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'verify');
  }

  protected override serve(interaction: ButtonInteraction, [another]: string[]) {
    return offerVerification(interaction, { another: another !== undefined });
  }
}

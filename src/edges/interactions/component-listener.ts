import { Events, Listener } from '@sapphire/framework';
import type { ButtonInteraction, Interaction, ModalSubmitInteraction } from 'discord.js';
import { type ComponentName, parseComponentId } from './component-id.js';
import { replyError } from './reply-error.js';

/** What carries one of our custom ids: a button that was pressed, or a form that was sent. */
type Carrier = ButtonInteraction | ModalSubmitInteraction;

/** Answers one component of our messages. All that it knows comes from the custom id and the database (SPEC §8). */
export abstract class ComponentListener<I extends Carrier = Carrier> extends Listener<typeof Events.InteractionCreate> {
  readonly component: ComponentName;

  constructor(context: Listener.LoaderContext, component: ComponentName) {
    super(context, { event: Events.InteractionCreate });
    this.component = component;
  }

  override async run(interaction: Interaction): Promise<void> {
    if (!this.accepts(interaction)) return;
    const { name, state } = parseComponentId(interaction.customId);
    if (name !== this.component) return;
    try {
      await this.serve(interaction, state);
    } catch (error) {
      await replyError(interaction, error);
    }
  }

  protected abstract accepts(interaction: Interaction): interaction is I;

  /** Answers it. `state` are the parts of the custom id behind the name. Errors are told to the person in words. */
  protected abstract serve(interaction: I, state: string[]): Promise<void>;
}

/** Answers a button. */
export abstract class ButtonListener extends ComponentListener<ButtonInteraction> {
  protected override accepts(interaction: Interaction): interaction is ButtonInteraction {
    return interaction.isButton();
  }
}

/** Answers a form. */
export abstract class FormListener extends ComponentListener<ModalSubmitInteraction> {
  protected override accepts(interaction: Interaction): interaction is ModalSubmitInteraction {
    return interaction.isModalSubmit();
  }
}

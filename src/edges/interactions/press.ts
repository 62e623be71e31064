import { EventEmitter } from 'node:events';
import type {
  AnySelectMenuInteraction,
  ButtonInteraction,
  MessageComponentInteraction,
  ModalSubmitInteraction,
} from 'discord.js';
import { type Actor, chatUser } from '../../core/actors/actor.js';
import { type ListenerPiece, listenerPiece } from '../../platforms/discord/event-listener.js';
import { type ComponentName, parseComponentId } from './component-id.js';
import type { Answer } from './replies/reply-answer.js';
import { replyError } from './replies/reply-error.js';
import { answer, type Service, serve, type Visit } from './serve-interaction.js';

/** A button press, menu choice or submitted form: the person, the guild and the state from its custom id. */
export interface Press<I> extends Visit {
  interaction: I;
  /** The custom id's parts after the name. */
  state: string[];
}

type Handler<I> = (press: Press<I>) => Promise<Answer>;

/** Press handlers, by `button:unlink` or `form:username`. */
const presses = new EventEmitter();

/**
 * The piece that answers a button in our messages. All its state comes from the custom id and the database (DISC-14).
 */
export function button(name: ComponentName, service: Service, handle: Handler<ButtonInteraction>): ListenerPiece {
  return pressPiece(`button:${name}`, service, handle);
}

/** A press in a direct message or in a guild, which gives no right there. */
interface DirectPress {
  actor: Actor;
  /** Null in a direct message. */
  guildId: string | null;
  state: string[];
}

export function directButton(name: ComponentName, handle: (press: DirectPress) => Promise<Answer>): ListenerPiece {
  return servedPiece(`button:${name}`, (interaction: ButtonInteraction, state) =>
    answer(interaction, () =>
      handle({
        actor: chatUser(interaction.user.id, interaction.user.username),
        guildId: interaction.guildId,
        state,
      }),
    ),
  );
}

export function form(name: ComponentName, service: Service, handle: Handler<ModalSubmitInteraction>): ListenerPiece {
  return pressPiece(`form:${name}`, service, handle);
}

export function menu(name: ComponentName, service: Service, handle: Handler<AnySelectMenuInteraction>): ListenerPiece {
  return pressPiece(`menu:${name}`, service, handle);
}

type Pressed = ButtonInteraction | AnySelectMenuInteraction | ModalSubmitInteraction;

function pressPiece<I extends Pressed>(event: string, service: Service, handle: Handler<I>): ListenerPiece {
  return servedPiece(event, (interaction: I, state) =>
    serve(interaction, service, (visit) => handle({ ...visit, interaction, state })),
  );
}

/** The piece is named after its press, and the boot refuses two pieces with the same name. */
function servedPiece<I extends Pressed>(
  event: string,
  respond: (interaction: I, state: string[]) => Promise<void>,
): ListenerPiece {
  return listenerPiece({ name: event, emitter: presses, event }, async (interaction: I, state: string[]) => {
    try {
      await respond(interaction, state);
    } catch (error) {
      await replyError(interaction, error);
    }
  });
}

/** Passes a press to the piece named in its custom id. False if there is none. */
export function dispatchPress(interaction: MessageComponentInteraction | ModalSubmitInteraction): boolean {
  const { name, state } = parseComponentId(interaction.customId);
  const kind = interaction.isModalSubmit() ? 'form' : interaction.isButton() ? 'button' : 'menu';
  return presses.emit(`${kind}:${name}`, interaction, state);
}

import { type Html, html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import type { DiscordState } from './discord-state.js';
import type { Ids } from './person-page.js';
import type { SandboxModal } from './sandbox-interaction.js';
import { type SandboxButton, type SandboxMessage, viewMessage, wordsOf } from './sandbox-message.js';

/** What has just happened: the answer to what the person did, or why it could not be done. */
export interface Outcome {
  readonly answer?: SandboxMessage;
  readonly problem?: string;
}

/** The guild's channel and the bot's direct messages as the person reads them. */
export function renderPersonPage(state: DiscordState, ids: Ids, { answer, problem }: Outcome): string {
  const guild = state.guild(ids.guildId);
  const channels = [state.channel(guild.channelId), state.directChannel(ids.userId)];
  const [general = [], direct = []] = channels.map(({ messages }) =>
    [...messages.values()].filter(({ visibleTo }) => visibleTo === undefined).map(viewMessage),
  );
  const alert: Html[] = problem ? [html`<p role="alert">${problem}</p>`] : [];
  const shown: Html[] = answer ? [html`<h2>The answer</h2>${renderMessage(ids, answer)}`] : [];
  return htmlPage(
    `${state.user(ids.userId).username} in ${guild.name}`,
    html`<p><a href="/">All guilds</a></p>${alert}${shown}
    <h2>#general</h2>${general.map((message) => renderMessage(ids, message))}
    <h2>Direct messages</h2>${direct.map((message) => renderMessage(ids, message))}
    <h2>Send a command</h2>
    <form method="post" action="${pathOf(ids, 'command')}">
      <label for="command">Command, with its subcommand</label>
      <input id="command" name="command" list="commands" placeholder="mapping add" required autocomplete="off">
      <datalist id="commands">${commandNames(state, ids.guildId).map((name) => html`<option value="${name}">`)}</datalist>
      <label for="options">Options: name: value, one a line</label>
      <textarea id="options" name="options" rows="4"></textarea>
      <button>Send</button>
    </form>`,
  );
}

export function renderForm(ids: Ids, interactionId: string, { title, fields }: SandboxModal): string {
  return htmlPage(
    title,
    html`<form method="post" action="${pathOf(ids, 'submit')}">
      <input type="hidden" name="interactionId" value="${interactionId}">
      ${fields.map(
        ({ customId, label, value = '' }) => html`<label for="${customId}">${label}</label>
      <input id="${customId}" name="${customId}" value="${value}" autocomplete="off">`,
      )}
      <button>Submit</button>
    </form>
    <p><a href="${pathOf(ids, '')}">Back</a></p>`,
  );
}

function renderMessage(ids: Ids, message: SandboxMessage): Html {
  const lines = wordsOf(message).split('\n');
  return html`<article>
      ${message.ephemeral ? html`<p><em>Only you can see this.</em></p>` : ''}
      ${lines.map((line) => html`<p>${line}</p>`)}
      ${message.buttons.map((button) => renderButton(ids, message, button))}
    </article>`;
}

function renderButton(ids: Ids, message: SandboxMessage, { customId, label, url, disabled }: SandboxButton): Html {
  if (url !== undefined) return html`<p><a href="${url}">${label ?? url}</a></p>`;
  const text = label ?? customId ?? '';
  if (disabled) return html`<button disabled>${text}</button>`;
  return html`<form method="post" action="${pathOf(ids, 'press')}">
        <input type="hidden" name="channelId" value="${message.channelId}">
        <input type="hidden" name="messageId" value="${message.id}">
        <button name="button" value="${customId ?? ''}">${text}</button>
      </form>`;
}

function commandNames(state: DiscordState, guildId: string): string[] {
  const commands = [...(state.commands.get(guildId) ?? []), ...(state.commands.get('global') ?? [])];
  return commands.filter(({ definition }) => definition.type === 1).map(({ definition }) => definition.name);
}

function pathOf({ userId, guildId }: Ids, action: string): string {
  return `/as/${userId}/in/${guildId}/${action}`;
}

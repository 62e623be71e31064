import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import type { Embed, SandboxRole } from '../sandbox/discord/sandbox-model.js';
import { type Html, html } from '../sandbox/kit/html.js';
import { discordStyle } from './discord-style.js';

/** A message, with the line above it where it answers a person. */
export interface ShownMessage {
  message: SandboxMessage;
  /** Such as `theo.vale used /verify`. */
  above?: string;
}

/** The bot's messages as Discord's client shows them, dark, in a channel with its default look. */
export function discordPage(messages: readonly ShownMessage[], roles: readonly SandboxRole[]): string {
  return html`<!doctype html><html lang="en"><head><title>Discord</title><style>${{ markup: discordStyle }}</style></head>
    <body><header># verify</header><main>${messages.map((one) => messageHtml(one, roles))}</main></body></html>`.markup;
}

function messageHtml({ message, above }: ShownMessage, roles: readonly SandboxRole[]): Html {
  const { content, embeds, buttons, ephemeral } = message;
  return html`<article>
    ${above === undefined ? '' : html`<p class="above">${above}</p>`}
    <div class="avatar">R</div>
    <div>
      <p class="head"><b>Rolelink</b><span class="app">APP</span><time>Today at 12:00 PM</time></p>
      ${content === '' ? '' : html`<div class="text">${marked(content, roles)}</div>`}
      ${embeds.map((embed) => embedHtml(embed, roles))}
      <p class="buttons">${buttons.map(({ label = '', url }) => html`<span class="${url ? 'button link' : 'button'}">${label}</span>`)}</p>
      ${ephemeral ? html`<p class="quiet">Only you can see this · <u>Dismiss message</u></p>` : ''}
    </div>
  </article>`;
}

function embedHtml({ title = '', description = '', color }: Embed, roles: readonly SandboxRole[]): Html {
  return html`<div class="embed" style="border-color: ${hex(color)}">
    ${title === '' ? '' : html`<h2>${marked(title, roles)}</h2>`}
    <div class="text">${marked(description, roles)}</div>
  </div>`;
}

const hex = (color: unknown): string => `#${Number(color).toString(16).padStart(6, '0')}`;

const marks = /```\n?([\s\S]+?)\n?```|\*\*(.+?)\*\*|`(.+?)`|\[(.+?)\]\(<?.+?>?\)|<@&(\d+)>/g;

/** Markdown as the bot writes it, and role mentions in their colours. */
function marked(text: string, roles: readonly SandboxRole[]): Html[] {
  const parts: Html[] = [];
  let from = 0;
  for (const match of text.matchAll(marks)) {
    parts.push(html`${text.slice(from, match.index)}`, markedPart(match, roles));
    from = match.index + match[0].length;
  }
  return [...parts, html`${text.slice(from)}`];
}

function markedPart([, block, bold, code, link, roleId]: RegExpExecArray, roles: readonly SandboxRole[]): Html {
  if (block !== undefined) return html`<pre>${block}</pre>`;
  if (bold !== undefined) return html`<b>${marked(bold, roles)}</b>`;
  if (code !== undefined) return html`<code>${code}</code>`;
  if (link !== undefined) return html`<a>${link.replaceAll('\\', '')}</a>`;
  const { name = 'deleted-role', color = 0 } = roles.find(({ id }) => id === roleId) ?? {};
  return html`<span class="mention" style="--role: ${color === 0 ? '#c9cdfb' : hex(color)}">@${name}</span>`;
}

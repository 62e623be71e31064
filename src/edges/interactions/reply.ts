import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
  hyperlink,
} from 'discord.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';

/** A whole message: as an edit it replaces everything that was there before. */
export interface Reply {
  content: string;
  embeds: APIEmbed[];
  components: APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** What can be downloaded from it; for messages without buttons, as an edit takes no file away. */
  files?: { name: string; attachment: Buffer }[];
}

/** Discord's limits of a message's content and of an embed's description, in characters. */
const longestContent = 2000;
const longestDescription = 4096;
/** All embeds of a message have 6,000 characters together: a note and a list beside it. */
const longestNote = 1800;

/** A message of Markdown, with at most five buttons under it. What people wrote is `verbatim` in it (DISC-3). */
export function say(content: string, buttons: APIButtonComponent[] = []): Reply {
  return { content: cut(content, longestContent), embeds: [], components: rowOf(buttons) };
}

/** The colours of embeds: how things stand. */
const stateColors = { fine: 0x57f287, attention: 0xfee75c, trouble: 0xed4245, neutral: 0x5865f2 } as const;
export type StateColor = keyof typeof stateColors;

/** The same in an embed with the colour of how things stand. */
export function note(state: StateColor, text: string, buttons: APIButtonComponent[] = []): Reply {
  const description = cut(text, longestNote);
  return { content: '', embeds: [{ description, color: stateColors[state] }], components: rowOf(buttons) };
}

/** A titled list with one entry a line; entries are cut so that all of them fit. */
export function list(
  title: string,
  lines: readonly string[],
  buttons: APIButtonComponent[] = [],
  state: StateColor = 'neutral',
): Reply {
  const room = Math.floor(longestDescription / Math.max(lines.length, 1)) - 1;
  return card(title, [lines.map((line) => cut(line, room)).join('\n')], state, rowOf(buttons));
}

/** A message in an embed, with the colour of how things stand. */
export function card(
  title: string,
  lines: readonly string[],
  state: StateColor,
  components: Reply['components'],
): Reply {
  const description = cut(lines.join('\n'), longestDescription);
  return { content: '', embeds: [{ title, description, color: stateColors[state] }], components };
}

/** A name that links to its page, as it is, whatever Markdown would make of it. */
export function nameWithLink(name: string, url: string): string {
  return hyperlink(verbatim(name), `<${url}>`);
}

export function pressButton(
  customId: string,
  label: string,
  style: ButtonStyle.Primary | ButtonStyle.Secondary | ButtonStyle.Danger = ButtonStyle.Primary,
): APIButtonComponent {
  return { type: ComponentType.Button, custom_id: customId, label, style };
}

export function linkButton(url: string, label: string): APIButtonComponent {
  return { type: ComponentType.Button, style: ButtonStyle.Link, url, label };
}

/** A row of at most five buttons, or none; or one of a menu. */
export function rowOf(parts: APIComponentInMessageActionRow[]): Reply['components'] {
  return parts.length === 0 ? [] : [{ type: ComponentType.ActionRow, components: parts }];
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, Math.max(length - 1, 0))}…`;

import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
  hyperlink,
} from 'discord.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';

/** A whole message. As an edit, it replaces all earlier content. */
export interface Reply {
  content: string;
  embeds: APIEmbed[];
  components: APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** Downloadable files. Only for messages without buttons, since an edit does not remove files. */
  files?: { name: string; attachment: Buffer }[];
}

/** Discord's limits for message content and embed descriptions, in characters. */
const longestContent = 2000;
const longestDescription = 4096;
/** All embeds in a message share 6,000 characters: a note and a list. */
const longestNote = 1800;

/** A Markdown message with at most five buttons. User text in it is `verbatim` (DISC-3). */
export function say(content: string, buttons: APIButtonComponent[] = []): Reply {
  return { content: cut(content, longestContent), embeds: [], components: rowOf(buttons) };
}

const stateColors = { fine: 0x57f287, attention: 0xfee75c, trouble: 0xed4245, neutral: 0x5865f2 } as const;
export type StateColor = keyof typeof stateColors;

/** The same message in an embed with its state's colour. */
export function note(state: StateColor, text: string, buttons: APIButtonComponent[] = []): Reply {
  const description = cut(text, longestNote);
  return { content: '', embeds: [{ description, color: stateColors[state] }], components: rowOf(buttons) };
}

/** A titled list with one entry per line; entries are cut until all fit. */
export function list(
  title: string,
  lines: readonly string[],
  buttons: APIButtonComponent[] = [],
  state: StateColor = 'neutral',
): Reply {
  const room = Math.floor(longestDescription / Math.max(lines.length, 1)) - 1;
  return card(title, [lines.map((line) => cut(line, room)).join('\n')], state, rowOf(buttons));
}

/** An embed message in its state's colour. */
export function card(
  title: string,
  lines: readonly string[],
  state: StateColor,
  components: Reply['components'],
): Reply {
  const description = cut(lines.join('\n'), longestDescription);
  return { content: '', embeds: [{ title, description, color: stateColors[state] }], components };
}

/** The same message with one more line below its text. */
export function withLine(reply: Reply, line: string): Reply {
  const [first, ...others] = reply.embeds;
  if (first === undefined) return { ...reply, content: cut(`${reply.content}\n${line}`, longestContent) };
  const description = `${cut(first.description ?? '', longestDescription - line.length - 1)}\n${line}`;
  return { ...reply, embeds: [{ ...first, description }, ...others] };
}

/** A link to a page with its name shown literally, without Markdown formatting. */
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

/** A row with up to five buttons, or one menu; no row for no parts. */
export function rowOf(parts: APIComponentInMessageActionRow[]): Reply['components'] {
  return parts.length === 0 ? [] : [{ type: ComponentType.ActionRow, components: parts }];
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, Math.max(length - 1, 0))}…`;

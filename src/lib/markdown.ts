import type { Token } from 'markdown-it';
import { Markup } from './html.js';
import { stripInvisible } from './invisible.js';
import { onFirstUse } from './on-first-use.js';

const reader = onFirstUse(async () => {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt({ html: false }).disable('image');
  // A refused link would be shown with its brackets and address. `onlyWebLinks` leaves its words.
  markdown.validateLink = () => true;
  return markdown;
});

const webTarget = /^(?:https?:\/\/|mailto:)/i;

/**
 * Turns CommonMark with tables into HTML. HTML in the text is shown as text, and links lead to the web and to e-mail
 * addresses. The first top-level heading is the title.
 */
export async function readMarkdown(text: string, untitled: string): Promise<{ title: string; content: Markup }> {
  const markdown = await reader();
  const tokens = markdown.parse(text, {});
  const at = tokens.findIndex(({ type, tag, level }) => type === 'heading_open' && tag === 'h1' && level === 0);
  const [, title] = at < 0 ? [] : tokens.splice(at, 3);
  for (const token of tokens) fitToPage(token);
  const html = markdown.renderer.render(tokens, markdown.options, {}).trimEnd();
  return { title: title?.content ?? untitled, content: new Markup(stripInvisible(html)) };
}

function fitToPage(token: Token): void {
  // The page's own heading is its only top-level one.
  if (/^h\d$/.test(token.tag)) token.tag = token.tag <= 'h2' ? 'h2' : 'h3';
  // A column's alignment is a style attribute, which the content security policy refuses.
  if (token.tag === 'th' || token.tag === 'td') token.attrs = null;
  token.children &&= onlyWebLinks(token.children);
}

/** A link that leads nowhere on the web, such as one to a file next to the text, becomes its words. Links don't nest. */
function onlyWebLinks(tokens: Token[]): Token[] {
  let isShown = true;
  return tokens.filter(({ type, attrs }) => {
    if (type === 'link_open') isShown = webTarget.test(String(attrs?.find(([name]) => name === 'href')?.[1]));
    return isShown || (type !== 'link_open' && type !== 'link_close');
  });
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { config } from '../../config.js';
import { NotFound } from '../../lib/errors.js';
import { type Markup, markup } from '../../lib/html.js';
import { page } from './html-page.js';

/**
 * A page from a file that the operator has put into DATA_DIR, `privacy.md` or `terms.md`: its first line, `# …`, is the
 * title, `## …` a heading, lines with `- ` a list, and blank lines part paragraphs. Throws NotFound without the file.
 */
export async function operatorPage(name: 'privacy' | 'terms'): Promise<string> {
  const text = await readFile(join(config().dataDir, `${name}.md`), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new NotFound('not_found', 'Whoever runs this service has not written this page.');
    }
    throw error;
  });
  const [, title = name, rest = text] = /^# (.+)\n([\s\S]*)$/.exec(text.replaceAll('\r\n', '\n')) ?? [];
  return page(title, markup`${rest.split(/\n\s*\n/).map(blockOf)}`);
}

function blockOf(text: string): Markup | null {
  const block = text.trim();
  if (block === '') return null;
  if (block.startsWith('## ')) return markup`<h2>${block.slice(3)}</h2>`;
  if (!block.startsWith('- ')) return markup`<p>${block}</p>`;
  return markup`<ul>${block.split(/^- /m).map((item) => item.trim() !== '' && markup`<li>${item.trim()}</li>`)}</ul>`;
}

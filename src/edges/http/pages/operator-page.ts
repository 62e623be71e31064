import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { config } from '../../../config/config.js';
import { NotFound } from '../../../lib/errors.js';
import { type Markup, markup } from '../../../lib/html.js';
import { logger } from '../../../lib/logger.js';
import { readMarkdown } from '../../../lib/markdown.js';
import { fileFault } from '../../../lib/start-error.js';
import { currentLocale, inEachLocale, t } from '../../../lib/translate.js';
import { page, pageText } from './html-page.js';

/** Maximum size for an operator's text. */
const longestBytes = 128 * 1024;

/** `docs/privacy.md`, which describes stored data, with its translations; in the image, next to the compiled files. */
const ownPrivacyTexts = inEachLocale((name) => {
  const path = name === 'en' ? 'docs/privacy.md' : `src/locales/${name}-privacy.md`;
  return new URL(`../../../../../${path}`, import.meta.url);
});

/**
 * The page `/privacy`: the operator's `DATA_DIR/privacy.md`, or else Rolelink's own text in the running code's
 * language. Throws NotFound for an operator's text that is too long.
 */
export async function privacyPage(): Promise<string> {
  const written = await writtenBy('privacy');
  if (written !== undefined) return shownAsWritten(written, t('page.privacy'));
  const origin = config().publicUrl;
  return shown(
    await readFile(ownPrivacyTexts[currentLocale()], 'utf8'),
    t('page.privacy'),
    markup`<p>${pageText('page.software_text', { origin })}</p>`,
  );
}

/** The page `/terms`: the operator's `DATA_DIR/terms.md`. Throws NotFound with an explanation if there is none. */
export async function termsPage(): Promise<string> {
  const written = await writtenBy('terms');
  if (written === undefined) {
    throw new NotFound('not_found', t('page.no_terms'));
  }
  return shownAsWritten(written, t('page.terms'));
}

async function writtenBy(name: 'privacy' | 'terms'): Promise<string | undefined> {
  const path = join(config().dataDir, `${name}.md`);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.size > longestBytes) {
    throw new NotFound('not_found', `${name}.md is longer than ${longestBytes / 1024} KB, and can't be shown.`);
  }
  // Docker makes a folder for a missing file.
  return readFile(path, 'utf8').catch((error: unknown) => {
    logger.warn({ path, reason: fileFault(error) }, "the operator's text can't be read");
    return undefined;
  });
}

/** The language of an operator's own text is unknown (HTML, §3.2.6.2). */
async function shownAsWritten(text: string, untitled: string): Promise<string> {
  const { title, content } = await readMarkdown(text, untitled);
  return page(title, markup`<div lang="">${content}</div>`, 'text');
}

async function shown(text: string, untitled: string, before?: Markup): Promise<string> {
  const { title, content } = await readMarkdown(text, untitled);
  return page(title, markup`${before}${content}`, 'text');
}

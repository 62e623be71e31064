import { request } from 'undici';
import { config } from '../../config/config.js';
import { ChatPlatformUnavailable, InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';

/** A file given with a command, as Discord describes it. `size` in bytes. */
export interface GivenFile {
  url: string;
  size: number;
}

const fileOrigins = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];
const patienceMs = 10_000;

/**
 * Reads a given file's text, only from Discord's own hosts and without redirects. Throws InvalidRequest with the path
 * `file` for more than `mostBytes` or for text that is not UTF-8, and ChatPlatformUnavailable.
 */
export async function readGivenFile({ url, size }: GivenFile, mostBytes: number): Promise<string> {
  if (size > mostBytes) throw tooLarge(mostBytes);
  const bytes = await readBytes(url, mostBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidRequest([{ path: 'file', message: t('file.no_text') }]);
  }
}

async function readBytes(url: string, mostBytes: number): Promise<Buffer> {
  if (!isOfDiscord(url)) throw new ChatPlatformUnavailable("Discord sent a file that isn't on its own hosts.");
  const chunks: Buffer[] = [];
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(patienceMs) });
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (chunks.reduce((sum, { length }) => sum + length, 0) > mostBytes) throw tooLarge(mostBytes);
    }
    if (statusCode !== 200) throw new ChatPlatformUnavailable(`Discord answered with ${statusCode} for the file.`);
  } catch (error) {
    if (error instanceof InvalidRequest || error instanceof ChatPlatformUnavailable) throw error;
    throw new ChatPlatformUnavailable(undefined, { cause: error });
  }
  return Buffer.concat(chunks);
}

/** A substitute Discord (DISCORD_API_URL) keeps files on its own host. */
const isOfDiscord = (url: string): boolean =>
  [...fileOrigins, new URL(config().discord.apiUrl).origin].includes(new URL(url).origin);

const tooLarge = (mostBytes: number): InvalidRequest =>
  new InvalidRequest([{ path: 'file', message: t('file.too_large', { kib: mostBytes / 1024 }) }]);

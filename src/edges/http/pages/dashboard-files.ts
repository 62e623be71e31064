import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Next } from 'koa';
import { config } from '../../../config/config.js';
import { markup } from '../../../lib/html.js';
import { logger } from '../../../lib/logger.js';
import { t } from '../../../lib/translate.js';
import { type CodedFile, sendCoded, tagOfContent } from '../coded-file.js';
import { retryAfterSeconds } from '../problem.js';
import { page, pageText } from './html-page.js';

type DashboardFiles = ReadonlyMap<string, CodedFile>;

/** The output folder of `npm run build`, next to the compiled service. */
const builtFolder = fileURLToPath(new URL('../../../../dashboard/', import.meta.url));

/** Page paths: each returns the same shell, which then renders the page. */
const pagePath = /^\/(sign-in|me|docs\/try|g(\/.*)?|admin(\/.*)?)?$/;

/**
 * Roblox's thumbnails are on a different host than the API that returns their addresses; a substitute Roblox has both
 * on one.
 */
function robloxPictures(): string {
  const { origin } = new URL(config().roblox.thumbnailsUrl);
  return origin === 'https://thumbnails.roblox.com' ? 'https://tr.rbxcdn.com' : origin;
}

/**
 * Scripts, styles and fonts from this origin only, and pictures from Discord and Roblox; Trusted Types forbid writing markup
 * as text.
 */
const contentSecurityPolicy = (): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' https://cdn.discordapp.com ${robloxPictures()}`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Every dashboard file by its path, `/index.html`; empty if it has not been built. */
export function readDashboard(folder = builtFolder): DashboardFiles {
  const names = statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  const files = new Map<string, CodedFile>();
  for (const name of names.filter((each) => extname(each) in types)) {
    const read = (suffix: string) => readFileSync(join(folder, `${name}${suffix}`));
    const plain = read('');
    const [br, gzip] = (['.br', '.gz'] as const).map((suffix) =>
      names.includes(`${name}${suffix}`) ? read(suffix) : undefined,
    );
    const etag = tagOfContent(plain);
    files.set(`/${name.replaceAll('\\', '/')}`, { type: types[extname(name)] ?? '', etag, plain, br, gzip });
  }
  if (files.size === 0) logger.warn('The dashboard is not built: its pages answer 503 until npm run build');
  return files;
}

/**
 * Serves the dashboard from memory, before the router and outside the rate limits: a page needs about ten files. Only
 * built files can be read; all other requests are passed on.
 */
export function serveDashboard(files: DashboardFiles): (ctx: Context, next: Next) => Promise<void> {
  return (ctx, next) => {
    const { path } = ctx;
    const isPage = pagePath.test(path);
    const isOurs = isPage || path.startsWith('/assets/') || (files.has(path) && path !== '/index.html');
    if (!isOurs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    return serveFile(ctx, files.get(isPage ? '/index.html' : path), isPage);
  };
}

async function serveFile(ctx: Context, file: CodedFile | undefined, isPage: boolean): Promise<void> {
  if (file !== undefined) return send(ctx, file);
  if (isPage) return sendNotBuilt(ctx);
  ctx.set('cache-control', 'no-store');
  ctx.throw(404, 'There is nothing under this path.');
}

function send(ctx: Context, file: CodedFile): void {
  ctx.set('cache-control', cachingOf(ctx.path));
  if (file.type.startsWith('text/html')) ctx.set('content-security-policy', contentSecurityPolicy());
  sendCoded(ctx, file);
}

/** Files named by their content never change; fonts change so seldom that a week-old copy serves. */
function cachingOf(path: string): string {
  if (path.startsWith('/assets/')) return 'public, max-age=31536000, immutable';
  return path.endsWith('.woff2') ? 'public, max-age=604800' : 'no-cache';
}

function sendNotBuilt(ctx: Context): void {
  ctx.status = 503;
  ctx.set('retry-after', String(retryAfterSeconds));
  ctx.set('cache-control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page(
    t('page.not_built'),
    markup`<p>${pageText('page.build_it', { command: markup`<code>npm run build</code>`, api: markup`<a href="/docs">API</a>` })}</p>`,
  );
}

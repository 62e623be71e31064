import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev:web` finds the service whose pages it shows: that of the demo, unless another is named. */
const service = process.env.DASHBOARD_SERVICE ?? 'http://localhost:3000';

/** Heavy parts that few pages need, or none before a press. */
const rare = [
  ...['ScrollArea', 'NativeScrollArea', 'Checkbox', 'Radio', 'Chip', 'Textarea', 'Modal', 'ModalBase', 'Drawer'],
  ...['Transition', 'Portal', 'Overlay', 'react-remove-scroll', 'react-remove-scroll-bar', 'use-focus-trap'],
  ...[
    'use-debounced-value',
    'use-debounced-callback',
    'admin-frame',
    'palette',
    'found-members',
    'nickname-example',
    'nickname-of',
    'entry-line',
    'search-choice',
    'text-or-file',
  ],
  ...[
    'condition-words',
    'change-words',
    'config-text',
    'preview-warning',
    'shown-once',
    'row-menu',
    'chart',
    'chart-scale',
    'chart-shapes',
    'chart-table',
  ],
  ...['confirm-dialog', 'leave-dialog', 'shown-once-dialog'],
];
/** Every other module that no page has for itself, and what the table of routes knows of pages. */
const common = [
  '(node_modules|src/lib)/',
  'src/dashboard/(api|i18n|parts|guild|frame)/',
  'src/dashboard/(main|route-table|search-params|theme|mantine-styles)[.]',
  'src/dashboard/pages/(failed-page|[a-z]+/[a-z]+-search|webhooks/webhook-words)[.]',
];
const everyday = new RegExp(`^(?!.*/(${rare.join('|')})[./]).*/(${common.join('|')})`);

export default defineConfig({
  root: 'src/dashboard',
  plugins: [react(), compressed()],
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    // The Content-Security-Policy allows neither data: addresses nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The styles of all pages are one file too.
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    // Compressing takes longer than bundling, which is meant.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // A first page takes few files: many small ones are slow to ask for, and pack worse.
      output: {
        // The pages that the service draws ask for the letters too, by a name that never changes.
        assetFileNames: ({ names: [name = ''] }) =>
          name.endsWith('.woff2') ? 'fonts/[name][extname]' : 'assets/[name]-[hash][extname]',
        codeSplitting: {
          groups: [
            { name: 'index', test: everyday },
            // The overview, which has the most files, shows charts and entries of the log.
            { name: 'chart', test: /[/](entry-line|chart|chart-scale|chart-shapes|chart-table)[.]/ },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    // The service takes a change only from its own address, so the requests say that they come from there.
    proxy: Object.fromEntries(
      ['/api', '^/docs$', '/verify', '/privacy', '/terms', '/healthz'].map((path) => [
        path,
        { target: service, headers: { origin: service } },
      ]),
    ),
  },
});

/** Writes each file as Brotli and gzip too: compressing at the start of the service would delay it by seconds. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const path = join(folder, name);
        // Pictures and fonts are compressed already.
        if (!statSync(path).isFile() || /[.](webp|woff2)$/.test(name)) continue;
        const raw = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        writeFileSync(`${path}.gz`, gzipSync(raw, { level: 9 }));
      }
    },
  };
}

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev:web` finds the service whose pages it shows: that of the demo, unless another is named. */
const service = process.env.DASHBOARD_SERVICE ?? 'http://localhost:3000';

export default defineConfig({
  root: 'src/dashboard',
  plugins: [react(), compressed()],
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    // The Content-Security-Policy allows neither data: addresses nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Compressing takes longer than bundling, which is meant.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // What most pages share is one file, and their frame another: sixty small ones are slow to ask for, and pack worse.
      // Tables are heavy, and several pages have none.
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', minShareCount: 9, test: /^(?!.*\/(ScrollArea|Table)\/)/, priority: 1 },
            {
              name: 'frame',
              minShareCount: 2,
              test: /\/src\/dashboard\/(frame\/|parts\/(icon|toast|brand)|pages\/[^/]+\/[a-z]+-(search|words)\.)/,
            },
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
      ['/api', '/docs', '/verify', '/privacy', '/terms', '/healthz'].map((path) => [
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
        if (!statSync(path).isFile()) continue;
        const raw = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        writeFileSync(`${path}.gz`, gzipSync(raw, { level: 9 }));
      }
    },
  };
}

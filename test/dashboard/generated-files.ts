import { fileURLToPath } from 'node:url';
import { describeApi } from '../../src/edges/http/openapi/openapi.js';
import { RouteStore } from '../../src/edges/http/route-store.js';
import { buildVersion } from '../../src/lib/build-version.js';
import { loadStrictly } from '../../src/strict-loader.js';
import { apiTypesText } from './api-types-text.js';
import { pageColors } from './page-colors.js';
import { themeSheet } from './theme-sheet.js';

/** `npm run generate`'s files: each one's path from the project's folder, and its text. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const routes = new RouteStore();
  loadStrictly(routes);
  routes.registerPath(fileURLToPath(new URL('../../routes', import.meta.url)));
  await routes.loadAll();
  const described = describeApi(routes.inMountingOrder());
  return {
    'src/client/api-types.ts': apiTypesText(described, buildVersion().version),
    'src/dashboard/theme.css': themeSheet(),
    'src/edges/http/pages/page-colors.json': pageColors(),
  };
}

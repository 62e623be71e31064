import { fileURLToPath } from 'node:url';
import { loadStrictly } from '../../strict-loader.js';
import { describeApi } from '../http/openapi/openapi.js';
import { RouteStore } from '../http/route-store.js';

// `npm run --silent openapi`: the OpenAPI document on standard output, without starting the service.
const routes = new RouteStore();
loadStrictly(routes);
routes.registerPath(fileURLToPath(new URL('../../../routes', import.meta.url)));
await routes.loadAll();
process.stdout.write(`${JSON.stringify(describeApi(routes.inMountingOrder()), null, 2)}\n`);

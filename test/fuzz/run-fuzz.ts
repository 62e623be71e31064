import { randomInt } from 'node:crypto';
import { allRoutes, startHttp } from '../edges/http/http-setup.js';
import { documentedName, type OpenApi, operationOf } from '../edges/http/openapi-setup.js';
import { isPage } from '../edges/http/walk-setup.js';
import { keepLine, noteEnvironment, takeLeaks, watchSecrets } from '../support/log-canaries.js';
import { captureLog, onLogLine } from '../support/logged-lines.js';
import { world } from '../support/world.js';
import { Fuzzer } from './fuzz-operation.js';
import { prepareTarget } from './targets.js';

// `npm run test:fuzz`: throws FUZZ_RUNS requests (200) from the seed FUZZ_SEED (any) at each operation in the OpenAPI
// document, or at those whose names contain FUZZ_ONLY; exit code 1 when an answer is a fault, or an operation never
// works.

const runs = Number(process.env.FUZZ_RUNS ?? '200');
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const only = process.env.FUZZ_ONLY ?? '';

const say = (text: string) => process.stdout.write(`${text}\n`);

// Before anything makes a secret.
watchSecrets();
onLogLine(keepLine);
captureLog();

noteEnvironment((await world()).environment);
const http = await startHttp();
const document: OpenApi = (await http.send('GET', '/api/openapi.json')).json;
const fuzzer = new Fuzzer(http, document);
const routes = allRoutes().filter((route) => !isPage(route) && route.name.includes(only));

say(`${runs} requests of seed ${seed} at each of ${routes.length} operations`);
const startedAt = performance.now();
let requests = 0;
const faults: string[] = [];
for (const route of routes) {
  const { target, valid } = await prepareTarget(http, route, operationOf(document, route));
  const works = valid.status in route.options.answers;
  const outcome = await fuzzer.fire(target, runs, seed);
  const leaks = takeLeaks();
  requests += outcome.requests;
  const counted = [...outcome.statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`);
  say(`${documentedName(route)}: ${works ? '' : 'NEVER WORKED, '}${counted.join(', ')}`);
  const found = [
    ...(works ? [] : [`what should work is answered ${valid.status} ${valid.text}`]),
    ...(outcome.fault === undefined ? [] : [outcome.fault]),
    ...leaks.slice(0, 3).map((line) => `a secret was logged: ${line}`),
  ];
  for (const fault of found) {
    say(`  ${fault}`);
    faults.push(`${documentedName(route)}\n  ${fault}`);
  }
}
await http.close();
const { contractViolations = [] } = await world();
for (const violation of contractViolations.slice(0, 20)) faults.push(`a contract was broken: ${violation}`);
const seconds = Math.round((performance.now() - startedAt) / 1_000);
if (faults.length > 0) say(`\n${faults.join('\n')}`);
say(`${requests} requests of seed ${seed} in ${seconds} s: ${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);

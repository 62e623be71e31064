import { ModelService } from '../model/model-service.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { openTestDatabase } from '../support/test-database.js';
import { measureOutage, outages } from './outage.js';

// `npm run test:faults`: ten minutes without each service that Rolelink needs. Times are by the service's clock, which
// the harness moves in steps of 5 s while everything else continues. Exit code 1 when a person stays out of step.

const say = (...cells: string[]) => {
  const [first = '', ...others] = cells;
  process.stdout.write(`${first.padEnd(16)}${others.map((cell) => cell.padStart(18)).join('')}\n`);
};

const engine = await openTestDatabase();
let isLost = false;
say('away for 600 s', 'events meanwhile', 'in step after', 'lost', 'really took');
for (const [index, outage] of outages.entries()) {
  const [discord, roblox] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
  ]);
  const service = await ModelService.prepare({ discord, roblox }, engine.uri, `outage_${index}`);
  await service.start();
  const { what, events, inStepAfterSeconds, realSeconds, lost } = await measureOutage(
    { discord, roblox, service },
    outage,
  );
  const after = inStepAfterSeconds === undefined ? 'never' : `${inStepAfterSeconds} s`;
  say(what, String(events), after, String(lost.length), `${Math.round(realSeconds)} s`);
  for (const each of lost) say('', each);
  isLost ||= lost.length > 0;
  await service.close();
  await Promise.all([discord.stop(), roblox.stop()]);
}
await engine.close();
process.exit(isLost ? 1 : 0);

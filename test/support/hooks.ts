import type { RootHookObject } from 'mocha';
import { config } from '../../src/config/config.js';
import { clock } from '../../src/lib/clock.js';
import { configureRoblox, robloxConfig } from '../../src/platforms/roblox/roblox-config.js';
import { backgroundIsQuiet } from './background.js';
import { forgetPending } from './build.js';
import { keepLine, noteEnvironment, takeLeaks, watchSecrets } from './log-canaries.js';
import { captureLog, onLogLine } from './logged-lines.js';
import { shortenWaits } from './short-waits.js';
import { noteDuration, openDurations, printSlowestFiles } from './slowest-files.js';
import { world } from './world.js';

export { openDurations as mochaGlobalSetup, printSlowestFiles as mochaGlobalTeardown };

// Before anything makes a secret.
watchSecrets();
onLogLine(keepLine);

/** How many broken contracts have been reported: each file reports its own. */
let judged = 0;
let startedAt = 0;

/**
 * Files run in parallel, several per process. The first starts the service, which lives as long as the process. No
 * timers run in it; a file that wants pending syncs to run calls `withPromptSyncs`. After each file its background work
 * ends, the calls to Discord and Roblox are judged, and its log is searched for secrets.
 */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Mocha.Context) {
    startedAt = performance.now();
    captureLog();
    shortenWaits();
    noteEnvironment((await world()).environment);
    await forgetPending();
  },
  /**
   * The Roblox adapter's tests use their own Roblox, so the service's is restored. A changed clock is valid for one
   * test only.
   */
  afterEach() {
    clock.restore();
    const { roblox } = config();
    if (robloxConfig().usersUrl !== roblox.usersUrl) configureRoblox(roblox);
  },
  /**
   * The next file in this process finds all platforms and the Roblox key well, no breaker open, and no Stripe event
   * held back.
   */
  async afterAll(this: Mocha.Context) {
    noteDuration(this.test?.parent?.suites[0]?.file ?? '', performance.now() - startedAt);
    const { contractViolations = [], discord, roblox, stripe } = await world();
    discord.clearFaults();
    roblox.clearFaults();
    roblox.mendKey();
    stripe.clearFaults();
    stripe.events.release();
    await backgroundIsQuiet();
    configureRoblox(config().roblox);
    const leaks = takeLeaks();
    if (leaks.length > 0) throw new Error(`Secrets were logged:\n${leaks.slice(0, 10).join('\n')}`);
    const news = contractViolations.slice(judged);
    judged = contractViolations.length;
    if (news.length > 0) throw new Error(`Contracts were broken:\n${news.slice(0, 40).join('\n')}`);
  },
};

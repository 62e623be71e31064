import type { RootHookObject } from 'mocha';
import { config } from '../../src/config.js';
import { configureRoblox, robloxConfig } from '../../src/roblox/roblox-config.js';
import { endWorld, world } from './world.js';

/** Starts the service before the first test, stops it after the last, and then judges what it sent and was sent. */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Mocha.Context) {
    this.timeout(60_000);
    await world();
  },
  /** Tests of the Roblox adapter point it at a Roblox of their own; the service must find its own again. */
  afterEach() {
    const { roblox } = config();
    if (robloxConfig().usersUrl !== roblox.usersUrl) configureRoblox(roblox);
  },
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    const ended = await endWorld();
    const violations = [...new Set(ended?.contractViolations ?? [])];
    if (violations.length > 0) throw new Error(`Contracts were broken:\n${violations.slice(0, 40).join('\n')}`);
  },
};

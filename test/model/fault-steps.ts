import type { StepKind } from './step.js';

// What fails: the processes and networks between the service and the platforms.

const memberWrite = /^(PUT|DELETE|PATCH) .*\/members\//;
const memberships = /^GET apis\.roblox\.com\/cloud\/v2\/groups\/.*memberships/;
const roblox = /roblox\.com/;

export const faultSteps = {
  dropGateway: {
    weight: 2,
    tell: () => 'the gateway is lost, and resumed',
    act: ({ discord }, { value }) => discord.dropGateway(value),
  },
  loseSession: {
    weight: 1,
    tell: () => 'the gateway session is lost for good',
    act: ({ discord }) => discord.invalidateSessions(),
  },
  kill: {
    weight: 1,
    tell: () => 'kill -9',
    act: ({ service }) => service.kill(),
  },
  restart: {
    weight: 2,
    tell: () => 'the service is started again',
    // Without its database it would end again immediately.
    act: ({ service }) => (service.isRunning || service.isCut ? undefined : service.start()),
  },
  cutDatabase: {
    weight: 0.7,
    tell: () => 'the database is away',
    act: ({ service }) => service.cutDatabase(),
  },
  mendDatabase: {
    weight: 3,
    tell: () => 'the database is back',
    act: ({ service }) => service.mendDatabase(),
  },
  robloxDown: {
    weight: 0.7,
    tell: () => 'Roblox is down',
    act: (stage) => stage.roblox.inject({ match: roblox, status: 503 }),
  },
  robloxFlaky: {
    weight: 1.5,
    tell: ({ value }) => `Roblox answers ${value % 2 ? '429' : '500'} ${1 + (value % 4)} times`,
    act: (stage, { value }) =>
      stage.roblox.inject({
        match: roblox,
        times: 1 + (value % 4),
        ...(value % 2 ? { status: 429, retryAfter: 1 } : { status: 500 }),
      }),
  },
  robloxHalf: {
    weight: 1,
    tell: ({ value }) => `Roblox sends half of ${1 + (value % 4)} answers`,
    act: (stage, { value }) => stage.roblox.inject({ match: roblox, times: 1 + (value % 4), corrupt: 'truncated' }),
  },
  robloxLies: {
    weight: 2,
    tell: ({ value }) => `Open Cloud says ${1 + (value % 4)} times that nobody is in a group`,
    act: (stage, { value }) =>
      stage.roblox.inject({ match: memberships, times: 1 + (value % 4), corrupt: 'empty_data' }),
  },
  discordFails: {
    weight: 1.5,
    tell: ({ value }) => `Discord answers ${value % 2 ? '429' : '500'} to ${1 + (value % 3)} writes`,
    act: ({ discord }, { value }) =>
      discord.inject({
        match: memberWrite,
        times: 1 + (value % 3),
        ...(value % 2 ? { status: 429, retryAfter: 1 } : { status: 500 }),
      }),
  },
  discordSilent: {
    weight: 1,
    tell: ({ value }) => `Discord makes ${1 + (value % 3)} changes without an answer`,
    act: ({ discord }, { value }) =>
      discord.inject({ match: memberWrite, times: 1 + (value % 3), dropSocket: true, when: 'after' }),
  },
  mendPlatforms: {
    weight: 3,
    tell: () => 'Roblox and Discord are well',
    act(stage) {
      stage.roblox.clearFaults();
      stage.discord.clearFaults();
    },
  },
  setClock: {
    weight: 1,
    tell: ({ value }) => `the clock is set by ${(value - 128) * 30} s`,
    act: ({ service }, { value }) => service.setClock((value - 128) * 30),
  },
  passTime: {
    weight: 3,
    tell: ({ value }) => `${spans[value % spans.length]} s pass`,
    async act({ service, unawaited }, { value }) {
      await service.pass(spans[value % spans.length] ?? 0);
      // A job may wait for the missing platform.
      if (service.isRunning) unawaited.push(service.runStanding().catch(() => undefined));
    },
  },
} satisfies Record<string, StepKind>;

const spans = [10, 60, 600, 4_000];

import { REST, Routes } from 'discord.js';
import { inLane, type Lane } from '../../../src/lib/lane.js';
import { InvalidRequestGuard } from '../../../src/platforms/discord/rest/invalid-request-guard.js';
import { RequestLanes } from '../../../src/platforms/discord/rest/request-lanes.js';
import { type DiscordSandbox, startDiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';

export const putEndpoint = 'PUT /guilds/:guildId/members/:userId/roles/:roleId';

interface LaneGuild {
  guildId: string;
  /** Gives the role to the n-th member in a lane. */
  put(lane: Lane, member: number, signal?: AbortSignal): Promise<unknown>;
  path(member: number): `/${string}`;
}

/** discord.js's own REST client with lanes above it, and its own Discord for it. */
export interface LaneSetup {
  sandbox: DiscordSandbox;
  client: REST;
  lanes: RequestLanes;
  guild(members: number): LaneGuild;
  /** The answered role writes' paths so far, oldest first, with the answers. */
  writes(): { path: string; status: number }[];
  stop(): Promise<void>;
}

export async function setUpLanes(
  rateLimits: Record<string, { limit: number; seconds: number }> | false,
  { globalRequestsPerSecond = 50, allowance = 10_000 } = {},
): Promise<LaneSetup> {
  const sandbox = await startDiscordSandbox({ rateLimits });
  const client = new REST({ api: sandbox.apiUrl, version: '10', globalRequestsPerSecond });
  client.setToken(sandbox.application.botToken);
  const lanes = new RequestLanes(client, new InvalidRequestGuard(allowance));
  return {
    sandbox,
    client,
    lanes,
    guild: (members) => buildLaneGuild(sandbox, lanes, members),
    writes: () =>
      sandbox.requests.flatMap(({ method, path, status }) =>
        method === 'PUT' ? [{ path: withoutBase(path), status }] : [],
      ),
    async stop() {
      client.clearHashSweeper();
      client.clearHandlerSweeper();
      await sandbox.stop();
    },
  };
}

function buildLaneGuild(sandbox: DiscordSandbox, { rest }: RequestLanes, members: number): LaneGuild {
  const owner = sandbox.addUser({ username: 'owner' });
  const { id: guildId } = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
  const role = sandbox.addRole(guildId, { name: 'Recruit' });
  const userIds = Array.from({ length: members }, (_, index) => sandbox.addUser({ username: `member${index}` }).id);
  for (const userId of userIds) sandbox.join(guildId, userId);
  const path = (member: number) => Routes.guildMemberRole(guildId, userIds[member] ?? '', role.id);
  return { guildId, path, put: (lane, member, signal) => inLane(lane, () => rest.put(path(member)), signal) };
}

const withoutBase = (path: string) => path.replace(/^.*?(?=\/guilds)/, '');

/** A rejected promise's error; undefined otherwise. */
export function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildGuild, type TestGuild, tokenFor } from '../support/build.js';
import { world } from '../support/world.js';
import { type GameOptions, type PlayedGame, playGame } from './game-server.js';

export const hasLua = (): Promise<boolean> =>
  promisify(execFile)('lua5.4', ['-v']).then(
    () => true,
    () => false,
  );

/** A server with a game and its token. */
export interface GameGuild extends TestGuild {
  token: string;
  /** Plays a scenario in which `rolelink` is a client of this server, and `topic` the one of its pushes. */
  play(scenario: string, options?: Partial<GameOptions> & { config?: string }): Promise<PlayedGame>;
}

export async function buildGameGuild<T extends TestGuild>(built?: T): Promise<(T | TestGuild) & GameGuild> {
  const guild = built ?? (await buildGuild());
  const token = await tokenFor(guild.guildId, 'game');
  const { url: address } = await world();
  return {
    ...guild,
    token,
    play: (scenario, { config = '', secrets = {}, ...options } = {}) => {
      const client = `address = "${address}", guildId = "${guild.guildId}", secret = "rolelink"`;
      const begin = `local topic = "rolelink-${guild.guildId}"
        local function start() return Rolelink.new({ ${client}, ${config} }) end\n`;
      return playGame(begin + scenario, { address, secrets: { rolelink: token, ...secrets }, ...options });
    },
  };
}

/** A line of Lua that has these people join, by the names `p1`, `p2`, … */
export const joining = (...gameUserIds: string[]): string =>
  gameUserIds.map((id, index) => `local p${index + 1} = join("${id}")`).join('\n');

export const lookUps = ({ requests }: PlayedGame) => requests.filter(({ path }) => path.endsWith('/members/lookup'));
export const idsOf = ({ body }: { body: unknown }): string[] => (body as { gameUserIds: string[] }).gameUserIds;

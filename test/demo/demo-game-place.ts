import { z } from 'zod';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import type { DemoCaller } from './demo-caller.js';

const lookUpAnswer = z.object({
  data: z.array(z.object({ id: z.string(), member: z.object({ roleIds: z.array(z.string()) }).nullable() })),
});

const hint = z.object({
  v: z.literal(1),
  everybody: z.boolean().optional(),
  gameUserIds: z.array(z.string()).optional(),
});

/** A running game's stand-in: it looks its players up after each message to it, and keeps whether they have a role. */
export class GamePlace {
  /** When the first message came, by `performance.now()`. */
  heardAt: number | undefined;
  readonly #hasRole = new Map<string, boolean>();

  constructor(
    readonly caller: DemoCaller,
    readonly guildId: string,
    readonly roleId: string,
  ) {}

  /** The player's attribute; undefined before they are looked up. */
  hasRole(gameUserId: string): boolean | undefined {
    return this.#hasRole.get(gameUserId);
  }

  async lookUp(gameUserIds: readonly string[]): Promise<void> {
    const path = `/api/guilds/${this.guildId}/members/lookup`;
    const { data } = lookUpAnswer.parse(await this.caller.call('POST', path, { gameUserIds }));
    for (const { id, member } of data) this.#hasRole.set(id, member?.roleIds.includes(this.roleId) ?? false);
  }

  /** Hears the messages to a universe until the returned function is called. */
  listenIn(roblox: RobloxSandbox, universeId: string): () => void {
    return roblox.subscribe(universeId, `rolelink-${this.guildId}`, (text) => {
      const { everybody = false, gameUserIds = [] } = hint.parse(JSON.parse(text));
      this.heardAt ??= performance.now();
      const mine = [...this.#hasRole.keys()].filter((id) => everybody || gameUserIds.includes(id));
      if (mine.length > 0) void this.lookUp(mine);
    });
  }
}

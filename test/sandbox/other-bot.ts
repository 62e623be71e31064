import type { DiscordSandbox } from './discord/discord-sandbox.js';
import type { RobloxSandbox } from './roblox/roblox-sandbox.js';

/** Numbers from 0 to 1 that are the same for the same seed. */
export type Dice = () => number;

export function diceOf(seed: number): Dice {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Keeps {
  guildId: string;
  groupId: string;
  /** Each known person's Roblox account. */
  accounts: ReadonlyMap<string, string>;
  roles: { member: string; officer: string; visitor: string };
}

/**
 * Another bot that hands out roles by ranks in a Roblox group, by rules of its own:
 * officers begin at rank 90, owners are no officers, nobody loses the members' role, and people without account are
 * visitors. It looks at some people at a time, and some of its writes fail.
 */
export class OtherBot {
  constructor(
    private readonly platforms: { discord: DiscordSandbox; roblox: RobloxSandbox },
    private readonly keeps: Keeps,
    private readonly dice: Dice,
  ) {}

  /** Reads a share of the people and sets their roles, except where its writes fail. */
  round(share: number, failing: number): void {
    const { discord } = this.platforms;
    const { guildId } = this.keeps;
    for (const id of discord.memberIds(guildId)) {
      if (id === discord.application.botUserId || this.dice() > share) continue;
      const held = discord.member(guildId, id)?.roleIds ?? [];
      const wanted = this.#rolesOf(id, held);
      if (wanted.join() !== [...held].sort().join() && this.dice() >= failing) {
        discord.setMemberRoles(guildId, id, wanted);
      }
    }
  }

  #rolesOf(id: string, held: readonly string[]): string[] {
    const { groupId, accounts, roles } = this.keeps;
    const { member, officer, visitor } = roles;
    const account = accounts.get(id);
    const [rank = 0] = account === undefined ? [] : (this.platforms.roblox.ranksOf(groupId, account) ?? []);
    const others = held.filter((role) => role !== member && role !== officer && role !== visitor);
    return [
      ...others,
      ...(rank > 0 || held.includes(member) ? [member] : []),
      ...(rank >= 90 && rank < 255 ? [officer] : []),
      ...(account === undefined ? [visitor] : []),
    ].sort();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import type { Crowd } from './resync-crowd.js';

interface Platforms {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  database: Connection;
}

/** A change that somebody made, and the roles that must follow. */
export interface Change {
  guildId: string;
  chatUserId: string;
  expected: string[];
  /** The role that one event tells. */
  added: string;
}

const everyMs = 500;
/** On a slow machine; an answer that no process gives never comes. */
const answerWithinMs = 120_000;

/** People of the crowds join, are promoted and press buttons, until it ends. Everybody changes once. */
export class HandoverLoad {
  readonly changes: Change[] = [];
  /** Time to the first sign of an answer, for each press and command, in ms. */
  readonly answeredMs: number[] = [];
  /** Presses and commands that nobody answered, or answered with a failure. */
  readonly unanswered: string[] = [];
  #ending = false;
  #loops: Promise<void>[] = [];
  #serial = 0;
  #waiting: { crowd: Crowd; chatUserId: string; gameUserId: string }[] = [];

  constructor(
    private readonly platforms: Platforms,
    private readonly crowds: readonly Crowd[],
  ) {}

  begin(): void {
    this.#loops = [this.#loop(() => this.join(this.#next())), this.#loop(() => this.#promote())];
  }

  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#loops);
  }

  /** A press of each crowd's owner, without a change. */
  async pressEverywhere(): Promise<void> {
    for (const { guildId, ownerId } of this.crowds) await this.#answered(guildId, ownerId, 'help');
  }

  async #loop(step: () => Promise<unknown>): Promise<void> {
    while (!this.#ending) {
      await step();
      await delay(everyMs);
    }
  }

  #next(): Crowd {
    const crowd = this.crowds[this.#serial % this.crowds.length];
    if (crowd === undefined) throw new Error('There is no crowd.');
    return crowd;
  }

  /** A person with an account joins. They are promoted later. @returns their id */
  async join(crowd: Crowd): Promise<string> {
    const { discord, roblox, database } = this.platforms;
    this.#serial += 1;
    const { id: chatUserId } = discord.addUser({ username: `handover.joiner${this.#serial}` });
    const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: `Joiner_${this.#serial}` });
    roblox.setRank(crowd.groupId, gameUserId, 1);
    const at = new Date();
    const names = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    const account = { _id: chatUserId, ...names, method: 'oauth', linkedAt: at, namesReadAt: at };
    await database.collection<{ _id: string }>('accounts').insertOne(account);
    discord.join(crowd.guildId, chatUserId);
    const { guildId, memberRole } = crowd;
    this.changes.push({ guildId, chatUserId, expected: [memberRole], added: memberRole });
    this.#waiting.push({ crowd, chatUserId, gameUserId });
    return chatUserId;
  }

  /** A person who joined a while ago is promoted on Roblox, and asks for the role by a button or a command. */
  async #promote(): Promise<void> {
    const { discord, roblox } = this.platforms;
    const [person] = this.#waiting;
    if (person === undefined) return;
    const { crowd, chatUserId, gameUserId } = person;
    const { guildId, groupId, memberRole, officerRole } = crowd;
    if (!discord.member(guildId, chatUserId)?.roleIds.includes(memberRole)) return;
    this.#waiting.shift();
    roblox.setRank(groupId, gameUserId, 100);
    const expected = [memberRole, officerRole].sort();
    this.changes.push({ guildId, chatUserId, expected, added: officerRole });
    await this.#answered(guildId, chatUserId, this.#serial % 2 === 0 ? 'update' : 'button');
  }

  async #answered(guildId: string, chatUserId: string, way: string): Promise<void> {
    const { discord } = this.platforms;
    try {
      const opened = await discord.command(guildId, chatUserId, way === 'button' ? 'verify' : way);
      this.answeredMs.push(opened.acknowledgedAfterMs);
      const message = await opened.reply(answerWithinMs);
      if (way !== 'button') return;
      const pressed = await discord.press(guildId, chatUserId, message, 'Update roles');
      this.answeredMs.push(pressed.acknowledgedAfterMs);
      await pressed.reply(answerWithinMs);
    } catch (error) {
      this.unanswered.push(`${way} at ${new Date().toISOString()}: ${String(error)}`);
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { TestPerson } from '../support/build.js';
import { type ApiCall, officer, type Platforms, type PromptGuild } from './promptness-stage.js';

const seenEveryMs = 10;
/** A token's limit is 120 a minute. */
const askAgainMs = 3_000;
const givenUpMs = 60_000;
/** A token may read 600 times a minute. */
const readEveryMs = 101;
/** Each person may use 120 commands a minute. */
const commandEveryMs = 700;
const changeEveryMs = 1_000;

export interface Measured {
  /** From the change to the role on Discord, from the command to its answer, and for the request, in ms. */
  roleChanges: number[];
  commands: number[];
  me: number[];
}

export interface Calm {
  platforms: Platforms;
  guild: PromptGuild;
  admin: ApiCall;
  viewer: ApiCall;
}

/** Measures in a guild whose people use it normally, until the signal. */
export async function measureCalm(calm: Calm, signal: AbortSignal): Promise<Measured> {
  const measured: Measured = { roleChanges: [], commands: [], me: [] };
  const [commanding = [], changing = []] = [calm.guild.people.slice(0, 2), calm.guild.people.slice(2)];
  await Promise.all([
    every(changeEveryMs, signal, async (turn) => {
      measured.roleChanges.push(await changeRole(calm, changing[turn % changing.length]));
    }),
    every(commandEveryMs, signal, async (turn) => {
      measured.commands.push(await useCommand(calm, commanding[turn % commanding.length]));
    }),
    every(readEveryMs, signal, async () => {
      measured.me.push(await timeOf(async () => calm.admin('GET', '/api/auth/me')));
    }),
  ]);
  return measured;
}

/** Calls `work` one after the other, at most this often. */
async function every(ms: number, signal: AbortSignal, work: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const next = delay(ms, undefined, { signal }).catch(() => undefined);
    await work(turn);
    await next;
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Changes a person's rank on Roblox, asks for a sync, and waits until the role has followed. */
function changeRole({ platforms, guild, admin }: Calm, person: TestPerson | undefined): Promise<number> {
  if (person === undefined) throw new Error('Nobody can be promoted.');
  const { discord, roblox } = platforms;
  const { guildId, roleId, groupId } = guild;
  const holds = () => discord.member(guildId, person.chatUserId)?.roleIds.includes(roleId) === true;
  const wanted = !holds();
  return timeOf(async () => {
    roblox.setRank(groupId, person.gameUserId, wanted ? officer : 1);
    const end = performance.now() + givenUpMs;
    const isOver = () => holds() === wanted || performance.now() > end;
    for (let askedAt = Number.NEGATIVE_INFINITY; !isOver(); await delay(seenEveryMs)) {
      if (performance.now() - askedAt < askAgainMs) continue;
      await admin('POST', `members/${person.chatUserId}/resync`);
      askedAt = performance.now();
    }
  });
}

function useCommand({ platforms, guild }: Calm, person: TestPerson | undefined): Promise<number> {
  if (person === undefined) throw new Error('Nobody uses commands.');
  return timeOf(async () => (await platforms.discord.command(guild.guildId, person.chatUserId, 'update')).reply());
}

/** Reads people by a viewer's token as often as it may, some freshly from Discord. */
export function readAtLimit({ guild, viewer }: Calm, signal: AbortSignal): Promise<void> {
  return every(readEveryMs, signal, (turn) => {
    const { chatUserId = '' } = guild.people[turn % guild.people.length] ?? {};
    return viewer('GET', `members/${chatUserId}${turn % 2 === 0 ? '?fresh=true' : '/why'}`);
  });
}

/** An admin's dearest requests, one after the other in each of several loops; refusals are asked again. */
export async function askDearly(guild: PromptGuild, admin: ApiCall, signal: AbortSignal): Promise<void> {
  const draft = {
    condition: { type: 'group_rank', groupId: guild.groupId, min: 2, max: 254 },
    roleIds: [guild.roleId],
  };
  const requests: [string, string, object?][] = [
    ['POST', 'sync/preview', {}],
    ['POST', 'sync/preview', { mappings: [draft] }],
    ['POST', 'setup/preview', {}],
    ['GET', 'groups/search?q=Group'],
    ['POST', 'mappings/import', { mappings: [draft], dryRun: true }],
    ['GET', 'members?q=Dear'],
    ['GET', 'overview'],
  ];
  const loop = (first: number) =>
    every(50, signal, async (turn) => {
      const [method, path, body] = requests[(first + turn) % requests.length] ?? ['GET', 'overview'];
      await admin(method, path, body);
    });
  await Promise.all([0, 2, 5].map(loop));
}

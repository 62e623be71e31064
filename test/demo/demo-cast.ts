import type { SandboxInteraction } from '../sandbox/discord/discord-sandbox.js';
import { type DemoStage, until } from './demo-stage.js';

/** One step in the story: its action, and a check against the sandbox's own state, which throws. */
export interface DemoStep {
  tells: string;
  play(): Promise<void>;
  /** A figure of the step, told after it. */
  found?(): string;
}

/** The story's people, servers and roles, made on both sandboxes before it begins. */
export function castStory({ discord, roblox }: DemoStage) {
  const ada = discord.addUser({ username: 'ada', globalName: 'Ada' });
  const ben = discord.addUser({ username: 'ben', globalName: 'Ben' });
  const cleo = discord.addUser({ username: 'cleo', globalName: 'Cleo' });
  const gameBen = roblox.addUser({ username: 'BuilderBen', displayName: 'Ben the Builder' });
  const gameCleo = roblox.addUser({ username: 'CleoCraft' });
  const group = roblox.addGroup({
    name: 'Space Rangers',
    roles: [
      { name: 'Guest', rank: 0 },
      { name: 'Recruit', rank: 10 },
      { name: 'Officer', rank: 100 },
      { name: 'Commander', rank: 255 },
    ],
  });
  roblox.setRank(group.id, gameBen.id, 10);
  roblox.setRank(group.id, gameCleo.id, 100);
  const base = discord.addGuild({ name: 'Ranger Base', ownerId: ada.id, withBot: false });
  /** The role by that name, once it is made in the story. */
  const role = (name: string): string => {
    const found = discord.roles(base.id).find((each) => each.name === name);
    if (found === undefined) throw new Error(`Ranger Base has no role ${name}.`);
    return found.id;
  };
  return { ada, ben, cleo, gameBen, gameCleo, group, base, role };
}

export type DemoCast = ReturnType<typeof castStory>;

/** Waits until a person has exactly these roles in a server. */
export async function hasRoles(
  { discord }: DemoStage,
  guildId: string,
  userId: string,
  ...wanted: string[]
): Promise<void> {
  const held = () => [...(discord.member(guildId, userId)?.roleIds ?? [])].sort().join();
  await until(`${userId} has the roles [${wanted}] in ${guildId}`, () => held() === wanted.sort().join());
}

/** Waits for the reply to an interaction, and throws unless it says this. */
export async function expectWords(interaction: SandboxInteraction, words: RegExp, timeoutMs = 5_000): Promise<void> {
  const text = await interaction.text(timeoutMs);
  if (!words.test(text)) throw new Error(`The reply should say ${String(words)}, but says: ${text}`);
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signInAt } from '../boot/service-process.js';
import { startReceiver } from '../features/webhooks/receiver.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';

/** The platforms as the stored data knows them. Sandboxes give out their own ids each time: `ids` has them by name. */
export async function openStoredStage() {
  const [discord, roblox, receiver, dataDir] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    startReceiver(),
    mkdtemp(join(tmpdir(), 'rolelink-upgrade-')),
  ]);
  const people = Object.fromEntries(
    ['owner', 'teammate', 'linked', 'waiting'].map((name) => [name, discord.addUser({ username: name }).id]),
  );
  const { owner = '', linked = '', waiting = '', teammate = '' } = people;
  const guild = discord.addGuild({ name: 'Stored', ownerId: owner }).id;
  const [officer, verified] = ['Officer', 'Verified'].map((name) => discord.addRole(guild, { name }).id);
  for (const id of [linked, waiting, teammate]) discord.join(guild, id);
  const [officerOnRoblox, newcomer] = ['StoredOfficer', 'StoredNewcomer'].map(
    (username) => roblox.addUser({ username }).id,
  );
  const group = roblox.addGroup({ name: 'Stored group' });
  roblox.setRank(group.id, officerOnRoblox ?? '', 100);
  const gameRoles = Object.fromEntries(group.roles.map(({ rank, id }) => [`rank${rank}`, id]));
  const ids: Record<string, string> = {
    ...people,
    ...gameRoles,
    application: discord.application.id,
    guild,
    channel: discord.channel(guild).id,
    botRole: discord.botRole(guild).id,
    officer: officer ?? '',
    verified: verified ?? '',
    officerOnRoblox: officerOnRoblox ?? '',
    newcomer: newcomer ?? '',
    group: group.id,
  };
  const environment = async (): Promise<Record<string, string>> => ({
    ...sandboxEnvironment(discord, roblox),
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DEFAULT_PLAN: 'enterprise',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const close = async (): Promise<void> => {
    await Promise.all([discord.stop(), roblox.stop(), receiver.close()]);
    await removeFolder(dataDir);
  };
  return { discord, roblox, receiver, dataDir, ids, environment, close };
}

export type StoredStage = Awaited<ReturnType<typeof openStoredStage>>;

/** Calls the service as a person on the stage. Throws for an answer that is a refusal. */
export async function personAt(url: string, { discord, ids }: StoredStage, name: string) {
  const headers = await signInAt(url, discord, ids[name] ?? '');
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** A person proves an account by the phrase in its profile. */
export async function verify(url: string, stage: StoredStage, name: string, account: string, gameUsername: string) {
  const { guild: guildId = '' } = stage.ids;
  const ask = await personAt(url, stage, name);
  const begun = await ask<{ token: string; phrase: string }>('POST', '/api/verification/session', {
    guildId,
    method: 'profile_code',
  });
  stage.roblox.setAbout(stage.ids[account] ?? '', begun.phrase);
  await ask('POST', '/api/verification/complete', { token: begun.token, gameUsername });
}

import { parseArgs } from 'node:util';
import { castStory, type DemoStep } from './demo-cast.js';
import { gameStory } from './demo-game-story.js';
import { livingServer } from './demo-living-server.js';
import { rankingStory } from './demo-ranking-story.js';
import { serviceStory } from './demo-service-story.js';
import { setupStory } from './demo-setup-story.js';
import { type DemoStage, setStage, until } from './demo-stage.js';
import { mainStory } from './demo-story.js';
import { switchStory } from './demo-switch-story.js';

// `npm run demo`: the service against the sandbox. Plays the story, prints each step, and stays up. With `--once` it ends
// instead, with exit code 0 only if every step came true.

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Plays the steps in order; answers whether every one came true. A step that fails ends the story. */
async function playStory(steps: readonly DemoStep[]): Promise<boolean> {
  for (const [index, { tells, play, found }] of steps.entries()) {
    const started = performance.now();
    try {
      await play();
    } catch (error) {
      say(`  ✘ ${index + 1}. ${tells}\n     ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
    const figure = found === undefined ? '' : `, ${found()}`;
    say(`  ✔ ${index + 1}. ${tells} (${Math.round(performance.now() - started)} ms${figure})`);
  }
  return true;
}

/** The commands are registered just after the gateway is ready. */
async function commandsAreThere({ discord, url }: DemoStage): Promise<void> {
  const registered = () =>
    discord.requests.some(
      ({ method, path, status }) => method === 'PUT' && path.endsWith('/commands') && status === 200,
    );
  await until(`the commands of ${url} are registered`, registered);
}

/** With a person already chosen on Discord's page, one press shows the server. */
function dashboardOf({ discord, url }: DemoStage, personId: string, guildId: string): string {
  const login = `${url}/api/auth/login?returnTo=${encodeURIComponent(`/g/${guildId}`)}`;
  return `${discord.url}/oauth2/as/${personId}?then=${encodeURIComponent(login)}`;
}

async function tellHowToGoOn(stage: DemoStage, guildId: string, adaId: string): Promise<void> {
  const { discord, roblox, stripe, url, mintToken } = stage;
  say(`
Still running; Ctrl+C ends it. The dashboard of Ranger Base as ada, its owner: open this and press Authorize.
  ${dashboardOf(stage, adaId, guildId)}

To click through:
  the service        ${url}/        the API: ${url}/docs
  Discord sandbox    ${discord.url}/        be somebody, join servers, press buttons, use commands
  Roblox sandbox     ${roblox.url}/        change ranks and profiles
  Stripe sandbox     ${stripe.url}/        pay, cancel, let payments fail

Ranger Base has six verified members, the plan Pro, and a webhook whose delivery failed. To try as ada in the Discord sandbox:
  /setup                          goes through the steps again; nothing changes before Apply
  /why member:dora                says why she has her roles; change her rank in the Roblox sandbox and ask again
  /preview and /resync start      what a resync would do, and doing it
  /mapping list, /settings view   what is in force

A bot token of the server Ranger Base, to try the API with:
  export TOKEN=${await mintToken(guildId)}
  curl -H "Authorization: Bot $TOKEN" ${url}/api/guilds/${guildId}
  curl -H "Authorization: Bot $TOKEN" ${url}/api/guilds/${guildId}/members
  curl -H "Authorization: Bot $TOKEN" ${url}/api/guilds/${guildId}/mappings
  curl -H "Authorization: Bot $TOKEN" ${url}/api/guilds/${guildId}/webhooks`);
}

const stage = await setStage();
say(`Rolelink is ready after ${Math.round(stage.readyAfterMs)} ms, with the embedded database. The story:`);
await commandsAreThere(stage);
const cast = castStory(stage);
const chapters = [setupStory, mainStory, serviceStory, livingServer, switchStory, rankingStory, gameStory];
const cameTrue = await playStory(chapters.flatMap((chapter) => chapter(stage, cast)));
say(cameTrue ? 'Every step came true.' : 'The story failed.');
if (values.once || !cameTrue) {
  await stage.stop();
  process.exit(cameTrue ? 0 : 1);
}
await tellHowToGoOn(stage, cast.base.id, cast.ada.id);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stage.stop().then(() => process.exit(0)));

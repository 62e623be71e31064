import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApplicationCommandType, ComponentType, InteractionType } from 'discord-api-types/v10';
import { z } from 'zod';

/** A Discord gateway event for a bot. */
export interface Dispatch {
  t: string;
  d: unknown;
}

/** JSON has no enums: a text stands for each, and a number of flags for any sum. */
const types = `import type * as D from 'discord-api-types/v10';
type Flags = 'flags' | 'public_flags' | 'system_channel_flags';
type Wire<T> = T extends string
  ? \`\${T}\`
  : T extends object
    ? { [K in keyof T]: K extends Flags ? number : Wire<T[K]> }
    : T;
type Data<Name extends string, P = D.GatewayDispatchPayload> = P extends { t: infer T extends string; d: infer D }
  ? Name extends \`\${T}\` ? Wire<D> : never
  : never;
`;

/**
 * The compiler's complaints about events, held to discord-api-types' types: missing keys, unknown ones, keys of another
 * type, and events with no known name. Discord publishes no schema for the gateway.
 */
export async function dispatchComplaints(events: readonly Dispatch[]): Promise<string[]> {
  // Within the project, for the compiler to find the package.
  const folder = await mkdtemp(join(dirname(fileURLToPath(import.meta.url)), 'payloads-'));
  const lines = events.map((event, at) => `export const p${at}: ${typeOf(event)} = ${JSON.stringify(event.d)};`);
  await writeFile(join(folder, 'events.ts'), `${types}${lines.join('\n')}\n`);
  const told = await compile(folder);
  await rm(folder, { recursive: true });
  const typeLines = types.split('\n').length - 1;
  return told
    .replaceAll(/^events\.ts\((\d+),\d+\)/gm, (_, line) => events[line - 1 - typeLines]?.t ?? 'types')
    .split(/\n(?! )/)
    .filter(Boolean);
}

const seen = z.object({
  type: z.int(),
  data: z.object({ type: z.int(), component_type: z.int() }).partial(),
});

/** From the union of all interactions the compiler names one that is not meant. */
function typeOf({ t, d }: Dispatch): string {
  if (t !== 'INTERACTION_CREATE') return `Data<'${t}'>`;
  const { type, data } = seen.parse(d);
  const interactions: Record<number, string> = {
    [InteractionType.ApplicationCommand]:
      data.type === ApplicationCommandType.User ? 'UserApplicationCommand' : 'ChatInputApplicationCommand',
    [InteractionType.MessageComponent]:
      data.component_type === ComponentType.Button ? 'MessageComponentButton' : 'MessageComponentSelectMenu',
    [InteractionType.ApplicationCommandAutocomplete]: 'ApplicationCommandAutocomplete',
    [InteractionType.ModalSubmit]: 'ModalSubmit',
  };
  return `Wire<D.API${interactions[type]}Interaction>`;
}

const options = [
  '--ignoreConfig',
  '--strict',
  '--noEmit',
  '--skipLibCheck',
  '--pretty',
  'false',
  '--types',
  'node',
  '--module',
  'nodenext',
];

function compile(cwd: string): Promise<string> {
  const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, ...options, 'events.ts'], { cwd }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { deliverTest } from '../../../src/features/webhooks/delivery-service.js';
import { getEndpoint } from '../../../src/features/webhooks/endpoint-service.js';
import { signaturesOf, signedHeaders } from '../../../src/features/webhooks/signature.js';
import { newEvent } from '../../../src/platforms/events/outbox.js';
import { root } from '../../structure/source-files.js';
import { buildGuild } from '../../support/build.js';
import { startReceiver } from './receiver.js';

const run = promisify(execFile);

/** An input for a receiver, and whether it must accept it. */
interface Case {
  what: string;
  headers: Record<string, string>;
  body: string;
  secret: string;
  genuine: boolean;
}

/** A delivery as it arrived, with the secrets that signed it, newest first. */
interface Arrived {
  headers: Record<string, string>;
  body: Buffer;
  secrets: [string, string];
}

/** The code in docs/webhooks.md, by language, so that the code that users copy is tested. */
async function recipe(language: string): Promise<string> {
  const guide = await readFile(join(root, 'docs/webhooks.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, name]) => name === language);
  expect(blocks, `docs/webhooks.md: code in ${language}`).to.have.length(1);
  return blocks[0]?.[2] ?? '';
}

/** Delivers an event with difficult text to a receiver, from an endpoint with a secret that was just rotated. */
async function deliver(): Promise<Arrived> {
  const receiver = await startReceiver();
  const { guild, guildId, api, path } = await buildGuild();
  const draft = { url: receiver.url, events: ['guild.suspended'] };
  const made = await api.post(`${path}/webhooks`, draft);
  const changed = await api.post(`${path}/webhooks/${made.body.webhookId}/rotate-secret`);
  const reason = 'Ünïcode 🦊 e\u0301 שלום \uD800 \u0000 \uFEFF "quoted"\r\n$(id) `id` %s \\';
  const event = newEvent('guild.suspended', guildId, { reason, suspendedAt: new Date().toISOString() });
  await deliverTest(guild, await getEndpoint(guildId, made.body.webhookId), event);
  await receiver.close();
  const [arrived] = receiver.received;
  expect(JSON.parse(arrived?.body.toString() ?? '').data.reason).to.equal(reason);
  const headers = Object.entries(arrived?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    headers: Object.fromEntries(headers),
    body: arrived?.body ?? Buffer.alloc(0),
    secrets: [changed.body.secret, made.body.secret],
  };
}

function casesOf({ headers, body: bytes, secrets }: Arrived): Case[] {
  const [secret, oldSecret] = secrets;
  const body = bytes.toString('base64');
  const genuine = { headers, body, secret };
  const { 'webhook-signature': signature = '', ...unsigned } = headers;
  const ids = {
    event: 'guild.suspended',
    deliveryId: 'dlv_1',
    eventId: 'evt_1',
    body: bytes,
    secrets: [secret],
  } as const;
  const signedAt = (at: number) => {
    const attempt = { ...ids, at: new Date(at) };
    return signedHeaders(attempt, signaturesOf(attempt));
  };
  return [
    { ...genuine, what: 'the newest secret', genuine: true },
    { ...genuine, what: 'the secret before it', secret: oldSecret, genuine: true },
    { ...genuine, what: 'another secret', secret: `whsec_${Buffer.alloc(32).toString('base64')}`, genuine: false },
    {
      ...genuine,
      what: 'another body',
      body: Buffer.concat([bytes, Buffer.from(' ')]).toString('base64'),
      genuine: false,
    },
    { ...genuine, what: 'another event', headers: { ...headers, 'webhook-id': 'evt_2' }, genuine: false },
    { ...genuine, what: 'a replay', headers: signedAt(Date.now() - 10 * 60_000), genuine: false },
    { ...genuine, what: 'the future', headers: signedAt(Date.now() + 10 * 60_000), genuine: false },
    { ...genuine, what: 'no time', headers: { ...headers, 'webhook-timestamp': 'soon' }, genuine: false },
    { ...genuine, what: 'no signature', headers: unsigned, genuine: false },
    { ...genuine, what: 'no headers', headers: {}, genuine: false },
    {
      ...genuine,
      what: 'another scheme',
      headers: { ...headers, 'webhook-signature': signature.replaceAll('v1,', 'v2,') },
      genuine: false,
    },
    { ...genuine, what: 'nonsense', headers: { ...headers, 'webhook-signature': 'v1 v1, , ,v1,v1,ü' }, genuine: false },
  ];
}

/** Around each recipe: reads the cases and prints, as JSON, which ones it believes. */
const harnesses = {
  js: `
import { readFileSync } from 'node:fs';
const believed = JSON.parse(readFileSync('cases.json', 'utf8')).map(({ headers, body, secret }) =>
  isFromRolelink(Buffer.from(body, 'base64'), headers, secret));
process.stdout.write(JSON.stringify(believed));
`,
  python: `
import json
print(json.dumps([is_from_rolelink(base64.b64decode(one["body"]), one["headers"], one["secret"])
    for one in json.load(open("cases.json"))]))
`,
  go: `
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Headers map[string]string
		Body    []byte
		Secret  string
	}
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	believed := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		believed = append(believed, IsFromRolelink(one.Body, header, one.Secret))
	}
	answer, _ := json.Marshal(believed)
	fmt.Print(string(answer))
}
`,
};

/** Whether a program is there and runs; a recipe in a language that is not installed can't be tried. */
const isInstalled = (program: string, ...args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

describe('Signature checks in docs/webhooks.md', () => {
  let folder: string;
  let arrived: Arrived;
  let cases: Case[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-recipe-'));
    arrived = await deliver();
    cases = casesOf(arrived);
    await writeFile(join(folder, 'cases.json'), JSON.stringify(cases));
  });
  after(() => rm(folder, { recursive: true }));

  /** The recipe's verdict on each case. */
  async function judge(command: string, args: string[]): Promise<void> {
    const { stdout } = await run(command, args, { cwd: folder });
    const believed: boolean[] = JSON.parse(stdout);
    expect(cases.map(({ what }, index) => [what, believed[index]])).to.deep.equal(
      cases.map(({ what, genuine }) => [what, genuine]),
    );
  }

  it('The signature check in the docs works in Node', async () => {
    await writeFile(join(folder, 'recipe.mjs'), (await recipe('js')) + harnesses.js);
    await judge(process.execPath, ['recipe.mjs']);
  });

  it('The signature check in the docs works in Python', async function () {
    const code = (await recipe('python')) + harnesses.python;
    if (!(await isInstalled('python3', '--version'))) return this.skip();
    await writeFile(join(folder, 'recipe.py'), code);
    await judge('python3', ['recipe.py']);
  });

  it('The signature check in the docs works in Go', async function () {
    // A new Go's first build compiles its HTTP library too.
    const code = await recipe('go');
    if (!(await isInstalled('go', 'version'))) return this.skip();
    await writeFile(join(folder, 'recipe.go'), code);
    await writeFile(join(folder, 'main.go'), harnesses.go);
    await judge('go', ['run', 'recipe.go', 'main.go']);
  });

  it('The signature check in the docs works in a shell', async function () {
    const { headers, body, secrets } = arrived;
    const script = await recipe('sh');
    if (!(await isInstalled('openssl', 'version'))) return this.skip();
    await writeFile(join(folder, 'body.json'), body);
    const { 'webhook-id': WEBHOOK_ID, 'webhook-timestamp': WEBHOOK_TIMESTAMP } = headers;
    const printed = await Promise.all(
      secrets.map(async (SECRET) => {
        const env = { PATH: process.env.PATH, SECRET, WEBHOOK_ID, WEBHOOK_TIMESTAMP };
        const { stdout } = await run('sh', ['-euc', script], { cwd: folder, env });
        return stdout.trim().split('\n');
      }),
    );
    const ofBody = printed.map(([first]) => `v1=${first}`);
    const ofAll = printed.map(([, second]) => `v1,${second}`);
    expect(headers['x-link-signature']).to.equal(`t=${WEBHOOK_TIMESTAMP},${ofBody.join(',')}`);
    expect(headers['webhook-signature']).to.equal(ofAll.join(' '));
  });
});

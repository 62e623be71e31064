import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Client, Events, GatewayIntentBits, GatewayOpcodes, type GatewayReceivePayload } from 'discord.js';
import { WebSocket } from 'ws';
import { type CheckedSandbox, createBot, nextEvent, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

let checked: CheckedSandbox;
let sandbox: DiscordSandbox;
let owner: SandboxUser;
let guild: SandboxGuild;

function useSandbox(): void {
  beforeEach(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    owner = sandbox.addUser({ username: 'olga' });
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
  });

  afterEach(() => checked.stop());
}

/** A bare connection that has said what `payload` is, if any. */
async function openSocket(payload?: unknown, query = 'v=10&encoding=json'): Promise<WebSocket> {
  const socket = new WebSocket(`${sandbox.url.replace('http', 'ws')}/gateway/?${query}`);
  await once(socket, 'open');
  if (payload !== undefined) socket.send(JSON.stringify(payload));
  return socket;
}

async function closeCode(payload: unknown, query?: string): Promise<number> {
  const [code] = await once(await openSocket(payload, query), 'close');
  return code;
}

const identify = (change: Record<string, unknown> = {}) => ({
  op: 2,
  d: { token: sandbox.application.botToken, intents: 1, properties: {}, ...change },
});

describe('Discord sandbox: gateway events', () => {
  useSandbox();

  it('The sandbox gateway shows a bot only its guilds with roles, channel and itself', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    const bot = await checked.connect();
    await sandbox.ready();
    const cached = bot.guilds.cache.get(guild.id);
    expect(cached).to.include({ name: 'Hall', ownerId: owner.id, memberCount: 2 });
    expect([...(cached?.members.cache.keys() ?? [])]).to.deep.equal([sandbox.application.botUserId]);
    expect([...(cached?.roles.cache.keys() ?? [])]).to.have.members([guild.id, role.id, sandbox.botRole(guild.id).id]);
    expect([...(cached?.channels.cache.keys() ?? [])]).to.deep.equal([sandbox.channel(guild.id).id]);
    expect(bot.application.id).to.equal(sandbox.application.id);
  });

  it('The sandbox gateway reports guilds, roles and members as they change', async () => {
    const bot = await checked.connect();
    const heard: string[] = [];
    for (const name of [Events.GuildCreate, Events.GuildDelete, Events.GuildUpdate] as const) {
      bot.on(name, () => heard.push(name));
    }
    bot.on(Events.GuildRoleCreate, ({ name }) => heard.push(`create ${name}`));
    bot.on(Events.GuildRoleUpdate, (_, { name, rawPosition }) => heard.push(`update ${name} ${rawPosition}`));
    bot.on(Events.GuildRoleDelete, ({ name }) => heard.push(`delete ${name}`));
    const second = sandbox.addGuild({ name: 'Second', ownerId: owner.id });
    sandbox.renameGuild(second.id, 'Renamed');
    const role = sandbox.addRole(second.id, { name: 'R' });
    sandbox.updateRole(second.id, role.id, { name: 'S' });
    sandbox.moveRole(second.id, role.id, 2);
    sandbox.deleteRole(second.id, role.id);
    const left = nextEvent(bot, Events.GuildDelete);
    sandbox.removeBot(second.id);
    await left;
    expect(heard).to.deep.equal([
      'guildCreate',
      'guildUpdate',
      'create R',
      'update Rolelink 2',
      'update S 1',
      'update Rolelink 1',
      'update S 2',
      'delete S',
      'guildDelete',
    ]);
    const back = nextEvent(bot, Events.GuildCreate);
    sandbox.addBot(second.id);
    expect((await back)[0].name).to.equal('Renamed');
  });

  it('The sandbox gateway sends only events of the intents, but always events about the bot itself', async () => {
    const bot = createBot(sandbox, { intents: [GatewayIntentBits.Guilds] });
    try {
      const heard: string[] = [];
      bot.on(Events.GuildMemberAdd, () => heard.push('add'));
      bot.on(Events.GuildMemberUpdate, (_, { id }) => heard.push(`update ${id}`));
      await bot.login(sandbox.application.botToken);
      await sandbox.ready();
      const una = sandbox.addUser({ username: 'una' });
      sandbox.join(guild.id, una.id);
      sandbox.setNickname(guild.id, una.id, 'U');
      const updated = nextEvent(bot, Events.GuildMemberUpdate);
      sandbox.setNickname(guild.id, sandbox.application.botUserId, 'Linker');
      await updated;
      expect(heard).to.deep.equal([`update ${sandbox.application.botUserId}`]);
    } finally {
      await bot.destroy();
    }
  });

  it('The sandbox gateway gives each shard its own guilds and events', async () => {
    for (let n = 0; n < 8; n += 1) sandbox.addGuild({ name: `G${n}`, ownerId: owner.id });
    const bot = await checked.connect({ shardCount: 3 });
    await sandbox.ready();
    expect(bot.guilds.cache.size).to.equal(9);
    for (const cached of bot.guilds.cache.values()) {
      expect(cached.shardId).to.equal(Number((BigInt(cached.id) >> 22n) % 3n));
    }
  });

  it('The sandbox gateway sends all members in chunks', async () => {
    for (let n = 0; n < 1200; n += 1) sandbox.join(guild.id, sandbox.addUser({ username: `user${n}` }).id);
    const bot = await checked.connect();
    const chunks: number[] = [];
    bot.on(Events.GuildMembersChunk, (members) => chunks.push(members.size));
    const members = await bot.guilds.cache.get(guild.id)?.members.fetch();
    expect(members?.size).to.equal(1202);
    expect(chunks).to.deep.equal([1000, 202]);
    const one = await bot.guilds.cache.get(guild.id)?.members.fetch({ query: 'user119', limit: 5 });
    expect(one?.map(({ user }) => user.username)).to.include('user119');
  });
});

describe('Discord sandbox: gateway connections', () => {
  useSandbox();

  it('The sandbox gateway replays the events that a bot missed during a cut connection', async () => {
    const bot = await checked.connect();
    const joined: string[] = [];
    bot.on(Events.GuildMemberAdd, ({ user }) => joined.push(user.username));
    const resumed = nextEvent(bot, Events.ShardResume);
    sandbox.dropGateway(300);
    for (const username of ['ada', 'bea', 'cem']) sandbox.join(guild.id, sandbox.addUser({ username }).id);
    await resumed;
    expect(joined).to.deep.equal(['ada', 'bea', 'cem']);
    await sandbox.ready();
  });

  it('The sandbox gateway makes a bot resume after a reconnect, and identify again when sessions are invalid', async () => {
    const bot = await checked.connect();
    const resumed = nextEvent(bot, Events.ShardResume);
    sandbox.askReconnect();
    await resumed;
    const ready = nextEvent(bot, Events.ShardReady);
    sandbox.invalidateSessions();
    await ready;
    const added = nextEvent(bot, Events.GuildMemberAdd);
    sandbox.join(guild.id, sandbox.addUser({ username: 'ada' }).id);
    expect((await added)[0].user.username).to.equal('ada');
  });

  it('The sandbox gateway closes a faulty connection with the code of the fault', async () => {
    expect(await closeCode(identify({ token: 'wrong' }))).to.equal(4004);
    expect(await closeCode({ op: 8, d: {} })).to.equal(4003);
    expect(await closeCode(identify({ intents: GatewayIntentBits.MessageContent }))).to.equal(4014);
    expect(await closeCode(identify({ intents: 2 ** 30 }))).to.equal(4013);
    expect(await closeCode(identify({ shard: [2, 2] }))).to.equal(4010);
    expect(await closeCode('not a payload')).to.equal(4002);
    expect(await closeCode({ op: 2, d: 'x'.repeat(5000) })).to.equal(4002);
    expect(await closeCode(undefined, 'v=6&encoding=json')).to.equal(4012);
    const socket = await openSocket(identify());
    socket.send(JSON.stringify(identify()));
    expect((await once(socket, 'close'))[0]).to.equal(4005);
  });

  it('The sandbox gateway answers heartbeats, and cuts off a bot that sends none', async () => {
    const strict = await startCheckedSandbox({ heartbeatIntervalMs: 1_000 });
    try {
      const socket = new WebSocket(`${strict.sandbox.url.replace('http', 'ws')}/gateway/?v=10&encoding=json`);
      const received: GatewayReceivePayload[] = [];
      socket.on('message', (data) => received.push(JSON.parse(data.toString())));
      await once(socket, 'open');
      socket.send(JSON.stringify({ op: 1, d: null }));
      const [code] = await once(socket, 'close');
      expect(received.map(({ op }) => op)).to.deep.equal([10, 11]);
      expect(code).to.equal(4009);
    } finally {
      await strict.stop();
    }
  });

  it('The sandbox gateway invalidates a session beyond max_concurrency', async () => {
    sandbox.limitIdentifies(2);
    const sockets: WebSocket[] = [];
    /** The opcode that answers a shard's IDENTIFY, after HELLO. */
    const identified = async (shardId: number): Promise<number> => {
      const socket = await openSocket(identify({ shard: [shardId, 4] }));
      sockets.push(socket);
      for (;;) {
        const { op } = JSON.parse(String((await once(socket, 'message'))[0]));
        if (op !== GatewayOpcodes.Hello) return op;
      }
    };
    const opcodes: number[] = [];
    for (const shardId of [0, 1, 2, 3]) opcodes.push(await identified(shardId));
    for (const socket of sockets) socket.terminate();
    expect(opcodes).to.deep.equal([0, 0, 9, 9]);
    expect(sandbox.refusedIdentifies).to.equal(2);
  });

  it('The sandbox gateway refuses to resume a session that was closed in good order', async () => {
    const socket = await openSocket(identify());
    const received: GatewayReceivePayload[] = [];
    socket.on('message', (data) => received.push(JSON.parse(data.toString())));
    while (received.length < 2) await once(socket, 'message');
    const ready = received.find((payload) => payload.op === 0);
    const sessionId =
      ready && 'd' in ready && 'session_id' in Object(ready.d) ? Reflect.get(Object(ready.d), 'session_id') : '';
    socket.close(1000);
    await once(socket, 'close');
    await sleep(20);
    const again = await openSocket({
      op: 6,
      d: { token: sandbox.application.botToken, session_id: sessionId, seq: 1 },
    });
    const answers: GatewayReceivePayload[] = [];
    again.on('message', (data) => answers.push(JSON.parse(data.toString())));
    while (!answers.some(({ op }) => op === 9)) await once(again, 'message');
    expect(answers.find(({ op }) => op === 9)).to.deep.include({ op: 9, d: false });
    again.terminate();
  });

  it('The sandbox gateway refuses a wrong token at login', async () => {
    const bot: Client = createBot(sandbox);
    const error = await bot.login('wrong').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error);
    await bot.destroy();
  });
});

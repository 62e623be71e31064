import { expect } from 'chai';
import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { type CheckedSandbox, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild } from './discord-sandbox.js';

describe('Discord sandbox: rate limits', () => {
  let checked: CheckedSandbox;
  let sandbox: DiscordSandbox;
  let bot: Client<true>;
  let guild: SandboxGuild;
  let userId: string;

  before(async () => {
    checked = await startCheckedSandbox({
      rateLimits: {
        'GET /guilds/:guildId': { limit: 3, seconds: 30 },
        'GET /guilds/:guildId/members/:userId': { limit: 3, seconds: 0.4 },
        'GET /guilds/:guildId/roles': { limit: 1000, seconds: 10 },
        global: { limit: 1000, seconds: 1 },
      },
    });
    sandbox = checked.sandbox;
    const owner = sandbox.addUser({ username: 'olga' });
    userId = owner.id;
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    bot = await checked.connect({ rest: { api: sandbox.apiUrl, globalRequestsPerSecond: 1000 } });
  });

  after(() => checked.stop());

  const headers = () => ({ authorization: `Bot ${sandbox.application.botToken}` });
  const get = (path: string) => fetch(`${sandbox.apiUrl}/v10${path}`, { headers: headers() });

  // ENV-35
  it('The Discord sandbox counts down a bucket of one guild, then answers 429 in the documented shape', async () => {
    const other = sandbox.addGuild({ name: 'Other', ownerId: userId });
    const path = `/guilds/${guild.id}`;
    const answers = [await get(path), await get(path), await get(path), await get(path)];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
    expect(answers.map((answer) => answer.headers.get('x-ratelimit-remaining'))).to.deep.equal(['2', '1', '0', '0']);
    const [first, , , refused] = answers;
    expect(first?.headers.get('x-ratelimit-limit')).to.equal('3');
    expect(Number(first?.headers.get('x-ratelimit-reset-after'))).to.be.within(20, 30);
    expect(Number(first?.headers.get('x-ratelimit-reset'))).to.be.closeTo(Date.now() / 1000 + 30, 10);
    expect(first?.headers.get('x-ratelimit-bucket')).to.match(/^[0-9a-f]{32}$/);
    expect(refused?.headers.get('x-ratelimit-scope')).to.equal('user');
    expect(Number(refused?.headers.get('retry-after'))).to.be.within(20, 30);
    const body: unknown = await refused?.json();
    expect(body).to.include({ message: 'You are being rate limited.', global: false });
    expect(Reflect.get(Object(body), 'retry_after')).to.be.within(20, 30);
    expect((await get(`/guilds/${other.id}`)).status).to.equal(200);
  });

  it('The client discord.js obeys the sandbox’s rate limits without a single 429', async () => {
    sandbox.forgetRequests();
    const before = sandbox.invalidRequests;
    await Promise.all(Array.from({ length: 8 }, () => bot.rest.get(Routes.guildMember(guild.id, userId))));
    expect(sandbox.requests.filter(({ status }) => status === 200)).to.have.lengthOf(8);
    expect(sandbox.requests.filter(({ status }) => status === 429)).to.have.lengthOf(0);
    expect(sandbox.invalidRequests).to.equal(before);
  });

  it('The sandbox limits all calls of a bot together, but not those that answer interactions', async () => {
    const strict = await startCheckedSandbox({ rateLimits: { global: { limit: 4, seconds: 30 } } });
    try {
      const { url, application } = strict.sandbox;
      const me = () => fetch(`${url}/api/v10/users/@me`, { headers: { authorization: `Bot ${application.botToken}` } });
      const answers = [await me(), await me(), await me(), await me(), await me()];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 429]);
      const refused = answers.at(-1);
      expect(refused?.headers.get('x-ratelimit-global')).to.equal('true');
      expect(refused?.headers.get('x-ratelimit-scope')).to.equal('global');
      expect(refused?.headers.has('x-ratelimit-bucket')).to.equal(false);
      expect(await refused?.json()).to.include({ global: true });
      const answer = await fetch(`${url}/api/v10/interactions/1/token/callback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"type":5}',
      });
      expect(answer.status).to.equal(404);
    } finally {
      await strict.stop();
    }
  });

  // ENV-35
  it('The Discord sandbox can answer 429, 5xx, late, or not at all', async () => {
    const path = `/guilds/${guild.id}/roles`;
    sandbox.inject({ match: /^GET discord\.com\/api\/v10\/guilds\/\d+\/roles$/, times: 1, status: 429, retryAfter: 2 });
    const limited = await get(path);
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('2');
    expect(await limited.json()).to.deep.equal({
      message: 'You are being rate limited.',
      retry_after: 2,
      global: false,
    });
    expect((await get(path)).status).to.equal(200);
    const remove = sandbox.inject({ match: /roles$/, status: 503 });
    expect((await get(path)).status).to.equal(503);
    remove();
    sandbox.inject({ match: /roles$/, times: 1, delayMs: 80 });
    const startedAt = performance.now();
    expect((await get(path)).status).to.equal(200);
    expect(performance.now() - startedAt).to.be.at.least(75);
    sandbox.inject({ match: /roles$/, dropSocket: true });
    expect(await get(path).catch(({ message }: Error) => message)).to.equal('fetch failed');
    sandbox.clearFaults();
    expect((await get(path)).status).to.equal(200);
    expect(sandbox.requests.at(-2)).to.include({ method: 'GET', status: 0 });
  });

  it('The Discord sandbox makes the change and then loses the answer with `after`', async () => {
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    sandbox.inject({ match: /^PUT .*\/roles\//, when: 'after', status: 500 });
    const rest = bot.rest.setToken(sandbox.application.botToken);
    rest.options.retries = 0;
    const error = await rest.put(Routes.guildMemberRole(guild.id, userId, role.id)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    sandbox.clearFaults();
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(DiscordAPIError);
    expect(sandbox.member(guild.id, userId)?.roleIds).to.deep.equal([role.id]);
  });
});

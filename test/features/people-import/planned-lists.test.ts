import { expect } from 'chai';
import sinon from 'sinon';
import { chatUser } from '../../../src/core/actors/actor.js';
import { guildShare } from '../../../src/core/guilds/guild-share.js';
import { planning, proposeImport } from '../../../src/features/people-import/people-import-review.js';
import { clock } from '../../../src/lib/clock.js';
import { RateLimited } from '../../../src/lib/errors.js';
import { minuteMs } from '../../../src/lib/time.js';
import { buildGuild, buildMember, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { pairOf } from './import-setup.js';

// PEOPLE-25
describe('The lists of people that are planned at once', () => {
  let guild: TestGuild;
  let open = (): void => undefined;

  beforeEach(async () => {
    guild = await buildGuild();
  });
  afterEach(() => {
    open();
    sinon.restore();
  });

  /** No plan begins before `open`. */
  function holdPlans(): void {
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    sinon.stub(guildShare, 'run').callsFake(async (_guildId, plan) => {
      await held;
      return plan();
    });
  }

  const listOf = (n: number) => [{ chatUserId: String(10n ** 17n + BigInt(n)), gameUserId: String(n + 1) }];
  const dryRun = (api: TestGuild['api'], path: string, people: object) => api.post(`${path}/people/import`, { people });

  it('The eleventh list of a server is refused in words, and the ten that are planned stay', async () => {
    holdPlans();
    const asked = Array.from({ length: 11 }, (_, n) => dryRun(guild.api, guild.path, listOf(n)));
    const refused = await Promise.race(asked);
    expect(refused.status, JSON.stringify(refused.body)).to.equal(429);
    expect(refused.body).to.include({
      code: 'rate_limited',
      detail: 'Too many lists are being planned already. Try again in 10 s.',
    });
    expect(refused.headers.get('retry-after')).to.equal('10');
    expect(refused.headers.get('content-type')).to.match(/^application\/problem\+json/);
    const other = await buildGuild();
    const elsewhere = dryRun(other.api, other.path, listOf(0));
    open();
    expect((await elsewhere).status).to.equal(200);
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(10).fill(200), 429]);
    expect((await dryRun(guild.api, guild.path, listOf(10))).body.effects.state).to.equal('planned');
  });

  it('The 101st list of all servers is refused, and no list that somebody waits for gives way to it', async () => {
    holdPlans();
    const guilds = await Promise.all(Array.from({ length: 11 }, () => buildGuild()));
    const first = [pairOf(await buildMember(guilds[0] ?? guild, { linked: false }))];
    const asked = Array.from({ length: 101 }, (_, n) => {
      const { guild: stored, ownerId } = guilds[n % 11] ?? guild;
      return proposeImport(stored, chatUser(ownerId, 'owner', 'owner'), {
        people: n === 0 ? first : listOf(n),
        dryRun: true,
        nicknames: 'set',
      });
    });
    const settled = Promise.allSettled(asked);
    await Promise.race(asked).catch(() => undefined);
    open();
    const failed = (await settled).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(failed).to.have.length(1);
    expect(failed[0]).to.be.instanceOf(RateLimited);
  });

  it('Two calls for the same list at the same moment are both answered', async () => {
    const { roblox } = await world();
    const people = [pairOf(await buildMember(guild, { linked: false }))];
    roblox.inject({ match: /users/, delayMs: 300 });
    try {
      const both = await Promise.all([1, 2].map(() => dryRun(guild.api, guild.path, people)));
      expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(both[0]?.body).to.deep.equal(both[1]?.body);
    } finally {
      roblox.clearFaults();
    }
  });

  it('A list is planned for as long as somebody asks for it', async () => {
    holdPlans();
    const { patienceMs } = planning;
    planning.patienceMs = 0;
    const person = await buildMember(guild, { linked: false });
    const people = [pairOf(person), ...listOf(0)];
    const numbers = async () => (await dryRun(guild.api, guild.path, people)).body;
    try {
      const { effects, ...shown } = await numbers();
      expect(effects.state).to.equal('planning');
      (await world()).discord.leave(guild.guildId, person.chatUserId);
      for (const _ of [1, 2, 3]) {
        clock.advance(9 * minuteMs);
        // A plan that began anew would not find them.
        expect(await numbers()).to.deep.include(shown);
      }
    } finally {
      planning.patienceMs = patienceMs;
    }
  });
});

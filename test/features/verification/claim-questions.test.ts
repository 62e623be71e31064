import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { purgeRemembered } from '../../../src/platforms/database/remembered.js';
import { hiddenFields } from '../../edges/pages/verify-pages-setup.js';
import { asPerson, signIn } from '../../support/api.js';
import { buildGuild, buildMember, eventually, type TestGuild, type TestPerson } from '../../support/build.js';
import { remembered } from '../../support/remembered-rows.js';
import { type World, world } from '../../support/world.js';

/** VER-16: a guild's tokens can't ask a person again and again. */
describe('Questions about claims', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild({ name: 'Owls' });
    person = await buildMember(guild, { linked: false });
  });
  afterEach(() => clock.restore());

  const messages = () => discord.directMessages(person.chatUserId);
  const written = () =>
    discord.requests.filter(({ method, path }) => /\/channels\/\d+\/messages/.test(path) && method !== 'GET').length;
  /** Claims `who`'s account for the person, and returns the message once it has reached Discord. */
  async function claim(who: TestPerson = person, from = guild) {
    const wish = { guildId: from.guildId, method: 'profile_code', chatUserId: person.chatUserId };
    const { token, phrase } = (await from.api.post('/api/verification/session', wish)).body;
    roblox.setAbout(who.gameUserId, phrase);
    const { status } = await from.api.post('/api/verification/complete', { token, gameUsername: who.gameUsername });
    expect(status).to.equal(202);
    return token as string;
  }
  const asked = async (...rest: Parameters<typeof claim>) => {
    const before = written();
    const token = await claim(...rest);
    await eventually(() => written() > before, 'the question');
    return token;
  };
  const quietly = async () => {
    const before = written();
    const token = await claim();
    const marker = await buildMember(guild, { linked: false });
    await claimFor(marker);
    await eventually(() => discord.directMessages(marker.chatUserId).at(-1), 'the question of another');
    expect(written()).to.equal(before + 1);
    return token;
  };
  async function claimFor(other: TestPerson) {
    const wish = { guildId: guild.guildId, method: 'profile_code', chatUserId: other.chatUserId };
    const { token, phrase } = (await guild.api.post('/api/verification/session', wish)).body;
    roblox.setAbout(other.gameUserId, phrase);
    await guild.api.post('/api/verification/complete', { token, gameUsername: other.gameUsername });
  }
  const press = async (label: string) => {
    const message = messages().at(-1);
    if (message === undefined) throw new Error('there is no question');
    return (await discord.press(guild.guildId, person.chatUserId, message, label)).reply();
  };

  // VER-15
  it('A token that claims again and again changes the one open question, and sends no other', async () => {
    const other = await buildMember(guild, { linked: false });
    await asked();
    for (let times = 0; times < 2; times += 1) await asked(times % 2 === 0 ? other : person);
    expect(messages()).to.have.length(1);
    await asked(other);
    expect(messages()[0]?.content).to.include(other.gameUsername);
    await press("Yes, that's me");
    expect((await guild.api.get(`/api/guilds/${guild.guildId}/members/${person.chatUserId}`)).body).to.include({
      gameUsername: other.gameUsername,
    });
  });

  it('A server sends three questions a day, and a fourth only when the first is a day old', async () => {
    for (let times = 0; times < 3; times += 1) {
      await asked();
      await press("Yes, that's me");
    }
    await quietly();
    expect(messages()).to.have.length(3);
    clock.advance(dayMs + 1);
    await asked();
    expect(messages()).to.have.length(4);
  });

  it('The server asks nothing for a day after "That is not me", and the page still does', async () => {
    await asked();
    await press("That's not me");
    const token = await quietly();
    expect(messages()).to.have.length(1);
    const session = await signIn(person.chatUserId);
    expect((await session.get(`/verify/${token}`)).body).to.include(person.gameUsername);
    clock.advance(dayMs + 1);
    await asked();
    expect(messages()).to.have.length(2);
  });

  it('A no on the page keeps the server quiet as one on Discord does', async () => {
    const token = await asked();
    const me = await signIn(person.chatUserId);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const shown = hiddenFields((await me.get(`/verify/${token}`)).body);
    const body = new URLSearchParams({ action: 'reject', ...shown }).toString();
    expect((await me.post(`/verify/${token}`, body, form)).status).to.equal(303);
    await quietly();
    expect(messages()).to.have.length(1);
  });

  it('A person’s no to one server does not keep another server from asking', async () => {
    const elsewhere = await buildGuild({ name: 'Foxes' });
    discord.join(elsewhere.guildId, person.chatUserId);
    await asked();
    await press("That's not me");
    await asked(person, elsewhere);
    expect(messages().at(-1)?.content).to.include('Foxes');
  });

  it('The record of questions goes after a day, and immediately with an erasure', async () => {
    const kept = async () => (await remembered('claim_questions', { person: person.chatUserId })).length;
    await asked();
    await eventually(async () => (await kept()) === 1, 'the note');
    await purgeRemembered(clock.now());
    expect(await kept()).to.equal(1);
    expect((await (await asPerson(person)).delete('/api/auth/me')).status).to.equal(202);
    await eventually(async () => (await kept()) === 0, 'the note to go');
    await asked();
    await eventually(async () => (await kept()) === 1, 'the note');
    await purgeRemembered(new Date(clock.epochMs() + 2 * dayMs));
    expect(await kept()).to.equal(0);
  });
});

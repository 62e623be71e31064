import { expect } from 'chai';
import { trusted } from 'mongoose';
import { config } from '../../../src/config/config.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { refreshNames } from '../../../src/features/accounts/account-names.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { stopBackgroundSyncs } from '../../../src/features/sync/member/background-syncs.js';
import { clock } from '../../../src/lib/clock.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { pendingSyncOf, setSettings, withoutNicknames } from '../sync/sync-setup.js';

const { signal } = new AbortController();
const inHours = (hours: number) => new Date(clock.epochMs() + hours * 3_600_000);

describe('The names of accounts and people', () => {
  withPromptSyncs();
  let roblox: World['roblox'];
  let discord: World['discord'];

  before(async () => {
    ({ roblox, discord } = await world());
  });
  afterEach(() => roblox.clearFaults());

  // ROBLOX-10, ROBLOX-12
  it('Roblox names are updated once a day in every guild, and enqueue a sync when the nickname contains them', async () => {
    const [named, plain] = [await buildGuild(), await buildGuild()];
    await withoutNicknames(plain);
    const person = await buildMember(named);
    await buildMember(plain, { person });
    const gameUsername = `${person.gameUsername}Anew`;
    await stopBackgroundSyncs();
    roblox.renameUser(person.gameUserId, gameUsername);
    // The sync that is looked for stays pending until then.
    const write = discord.hold({ match: new RegExp(`^PATCH .*/members/${person.chatUserId}$`) });
    await refreshNames(inHours(19), signal);
    expect(await getMember(named.guildId, person.chatUserId)).to.include({ gameUsername: person.gameUsername });
    await refreshNames(inHours(21), signal);
    for (const { guildId } of [named, plain]) {
      const member = await getMember(guildId, person.chatUserId);
      expect(member).to.include({ gameUsername });
      expect(member.names).to.include(gameUsername.toLowerCase());
    }
    expect(await Accounts.findById(person.chatUserId).lean()).to.include({ gameUsername });
    expect(await pendingSyncOf(named, person)).to.include({ trigger: 'account' });
    expect(await pendingSyncOf(plain, person)).to.equal(undefined);
    write.letGo();
  });

  it('The Roblox name of an account that is proved again reaches the other guilds', async () => {
    const [here, there] = [await buildGuild(), await buildGuild()];
    const person = await buildMember(here);
    await buildMember(there, { person });
    const gameUsername = `${person.gameUsername}Proved`;
    roblox.renameUser(person.gameUserId, gameUsername);
    await linkPerson(here.guildId, { ...person, gameUsername });
    await eventually(async () => {
      const member = await getMember(there.guildId, person.chatUserId);
      return member.gameUsername === gameUsername && member.names.includes(gameUsername.toLowerCase());
    }, 'the name in the other guild');
    await runPendingSyncs(there.guildId);
    expect(discord.member(there.guildId, person.chatUserId)?.nickname).to.equal(gameUsername);
  });

  it('Roblox names are read a hundred a call, and those that could not be read stay due', async () => {
    const guild = await buildGuild();
    const people = await Promise.all(Array.from({ length: 12 }, () => buildMember(guild)));
    const ofThese = { _id: trusted({ $in: people.map(({ chatUserId }) => chatUserId) }) };
    const readAt = async () =>
      (await Accounts.find(ofThese).sort({ _id: 1 }).lean()).flatMap(({ namesReadAt }) => namesReadAt ?? []);
    await Accounts.updateMany({}, { $unset: { namesReadAt: 1 } });
    const accounts = await Accounts.countDocuments({ gameUserId: trusted({ $type: 'string' }) });
    roblox.inject({ match: /^POST users\.roblox\.com\/v1\/users$/, corrupt: 'truncated' });
    await refreshNames(clock.now(), AbortSignal.timeout(200)).catch(() => undefined);
    expect(await readAt()).to.deep.equal([]);
    roblox.clearFaults();
    roblox.forgetRequests();
    // Forgets the failures before.
    configureRoblox({ ...config().roblox });
    await refreshNames(clock.now(), signal);
    // Work left by earlier tests may add a few calls, but far from one each.
    const made = roblox.requests.filter(({ path }) => path === '/v1/users').length;
    expect(made).to.be.within(Math.ceil(accounts / 100), Math.ceil(accounts / 100) + people.length / 2);
    const first = await readAt();
    expect(first).to.have.length(people.length);
    await refreshNames(clock.now(), signal);
    expect(await readAt(), 'nobody is due any more').to.deep.equal(first);
  });

  // ROBLOX-11, ROBLOX-12
  it('A Discord name changes in all guilds by one update of the person', async () => {
    const [first, second] = [await buildGuild(), await buildGuild()];
    await setSettings(first, { nickname: { enabled: true, template: '{chatUsername}' } });
    const person = await buildMember(first);
    await buildMember(second, { person });
    const username = `${person.username}.new`;
    discord.renameUser(person.chatUserId, username);
    await eventually(async () => {
      const names = [first, second].map(
        async ({ guildId }) => (await findMember(guildId, person.chatUserId))?.chatUsername,
      );
      return (await Promise.all(names)).every((name) => name === username);
    }, 'the new name in both guilds');
    await runPendingSyncs(first.guildId);
    expect(discord.member(first.guildId, person.chatUserId)?.nickname).to.equal(username);
  });
});

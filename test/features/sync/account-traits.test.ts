import { expect } from 'chai';
import { trusted } from 'mongoose';
import { config } from '../../../src/config/config.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { refreshNames } from '../../../src/features/accounts/account-names.js';
import { beginDueReadings } from '../../../src/features/accounts/trait-readings.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../../src/lib/time.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { privateWords } from '../../commands/private-answer.js';
import type { DiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { resync, resyncWhere } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  pendingSyncOf,
  reconfigureRoblox,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

const badge = { kind: 'badge' as const, id: '4711' };
const ownsBadge: Condition = { type: 'owns_item', ...badge };
const signal = new AbortController().signal;

// ROBLOX-18, ROBLOX-19
describe('Conditions on the account itself', () => {
  withPromptSyncs();
  let roblox: RobloxSandbox;
  let discord: DiscordSandbox;
  let guild: GroupGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    person = await buildSettledMember(guild);
    reconfigureRoblox();
    roblox.forgetRequests();
  });
  afterEach(() => {
    roblox.clearFaults();
    clock.restore();
    configureRoblox(config().roblox);
  });

  const inventoryReads = () => roblox.requests.filter(({ path }) => path.includes('/inventory-items')).length;
  const why = async () => (await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`)).body;

  // ROBLOX-15
  it('A sync gives a role for Premium, and takes it when Premium ends', async () => {
    const [roleId] = await mapTo(guild, { type: 'premium' });
    roblox.setPremium(person.gameUserId);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    roblox.setPremium(person.gameUserId, false);
    clock.advance(2 * minuteMs);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A sync without a key for Roblox neither gives nor takes roles for Premium', async () => {
    const [has = '', lacks = ''] = [
      ...(await mapTo(guild, { type: 'premium' })),
      ...(await mapTo(guild, { type: 'not', of: { type: 'premium' } })),
    ];
    const { apiKey: _, ...keyless } = config().roblox;
    configureRoblox(keyless);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [has]);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([has]);
    expect(await rolesOf(guild, person)).not.to.include(lacks);
  });

  // ROBLOX-15
  it('The daily reading of accounts enqueues a sync for a person with new Premium', async () => {
    await mapTo(guild, { type: 'premium' });
    await sync(guild, person);
    roblox.setPremium(person.gameUserId);
    await Accounts.updateOne({ _id: person.chatUserId }, { $set: { namesReadAt: new Date(0) } });
    // It stays pending until then.
    const write = discord.hold({ match: new RegExp(`^PUT .*/members/${person.chatUserId}/roles/`) });
    await refreshNames(clock.now(), signal);
    const account = await Accounts.findById(person.chatUserId).lean();
    expect(account?.traits?.premium).to.equal(true);
    expect((await pendingSyncOf(guild, person))?.trigger).to.equal('account');
    write.letGo();
  });

  // ROBLOX-16
  it('A resync gives a role for the age of an account once the account is old enough', async () => {
    const [roleId] = await mapTo(guild, { type: 'account_age', days: 800 });
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    clock.advance(100 * dayMs);
    await resync(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A sync gives a role for an item, asks no more for a day, and takes it when Roblox shows the item no more', async () => {
    const [roleId] = await mapTo(guild, ownsBadge);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    roblox.giveItem(person.gameUserId, badge);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    expect(inventoryReads(), 'who was not seen to own it is asked about again').to.equal(2);
    roblox.takeItem(person.gameUserId, badge);
    await sync(guild, person);
    expect([inventoryReads(), await rolesOf(guild, person)]).to.deep.equal([2, [roleId]]);
    clock.advance(25 * hourMs);
    await sync(guild, person);
    expect([inventoryReads(), await rolesOf(guild, person)]).to.deep.equal([3, []]);
  });

  // ROBLOX-20
  it('A sync takes no role for an item while Roblox does not answer, and the items are read later', async () => {
    const [roleId = ''] = await mapTo(guild, ownsBadge);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    roblox.inject({ match: /inventory-items/, status: 404 });
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    roblox.clearFaults();
    clock.advance(11 * minuteMs);
    await beginDueReadings(signal);
    await eventually(async () => (await rolesOf(guild, person))?.length === 0, 'the reading');
  });

  // ROBLOX-22
  it('/why and /update explain how to open a private inventory, and no role is changed by it', async () => {
    const [roleId = ''] = await mapTo(guild, ownsBadge);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    roblox.setInventoryPrivate(person.gameUserId);
    const ask = (command: string) => privateWords(discord.command(guild.guildId, person.chatUserId, command));
    expect(await ask('update')).to.contain('Who can see my inventory?');
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    const { account, mappings } = await why();
    expect(account).to.deep.include({ inventoryPrivate: true });
    expect(mappings[0]).to.deep.include({ verdict: 'undecided', parts: [{ path: '', met: null }] });
    expect(await ask('why')).to.contain('Who can see my inventory?');
    const { guildId } = guild;
    expect(await Members.acrossGuilds.countDocuments({ guildId, traitsDueAt: trusted({ $exists: true }) })).to.equal(0);
  });

  // ROBLOX-17
  it('A sync asks for all items of one kind in one call', async () => {
    const pass = { type: 'owns_item', kind: 'game_pass', id: '5' } as const;
    await mapTo(guild, { type: 'any', of: [ownsBadge, { ...ownsBadge, id: '12' }, pass] });
    await sync(guild, person);
    expect(inventoryReads()).to.equal(2);
  });

  it('A resync makes no request for items: readings that begin guild by guild give the role', async () => {
    const [roleId = ''] = await mapTo(guild, ownsBadge);
    roblox.giveItem(person.gameUserId, badge);
    await resync(guild);
    expect([inventoryReads(), await rolesOf(guild, person)], 'a resync asks nobody').to.deep.equal([0, []]);
    await beginDueReadings(signal);
    await eventually(async () => (await rolesOf(guild, person))?.includes(roleId), 'the role');
    expect(inventoryReads()).to.equal(1);
  });

  // ROBLOX-20
  it('The service begins 60 readings of items a minute, of which a guild with many leaves one to each other guild', async () => {
    await mapTo(guild, ownsBadge);
    const other = await buildGroupGuild();
    await mapTo(other, ownsBadge);
    const due = ({ guildId }: GroupGuild, count: number) =>
      Members.acrossGuilds.insertMany(
        Array.from({ length: count }, (_, n) => ({
          ...{ guildId, chatUserId: `${800_000_000_000_000_000n + BigInt(n)}`, chatUsername: 'far', names: ['far'] },
          ...{ state: 'joined' as const, present: false, autoLinkBlocked: false, syncs: [], traitsDueAt: clock.now() },
        })),
      );
    await due(guild, 70);
    await due(other, 1);
    await beginDueReadings(signal);
    const left = ({ guildId }: GroupGuild) =>
      Members.acrossGuilds.countDocuments({ guildId, traitsDueAt: trusted({ $exists: true }) });
    expect([await left(guild), await left(other)]).to.deep.equal([11, 0]);
    await Members.acrossGuilds.updateMany({ chatUsername: 'far' }, { $unset: { traitsDueAt: 1, owedSync: 1 } });
  });

  it('A resync leaves members about to lose a role for an item to a sync that asks again', async () => {
    const [roleId = ''] = await mapTo(guild, ownsBadge);
    await sync(guild, person);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    roblox.giveItem(person.gameUserId, badge);
    await resync(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    await eventually(async () => (await pendingSyncOf(guild, person)) !== undefined, 'the sync of their own');
  });

  // ROBLOX-21
  it('A resync counts members about to lose a role for an item for the removal limit', async () => {
    const [roleId = ''] = await mapTo(guild, ownsBadge);
    await sync(guild, person);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    const nickname = { ...defaultSettings.nickname, enabled: false };
    await setSettings(guild, { nickname, massRemoval: { sharePercent: 1, people: 1 } });
    const { body } = await guild.api.post(`${guild.path}/resync`, {});
    const held = await resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    expect(held.awaitingConfirmation?.losing).to.equal(1);
  });

  // ROBLOX-23
  it('A change found by one server’s sync enqueues syncs in the person’s other servers with such a mapping', async () => {
    const [going, other] = [await buildGroupGuild(), await buildGroupGuild()];
    for (const there of [guild, going]) await mapTo(there, { type: 'premium' });
    for (const there of [going, other]) {
      await withoutNicknames(there);
      await buildSettledMember(there, { person });
    }
    const triggers = async ({ guildId }: GroupGuild) =>
      (await getMember(guildId, person.chatUserId)).syncs.map(({ trigger }) => trigger);
    roblox.setPremium(person.gameUserId);
    clock.advance(2 * minuteMs);
    await sync(guild, person);
    await eventually(async () => {
      await runPendingSyncs(going.guildId);
      return (await rolesOf(going, person))?.length === 1;
    }, 'the role in the other server');
    expect(await triggers(going)).to.include('account');
    await runPendingSyncs(other.guildId);
    expect(await triggers(other)).not.to.include('account');
  });

  it('A newcomer without a link gets the role for not owning an item, and no inventory is read', async () => {
    await mapTo(guild, { type: 'not', of: ownsBadge });
    const stranger = await buildPerson();
    discord.join(guild.guildId, stranger.chatUserId, {});
    await eventually(async () => (await rolesOf(guild, stranger))?.length === 1, 'the role of who owns nothing');
    expect(inventoryReads()).to.equal(0);
  });
});

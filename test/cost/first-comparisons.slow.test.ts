import { expect } from 'chai';
import mongoose, { type mongo, trusted } from 'mongoose';
import { AuditLog } from '../../src/core/audit/audit-model.js';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { type Mapping, Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members, newcomer } from '../../src/features/members/member-model.js';
import { newId } from '../../src/lib/ids.js';
import { eventually, skipReconciliations } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { beside } from './cost-meter.js';

const count = 2_000;
const mappingsEach = 5;
const mostCommands = 300;
/** Longer than filling the database takes. */
const downMs = 5_000;

interface MappedGuild {
  guildId: string;
  roleId: string;
}

describe('The cost of the first comparison of many guilds', () => {
  let discord: World['discord'];
  let guilds: MappedGuild[] = [];
  const added: MappedGuild[] = [];

  before(async () => {
    ({ discord } = await world());
  });
  after(async () => {
    const guildIds = added.map(({ guildId }) => guildId);
    newSession(() => guildIds.forEach((guildId) => void discord.removeBot(guildId)));
    const left = { _id: trusted({ $in: guildIds }), present: true };
    await eventually(async () => (await GuildRecord.countDocuments(left)) === 0, 'the leaving');
    for (const { acrossGuilds } of [Mappings, Members]) {
      await acrossGuilds.collection.deleteMany({ guildId: { $in: guildIds } });
    }
    await GuildRecord.collection.deleteMany({ _id: { $in: guildIds } } as object);
    await skipReconciliations();
  });

  /** A new session that resumes none, and the events before it. */
  function newSession(happen: () => void): void {
    discord.dropGateway(downMs);
    discord.invalidateSessions();
    happen();
  }

  function addGuilds(): MappedGuild[] {
    const { id: ownerId } = discord.addUser({ username: 'owner of many' });
    const many = Array.from({ length: count }, (_, n) => {
      const { id: guildId } = discord.addGuild({ name: `Of many ${n}`, ownerId });
      return { guildId, roleId: discord.addRole(guildId, { name: 'Mapped', position: 1 }).id };
    });
    added.push(...many);
    return many;
  }

  function mappingOf({ guildId, roleId }: MappedGuild): Mapping {
    const at = new Date();
    const draft = mappingDraft.parse({ condition: { type: 'verified' }, roleIds: [roleId] });
    return { _id: newId('map', at), guildId, ...draft, createdAt: at, updatedAt: at };
  }

  const recordOf = ({ guildId }: MappedGuild) => ({
    ...{ _id: guildId, name: 'Of many', iconUrl: null, ownerId: '1', memberCount: 1, state: 'active' },
    ...{ present: true, joinedAt: new Date() },
  });

  /** The fields of a guild whose roles an older version has logged, without a key. */
  const loggedWith = ({ roleId }: MappedGuild, obstacle: string | null) => ({
    mappedRoles: { mayManageRoles: true, obstacles: obstacle === null ? [] : [{ roleId, obstacle }] },
  });

  async function withoutKeys(guildIds: readonly string[]): Promise<number> {
    const noted = { _id: trusted({ $in: [...guildIds] }), 'mappedRoles.rolesKey': trusted({ $exists: true }) };
    return guildIds.length - (await beside(() => GuildRecord.countDocuments(noted)));
  }

  it(`${count} unknown guilds are stored by at most ${mostCommands} commands, with an entry each`, async () => {
    const commands: string[] = [];
    let ofMany = /^$/;
    const note = ({ command, commandName }: mongo.CommandStartedEvent) => {
      if (!ofMany.test(JSON.stringify(command))) return;
      commands.push(`${commandName} ${String(command.collection ?? command[commandName])}`);
    };
    newSession(() => {
      guilds = addGuilds();
    });
    const guildIds = guilds.map((guild) => guild.guildId);
    ofMany = new RegExp(guildIds.join('|'));
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    const present = { _id: trusted({ $in: guildIds }), present: true };
    const joined = { guildId: trusted({ $in: guildIds }), action: 'guild.joined' as const };
    await eventually(
      async () => (await beside(() => GuildRecord.countDocuments(present))) === count,
      'the guilds',
      150_000,
    );
    await eventually(
      async () => (await beside(() => AuditLog.acrossGuilds.countDocuments(joined))) === count,
      'the log',
    );
    client.off('commandStarted', note);
    const ours = commands.filter((each) => !/^aggregate (guilds|audit_log)$/.test(each));
    expect(ours.length, ours.join('\n')).to.be.at.most(mostCommands);
    const owed = { ...present, catchUpAt: trusted({ $exists: true }), state: 'active' as const };
    expect(await GuildRecord.countDocuments(owed)).to.equal(count);
  });

  it(`${count} guilds are compared by at most ${mostCommands} commands, and each change is logged once`, async () => {
    const commands: Record<string, number> = {};
    let ofMany = /^$/;
    const note = ({ command, commandName }: mongo.CommandStartedEvent) => {
      if (!ofMany.test(JSON.stringify(command))) return;
      const kind = `${commandName} ${String(command.collection ?? command[commandName])}`;
      commands[kind] = (commands[kind] ?? 0) + 1;
    };
    newSession(() => {
      guilds = addGuilds();
    });
    const [blocked, freed, waiting] = guilds;
    if (blocked === undefined || freed === undefined || waiting === undefined) throw new Error('There are no guilds.');
    discord.moveRole(blocked.guildId, blocked.roleId, 9);
    // Half the guilds are logged. In one write with the guild, since the session stores keys in the meantime.
    const records = guilds.map((guild, index) => ({
      ...recordOf(guild),
      ...(index < count / 2 && loggedWith(guild, guild === freed ? 'role_above_bot' : null)),
    }));
    await GuildRecord.collection.insertMany(records as never[]);
    const mappings = guilds.flatMap((guild) => Array.from({ length: mappingsEach }, () => mappingOf(guild)));
    await Mappings.acrossGuilds.collection.insertMany(mappings as never[]);
    const { guildId } = waiting;
    await Members.acrossGuilds.collection.insertOne({
      ...{ guildId, chatUserId: '400000000000000077', ...newcomer({ username: 'blocked' }) },
      ...{ present: true, syncs: [], blockedBy: [waiting.roleId] },
    } as never);
    const guildIds = guilds.map((guild) => guild.guildId);
    ofMany = new RegExp(guildIds.join('|'));

    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await eventually(async () => (await withoutKeys(guildIds)) === 0, 'the looks');
    client.off('commandStarted', note);
    delete commands['aggregate guilds'];
    const sum = Object.values(commands).reduce((all, some) => all + some, 0);
    expect(sum, JSON.stringify(commands)).to.be.at.most(mostCommands);
    const actionsOf = async (id: string) => (await latestEntries(id, 10)).map(({ action }) => action);
    expect(await actionsOf(blocked.guildId)).to.include('role.blocked');
    expect(await actionsOf(freed.guildId)).to.include('role.unblocked');
    const member = await Members.findOne({ guildId });
    expect([member?.blockedBy, member?.owedSync?.trigger]).to.deep.equal([[], 'resync']);
  });
});

import { expect } from 'chai';
import sinon from 'sinon';
import { type Actor, chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { LinkedGroups } from '../../../src/core/groups/group-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { beginChange, readBegunChange } from '../../../src/core/settings/settings-service.js';
import { completeWholeChanges, inWholeChange } from '../../../src/core/settings/whole-changes.js';
import { draftOf } from '../../../src/features/mappings/mapping-draft.js';
import { createMapping, listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, buildSettledMember, type GroupGuild, mapTo } from '../sync/sync-setup.js';

const never = new AbortController().signal;
const draft = (roleIds: string[]) => ({
  ...{ name: null, condition: { type: 'verified' as const }, roleIds },
  ...{ nickname: null, removeWhenUnmatched: true, enabled: true },
});

// CONF-11, CONF-12, CONF-13
describe('A change of rules by several writes', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let path: string;
  let person: TestPerson;
  let roleId: string;
  // biome-ignore lint/suspicious/noExplicitAny: as in support/api.ts
  let config: any;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGroupGuild();
    path = `${guild.path}/config`;
    roleId = await addRole(guild, { name: 'Verified' });
    await mapTo(guild, { type: 'verified' }, { roleIds: [roleId] });
    person = await buildSettledMember(guild);
    config = (await guild.api.get(path)).body;
  });

  const rolesOf = () => discord.member(guild.guildId, person.chatUserId)?.roleIds ?? [];
  const sync = () => guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`);
  const groups = async () => (await guild.api.get(path)).body.groups;
  /** A process that is killed once it has removed the mapping, and before it makes the new one. */
  const killedHalfway = async (wish: unknown, by: Actor = systemActor('test')) => {
    await inWholeChange(guild.guild, (make) =>
      make({ kind: 'config', by, wish: JSON.stringify({ wish, before: config }) }, async () => {
        const [mapping] = await listAllMappings(guild.guildId);
        await guild.api.delete(`${guild.path}/mappings/${mapping?._id}`);
        throw new Error('killed');
      }),
    ).catch(() => undefined);
  };

  it('A change of rules leaves syncs pending until it is whole, so that a role given by both rules stays', async () => {
    await killedHalfway({ ...config, mappings: [{ ...config.mappings[0], name: 'New' }] });
    const refused = await sync();
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'busy']);
    expect(rolesOf()).to.include(roleId);
    const waiting = await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId });
    expect(waiting?.owedSync, 'is pending').to.include({ trigger: 'api' });
    await eventually(async () => {
      await completeWholeChanges(never);
      return (await listAllMappings(guild.guildId)).map(({ name }) => name).join() === 'New';
    }, 'the whole change');
    expect((await sync()).status).to.equal(200);
    expect(rolesOf()).to.include(roleId);
    const hastened = await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId });
    expect(hastened?.owedSync).to.equal(undefined);
  });

  it('A change of rules holds up a whole resync until the change is complete', async () => {
    await killedHalfway({ ...config, mappings: [{ ...config.mappings[0], name: 'New' }] });
    const { body } = await guild.api.post(`${guild.path}/resync`);
    const job = async () => (await guild.api.get(`${guild.path}/resync/${body.jobId}`)).body;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await job()).state).to.be.oneOf(['queued', 'pending', 'running']);
    expect(rolesOf()).to.include(roleId);
    await completeWholeChanges(never);
    for (let state = ''; state !== 'completed'; { state } = await job()) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(rolesOf()).to.include(roleId);
  });

  it('The next change of rules completes one of a killed process', async () => {
    const other = roblox.addGroup({ name: 'Other' }).id;
    await killedHalfway({ ...config, groups: [guild.groupId, other], mappings: [] });
    const text = 'condition,roles\nunverified,Verified';
    const imported = await guild.api.post(`${guild.path}/mappings/import`, { format: 'csv', text, dryRun: false });
    expect(imported.status, JSON.stringify(imported.body)).to.equal(200);
    expect(await groups()).to.have.members([guild.groupId, other]);
    expect((await listAllMappings(guild.guildId)).map(({ condition }) => condition)).to.deep.equal([
      { type: 'unverified' },
    ]);
    expect(await readBegunChange(guild.guildId)).to.equal(null);
  });

  it('A change of rules that can’t be finished is reverted', async () => {
    const gone = { ...config.mappings[0], name: 'New', roles: ['No such role'] };
    await killedHalfway({ ...config, mappings: [gone] });
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
    await completeWholeChanges(never);
    expect((await guild.api.get(path)).body).to.deep.equal(config);
    expect(await readBegunChange(guild.guildId)).to.equal(null);
  });

  it('A change of rules is reverted immediately when one of its writes is refused', async () => {
    const wish = JSON.stringify({ wish: { ...config, mappings: [] }, before: config });
    const refused = inWholeChange(guild.guild, (make) =>
      make({ kind: 'config', by: systemActor('test'), wish }, async () => {
        const [mapping] = await listAllMappings(guild.guildId);
        await guild.api.delete(`${guild.path}/mappings/${mapping?._id}`);
        await createMapping(guild.guild, systemActor('test'), draft(['100000000000000009']));
      }),
    );
    expect(String(await refused.catch((error: unknown) => error))).to.contain('not valid');
    expect((await guild.api.get(path)).body).to.deep.equal(config);
    expect((await sync()).status).to.equal(200);
  });

  // CONF-12
  it('A change of a killed process is taken back if its author has lost the role, or the server is suspended', async () => {
    const author = { ...chatUser(discord.addUser({ username: 'gone' }).id, 'gone'), role: 'admin' as const };
    const wish = { ...config, mappings: [{ ...config.mappings[0], name: 'New' }] };
    await killedHalfway(wish, author);
    await completeWholeChanges(never);
    expect((await guild.api.get(path)).body).to.deep.equal(config);
    await killedHalfway(wish);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    await completeWholeChanges(never);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'active' } });
    expect((await guild.api.get(path)).body).to.deep.equal(config);
  });

  // CONF-13
  it('Another admin’s writes while a killed change waits stay when it is finished, and when it is taken back', async () => {
    const [mapping] = config.mappings;
    const nickname = { ...config.settings.nickname, template: 'N {gameUsername}' };
    for (const [role, name] of [
      ['Verified', 'New'],
      ['No such role', null],
    ]) {
      const wished = { ...mapping, name: 'New', roles: [role] };
      await killedHalfway({ ...config, mappings: [wished], settings: { ...config.settings, nickname } });
      const other = await addRole(guild, { name: `Beside ${role}` });
      const made = { condition: { type: 'unverified' }, roleIds: [other] };
      expect((await guild.api.post(`${guild.path}/mappings`, made)).status).to.equal(201);
      const { body: settings } = await guild.api.get(`${guild.path}/settings`);
      const locale = { ...settings, locale: settings.locale === 'de' ? 'fr' : 'de' };
      expect((await guild.api.put(`${guild.path}/settings`, locale)).status).to.equal(200);
      await completeWholeChanges(never);
      expect(await readBegunChange(guild.guildId)).to.equal(null);
      const { body: now } = await guild.api.get(path);
      expect(now.mappings).to.have.deep.members([
        { ...mapping, name },
        { ...mapping, condition: made.condition, roles: [`Beside ${role}`] },
      ]);
      expect(now.settings).to.deep.equal({ ...locale, nickname: name === null ? config.settings.nickname : nickname });
      await guild.api.put(path, config);
    }
  });

  // CONF-13
  it('A configuration is refused when another admin changes a rule of it while it is written, and the change stays', async () => {
    const [mapping] = config.mappings;
    const { settings } = config;
    const locale = settings.locale === 'de' ? 'fr' : 'de';
    const edit = async () => {
      const [stored] = await listAllMappings(guild.guildId);
      const before = stored ?? expect.fail('no mapping');
      const changed = await guild.api.put(`${guild.path}/mappings/${before._id}`, {
        ...draftOf(before),
        name: 'Edited',
      });
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    };
    const setLocale = async () => {
      expect((await guild.api.put(`${guild.path}/settings`, { ...settings, locale })).status).to.equal(200);
    };
    const edited = { ...config, mappings: [{ ...mapping, name: 'Edited' }] };
    const nickname = { ...settings.nickname, template: 'N {gameUsername}' };
    for (const [change, wish, after] of [
      [edit, { mappings: [{ ...mapping, name: 'New' }] }, edited],
      [edit, { mappings: [] }, edited],
      [setLocale, { settings: { ...settings, nickname } }, { ...config, settings: { ...settings, locale } }],
    ] as const) {
      const group = roblox.addGroup({ name: 'Written first' }).id;
      const insert = LinkedGroups.insert.bind(LinkedGroups);
      const writing = sinon.stub(LinkedGroups, 'insert').callsFake(async (added) => {
        writing.restore();
        await change();
        return insert(added);
      });
      const refused = await guild.api.put(path, { ...config, ...wish, groups: [...config.groups, group] });
      expect([refused.status, refused.body.code]).to.deep.equal([412, 'version_mismatch']);
      expect((await guild.api.get(path)).body).to.deep.equal(after);
      expect(await readBegunChange(guild.guildId)).to.equal(null);
      expect((await guild.api.put(path, config)).status).to.equal(200);
    }
  });

  // CONF-40
  it('A change that can’t be completed is said in health, taken back after a while, and gives way to the next', async () => {
    const begunAgo = (ms: number) =>
      beginChange(guild.guildId, {
        ...{ kind: 'config', by: systemActor('test'), begunAt: new Date(clock.epochMs() - ms) },
        wish: JSON.stringify({ wish: 'of no known shape', before: config }),
      });
    const health = async () => (await guild.api.get(guild.path)).body.health.map(({ code }: { code: string }) => code);
    await begunAgo(minuteMs);
    expect(await health()).not.to.include('rules_unfinished');
    await begunAgo(14 * minuteMs);
    await completeWholeChanges(never);
    expect(await health()).to.include('rules_unfinished');
    expect((await sync()).body.code).to.equal('busy');
    await begunAgo(16 * minuteMs);
    expect((await guild.api.put(path, { ...config, mappings: [] })).status).to.equal(200);
    expect(await health()).not.to.include('rules_unfinished');
    expect((await sync()).status).to.equal(200);
  });

  // CONF-40
  it('A change that Roblox keeps from being completed is taken back after a while', async () => {
    const other = roblox.addGroup({ name: 'Away' }).id;
    const restore = roblox.inject({ match: new RegExp(`groups/${other}`), status: 503 });
    try {
      const changing = { wish: { ...config, groups: [guild.groupId, other], mappings: [] }, before: config };
      const begun = (ms: number) =>
        beginChange(guild.guildId, {
          ...{ kind: 'config', by: systemActor('test'), begunAt: new Date(clock.epochMs() - ms) },
          wish: JSON.stringify(changing),
        });
      await begun(14 * minuteMs);
      await completeWholeChanges(never);
      expect(await readBegunChange(guild.guildId)).not.to.equal(null);
      await begun(16 * minuteMs);
      await completeWholeChanges(never);
      expect(await readBegunChange(guild.guildId)).to.equal(null);
      expect((await guild.api.get(path)).body).to.deep.equal(config);
    } finally {
      restore();
    }
  });

  // CONF-14
  it('The change of an import or a setup is finished after a kill', async () => {
    const other = roblox.addGroup({ name: 'Other' }).id;
    const text = `condition,group,roles\ngroup_member,${other},Verified`;
    const wish = { format: 'csv', text, addGroups: true, dryRun: false };
    const by = systemActor('test');
    await beginChange(guild.guildId, {
      kind: 'import',
      by,
      wish: JSON.stringify({ wish, format: 'csv' }),
      begunAt: clock.now(),
    });
    await completeWholeChanges(never);
    expect(await groups()).to.have.members([guild.groupId, other]);
    expect(await listAllMappings(guild.guildId)).to.have.length(2);
    const setup = {
      ...{ guildId: guild.guildId, step: 'summary', groupId: null, verifiedRoleId: roleId, channelId: null, panel: {} },
      ...{ nickname: { enabled: true, template: 'S {gameUsername}' }, methods: ['profile_code'] },
    };
    // One from an older version does not say `observe`.
    for (const [stored, mode] of [
      [setup, 'enforce'],
      [{ ...setup, observe: true }, 'observe'],
    ] as const) {
      await beginChange(guild.guildId, { kind: 'setup', by, wish: JSON.stringify(stored), begunAt: clock.now() });
      await completeWholeChanges(never);
      const { settings } = (await guild.api.get(path)).body;
      expect([settings.nickname.template, settings.mode]).to.deep.equal(['S {gameUsername}', mode]);
      expect(await readBegunChange(guild.guildId)).to.equal(null);
    }
  });

  // CONF-9
  it('A change of rules replaces all groups at the plan’s limit, since the limit holds for the end', async () => {
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const more = [roblox.addGroup({ name: 'A' }).id, roblox.addGroup({ name: 'B' }).id];
    for (const groupId of more) await guild.api.post(`${guild.path}/groups`, { groupId });
    const others = ['C', 'D', 'E'].map((name) => roblox.addGroup({ name }).id);
    const wish = { ...config, groups: others };
    expect((await guild.api.put(`${path}?dryRun=true`, wish)).status).to.equal(200);
    const answer = await guild.api.put(path, wish);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(await groups()).to.have.members(others);
    const tooMany = await guild.api.put(path, { ...wish, groups: [...others, ...more] });
    expect([tooMany.status, tooMany.body.code]).to.deep.equal([402, 'plan_limit_reached']);
    expect(await LinkedGroups.count({ guildId: guild.guildId })).to.equal(3);
  });
});

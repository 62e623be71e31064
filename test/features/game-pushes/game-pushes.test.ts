import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { config, useConfig } from '../../../src/config/config.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { readVersionedSettings } from '../../../src/core/settings/settings-service.js';
import { messageFindings } from '../../../src/edges/operations/check-game-messages.js';
import { readNamedUniverses, startGamePushes } from '../../../src/features/game-pushes/game-pushes.js';
import { pushPace } from '../../../src/features/game-pushes/push-line.js';
import { announceLookUp } from '../../../src/features/members/look-up-changes.js';
import { memberLeft } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { metricsText } from '../../../src/lib/metrics.js';
import { configureRoblox, robloxConfig } from '../../../src/platforms/roblox/roblox-config.js';
import { robloxStats } from '../../../src/platforms/roblox/roblox-host.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, resync } from '../sync/resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  setSettings,
  sync,
} from '../sync/sync-setup.js';

let roblox: World['roblox'];
let guild: GroupGuild;
let universeId: string;

const heard = (): { v: number; gameUserIds?: string[]; everybody?: boolean }[] =>
  roblox
    .universe(universeId)
    .messages.filter(({ topic }) => topic === `rolelink-${guild.guildId}`)
    .map(({ message }) => JSON.parse(message));

const hears = (what: unknown) =>
  eventually(
    () => heard().some((one) => JSON.stringify(one) === JSON.stringify(what)),
    `hearing ${JSON.stringify(what)}`,
  );

const hint = (...gameUserIds: string[]) => ({ v: 1, gameUserIds });

const markers = new Set<string>();

/** The messages without markers. */
const unmarked = () =>
  heard()
    .map(({ gameUserIds = [], ...rest }) => ({ ...rest, gameUserIds: gameUserIds.filter((id) => !markers.has(id)) }))
    .filter(({ gameUserIds }) => gameUserIds.length > 0);

/** Waits until the games have heard all that was announced before: messages go out one after the other. */
const allHeard = async () => {
  const marker = String(7_000_000 + markers.size);
  markers.add(marker);
  announceLookUp(guild.guildId, marker);
  await eventually(() => JSON.stringify(heard()).includes(`"${marker}"`), 'the marker');
  return unmarked();
};

const refusals = async () => (await readVersionedSettings(guild.guildId)).pushRefusals;
const health = async (): Promise<{ code: string; detail: string; universeId?: string; severity: string }[]> =>
  (await guild.api.get(guild.path)).body.health.filter(({ code }: { code: string }) => code.startsWith('universe_'));

function withUniverse(): void {
  beforeEach(async () => {
    ({ roblox } = await world());
    sinon.replace(pushPace, 'gatherMs', 30);
    sinon.replace(pushPace, 'restMs', 30);
    guild = await buildGroupGuild();
    universeId = roblox.addUniverse().id;
    await setSettings(guild, { universeIds: [universeId] });
  });
  afterEach(async () => {
    sinon.restore();
    roblox.mendKey();
    roblox.clearFaults();
    configureRoblox(config().roblox);
    await setSettings(guild, {});
  });
}

// PUSH-1
describe('A change of a look-up in a running game', () => {
  withUniverse();

  it('Games hear a link, a change of mapped roles, an unlink and a leave by the id alone', async () => {
    await mapTo(guild, rankFrom(guild, 100));
    const person = await buildSettledMember(guild);
    const { chatUserId, gameUserId } = person;
    await hears(hint(gameUserId));
    const before = heard().length;
    roblox.setRank(guild.groupId, gameUserId, 100);
    await sync(guild, person);
    await eventually(() => heard().length > before, 'the new role');
    const settled = await allHeard();
    await sync(guild, person);
    expect(await allHeard(), 'a sync without a change').to.deep.equal(settled);
    await memberLeft(guild.guildId, { chatUserId, username: person.username });
    await eventually(() => unmarked().length > settled.length, 'the leave');
    const left = unmarked().length;
    await unlinkMember(guild.guild, chatUserId, chatUser(guild.ownerId, 'Owner'));
    await eventually(() => unmarked().length > left, 'the unlink');
    expect(new Set(unmarked().map((one) => JSON.stringify(one)))).to.deep.equal(
      new Set([JSON.stringify(hint(gameUserId))]),
    );
  });

  // PUSH-2
  it('Each of several processes sends messages to games less often', async () => {
    const alone = config();
    await setSettings(guild, {});
    try {
      useConfig({ ...alone, shards: { first: 0, last: 0, total: 20 } });
      await setSettings(guild, { universeIds: [universeId] });
    } finally {
      useConfig(alone);
    }
    const startedAt = performance.now();
    announceLookUp(guild.guildId, '1001');
    await hears(hint('1001'));
    announceLookUp(guild.guildId, '1002');
    await hears(hint('1002'));
    expect(performance.now() - startedAt).to.be.greaterThan(600);
  });

  it('An observing server tells games of roles given by another bot', async () => {
    await setSettings(guild, { universeIds: [universeId], mode: 'observe' });
    const [roleId = ''] = await mapTo(guild, rankFrom(guild, 100));
    const person = await buildMember(guild);
    await hears(hint(person.gameUserId));
    await delay(100);
    const before = heard().length;
    (await world()).discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId]);
    await runPendingSyncs(guild.guildId);
    await sync(guild, person);
    await eventually(() => heard().length > before, 'the role');
  });

  // PUSH-11
  it('A server’s games are told nothing about another server of the same experience', async () => {
    const other = await buildGroupGuild();
    await setSettings(other, { universeIds: [universeId] });
    const here: string[] = [];
    const end = roblox.subscribe(universeId, `rolelink-${other.guildId}`, (message) => here.push(message));
    announceLookUp(guild.guildId, '1001');
    await hears(hint('1001'));
    expect(here).to.deep.equal([]);
    end();
  });

  it('Each experience of a server hears its changes, until the server no longer names it', async () => {
    const second = roblox.addUniverse().id;
    await setSettings(guild, { universeIds: [second, universeId] });
    announceLookUp(guild.guildId, '1001');
    await hears(hint('1001'));
    await eventually(() => roblox.universe(second).messages.length === 1, 'the second');
    await setSettings(guild, { universeIds: [second] });
    announceLookUp(guild.guildId, '1002');
    await eventually(() => roblox.universe(second).messages.length === 2, 'the second again');
    expect(heard()).to.deep.equal([hint('1001')]);
  });

  // PUSH-4
  it('A resync tells games of each person by id, or of everybody', async () => {
    const crowd = await buildResyncGuild({ count: 12, inStep: 0 });
    await setSettings(crowd, { universeIds: [universeId] });
    const ids = crowd.people.map(({ gameUserId }) => gameUserId);
    const texts: string[] = [];
    const end = roblox.subscribe(universeId, `rolelink-${crowd.guildId}`, (text) => texts.push(text));
    await resync(crowd);
    const isTold = (id: string) => texts.some((text) => text.includes(`"${id}"`) || text.includes('"everybody":true'));
    await eventually(() => ids.every(isTold), 'all people');
    for (const text of texts) expect(Buffer.byteLength(text)).to.be.at.most(1_024);
    end();
    await setSettings(crowd, {});
  });

  it('A crowd of changes is one message to games for everybody', async () => {
    announceLookUp(guild.guildId, ...Array.from({ length: 10_000 }, (_, n) => String(3_000_000_000 + n)));
    await hears({ v: 1, everybody: true });
    expect(heard()).to.have.length(1);
  });

  // PUSH-7
  it('An experience stored or taken away by another process is known after the next reading', async () => {
    const store = (universeIds: string[]) =>
      mongoose.connection
        .collection('settings')
        .updateOne({ guildId: guild.guildId }, { $set: { 'settings.universeIds': universeIds } });
    const second = roblox.addUniverse().id;
    await store([second]);
    await readNamedUniverses();
    announceLookUp(guild.guildId, '1001');
    await eventually(() => roblox.universe(second).messages.length === 1, 'the second');
    await store([]);
    await readNamedUniverses();
    announceLookUp(guild.guildId, '1002');
    await delay(200);
    expect([roblox.universe(second).messages.length, heard()]).to.deep.equal([1, []]);
  });

  // PUSH-7
  it('An experience named or taken away while all are read is known at once', async () => {
    const other = await buildGroupGuild();
    const second = roblox.addUniverse().id;
    const { exec } = mongoose.Query.prototype;
    // The reading has its answer when the settings are written.
    const meanwhile = async function (this: mongoose.Query<unknown, unknown>) {
      const found = await exec.call(this);
      if ('settings.universeIds.0' in this.getFilter()) {
        mongoose.Query.prototype.exec = exec;
        await setSettings(guild, {});
        await setSettings(other, { universeIds: [second] });
      }
      return found;
    };
    sinon.replace(mongoose.Query.prototype, 'exec', meanwhile);
    await readNamedUniverses();
    announceLookUp(guild.guildId, '1001');
    announceLookUp(other.guildId, '1002');
    await eventually(() => roblox.universe(second).messages.length === 1, 'the second');
    await delay(100);
    expect(heard()).to.deep.equal([]);
    await setSettings(other, {});
  });
});

// PUSH-5, PUSH-6, PUSH-8
describe('A lost or refused message', () => {
  withUniverse();
  const allUnder429 = { match: /publishMessage/, status: 429, retryAfter: 1 };

  it('An outage or a limit of Roblox loses the message to games and harms nothing else', async () => {
    const { failures } = robloxStats();
    const restore = roblox.inject({ match: /publishMessage/, status: 503 });
    for (let n = 0; n < 12; n += 1) {
      announceLookUp(guild.guildId, String(1001 + n));
      await delay(60);
    }
    expect(robloxStats().breakerOpen).to.deep.equal([]);
    expect(robloxStats().failures).to.equal(failures);
    restore();
    const person = await buildSettledMember(guild);
    // Maybe together with the last change of the outage.
    await eventually(() => JSON.stringify(heard()).includes(`"${person.gameUserId}"`), 'the link');
    expect(await refusals()).to.equal(undefined);
    expect(await health()).to.deep.equal([]);
    roblox.inject(allUnder429);
    announceLookUp(guild.guildId, '2001');
    await delay(300);
    expect(await refusals()).to.equal(undefined);
  });

  // PUSH-8, PUSH-9
  it('A refused message to games stands in the health of the server and in doctor until one passes', async () => {
    roblox.setKey({ scopes: ['group:read'] });
    announceLookUp(guild.guildId, '1001');
    await eventually(async () => (await refusals())?.[universeId]?.status === 403, 'the refusal');
    const [issue, ...others] = await health();
    expect(others).to.deep.equal([]);
    expect(issue).to.include({ code: 'universe_refused', severity: 'warning', universeId });
    expect(issue?.detail).to.contain('universe-messaging-service:publish').and.not.contain(roblox.apiKey);
    expect((await messageFindings()).map(({ code }) => code)).to.include('game_messages_scope_missing');
    roblox.mendKey();
    expect((await messageFindings()).map(({ code }) => code)).to.include('game_messages_refused');
    expect(await metricsText()).to.match(/rolelink_game_messages_total\{outcome="refused"\} [1-9]/);
    announceLookUp(guild.guildId, '1002');
    await eventually(async () => (await refusals()) === undefined, 'the end of the refusal');
    expect(await health()).to.deep.equal([]);
    expect((await messageFindings()).map(({ code }) => code)).to.deep.equal(['game_messages_ok']);
  });

  // PUSH-11
  it('The settings refuse an unknown experience, or one of another account, and no message reaches it', async () => {
    const foreign = roblox.addUniverse({ ownerId: roblox.addUser({ username: `f${Date.now()}` }).id });
    await setSettings(guild, { universeIds: ['4711', foreign.id, universeId] });
    announceLookUp(guild.guildId, '1001');
    await hears(hint('1001'));
    await eventually(async () => Object.keys((await refusals()) ?? {}).length === 2, 'both refusals');
    const found = await health();
    expect(found.map((issue) => issue.universeId)).to.deep.equal(['4711', foreign.id]);
    expect(found[0]?.detail).to.contain('it knows none with this universe id');
    expect(foreign.messages).to.deep.equal([]);
  });

  it('Without a key games are sent nothing, and health says so', async () => {
    const { apiKey: _, ...without } = robloxConfig();
    configureRoblox(without);
    announceLookUp(guild.guildId, '1001');
    await delay(200);
    expect(heard()).to.deep.equal([]);
    expect((await health()).map(({ code }) => code)).to.deep.equal(['universe_key_needed']);
    expect((await messageFindings()).map(({ code }) => code)).to.deep.equal(['game_messages_key_unset']);
  });

  it('The end of the process cuts a message to games on its way, and sends nothing afterwards', async () => {
    const held = roblox.hold({ match: /publishMessage/ });
    const stop = startGamePushes();
    await readNamedUniverses();
    announceLookUp(guild.guildId, '1001');
    await held.reached;
    const began = performance.now();
    announceLookUp(guild.guildId, '1002');
    await stop();
    expect(performance.now() - began).to.be.below(4_000);
    held.letGo();
    await delay(100);
    expect(heard()).not.to.deep.include(hint('1002'));
    startGamePushes();
  });
});

// PUSH-10
describe('Naming an experience', () => {
  withUniverse();
  const put = (universeIds: unknown) => guild.api.put(`${guild.path}/settings`, { ...defaultSettings, universeIds });

  it('The settings refuse a new experience beyond the scope of the key, and keep an earlier one', async () => {
    const [first, second] = [roblox.addUniverse().id, roblox.addUniverse().id];
    roblox.setKey({ universeIds: [first] });
    configureRoblox({ ...config().roblox });
    const { status, body } = await put([universeId, first, second]);
    expect(status).to.equal(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).to.deep.equal(['universeIds.2']);
    expect(body.errors[0].message).to.contain('universe-messaging-service:publish').and.not.contain(roblox.apiKey);
    expect((await put([universeId, first])).status).to.equal(200);
  });

  it('Without a key the settings take no experience, and while Roblox is away they take each', async () => {
    const [first, second] = [roblox.addUniverse().id, roblox.addUniverse().id];
    const { apiKey: _, ...without } = config().roblox;
    configureRoblox(without);
    expect((await put([universeId, first])).body.errors).to.deep.equal([
      { path: 'universeIds.1', message: "can't be told: this bot has no Roblox API key" },
    ]);
    configureRoblox({ ...config().roblox });
    roblox.inject({ match: /introspect/, status: 400 });
    expect((await put([universeId, second])).status).to.equal(200);
  });

  it('Six experiences, one twice, and false ids are refused, over the API and in a configuration', async () => {
    const six = ['1', '2', '3', '4', '5', '6'];
    for (const wish of [six, ['1', '1'], ['x'], ['01'], ['-1'], ['1/2:x'], [1], 'all', [`${'9'.repeat(20)}`]]) {
      expect((await put(wish)).status, JSON.stringify(wish)).to.equal(400);
      const file = { groups: [], mappings: [], settings: { ...defaultSettings, universeIds: wish } };
      expect((await guild.api.put(`${guild.path}/config`, file)).status).to.equal(400);
    }
  });

  it('The configuration carries the experiences, and a document without them leaves them', async () => {
    const { body: file } = await guild.api.get(`${guild.path}/config`);
    expect(file.settings.universeIds).to.deep.equal([universeId]);
    const { universeIds: _, ...older } = file.settings;
    expect((await guild.api.put(`${guild.path}/config`, { ...file, settings: older })).status).to.equal(200);
    expect((await guild.api.get(`${guild.path}/settings`)).body.universeIds).to.deep.equal([universeId]);
  });
});

import { expect } from 'chai';
import { listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { labelsOf, privateAnswer, privateWords } from '../../commands/private-answer.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild, rankFrom, setSettings } from '../sync/sync-setup.js';

// CONF-62, OBS-141
describe('Rules for roles above the bot', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let high: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    high = await addRole(guild, { name: 'High Command' });
    discord.moveRole(guild.guildId, high, 1_000);
    await eventually(() => isAbove(true), 'the role above the bot');
  });

  const isAbove = async (wanted: boolean) => {
    const { roles, bot } = await readGuildFacts(guild.guildId);
    return (roles.get(high)?.position ?? 0) > bot.highestRole.position === wanted;
  };
  const post = (path: string, body: object) => guild.api.post(`${guild.path}${path}`, body);
  const rules = { format: 'csv', text: 'condition,roles\nverified,High Command' };

  it('A server that gives roles imports none for a role above the bot', async () => {
    const { body } = await post('/mappings/import', rules);
    expect(body).to.deep.include({ created: [], rolesAbove: [] });
    expect(body.refused[0].code).to.equal('role_unmanageable');
  });

  it('An observing server imports a rule for a role above the bot with one note, and goes live once the bot is above', async () => {
    await setSettings(guild, { mode: 'observe' });
    const file = discord.upload('rules.csv', rules.text);
    const asked = discord.command(guild.guildId, guild.ownerId, 'import', { file, from: 'csv' });
    const review = await privateAnswer(asked);
    expect(review.words)
      .to.contain('Before you go live')
      .and.contain(`<@&${high}>`)
      .and.not.contain("can't be imported");
    expect(labelsOf(review)).to.deep.equal(['Import 1']);
    const { body } = await post('/mappings/import', { ...rules, dryRun: false });
    expect(body).to.deep.include({ refused: [], rolesAbove: [high] });
    expect(body.created).to.have.length(1);
    const { body: preview } = await post('/sync/preview', {});
    const refused = await post('/differences/go-live', { previewId: preview.previewId });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'role_unmanageable']);
    expect(refused.body.detail).to.contain('High Command');
    expect((await guild.api.get(`${guild.path}/settings`)).body.mode).to.equal('observe');
    discord.moveRole(guild.guildId, high, 1);
    await eventually(() => isAbove(false), 'the role below the bot');
    expect((await post('/differences/go-live', { previewId: preview.previewId })).status).to.equal(202);
  });

  // OBS-141
  it('The mode of an observing server is not set to enforce by hand while a mapping gives a role above the bot', async () => {
    await setSettings(guild, { mode: 'observe' });
    await post('/mappings/import', { ...rules, dryRun: false });
    const { body: preview } = await post('/sync/preview', {});
    const { body: refusal } = await post('/differences/go-live', { previewId: preview.previewId });
    const { body: settings } = await guild.api.get(`${guild.path}/settings`);
    const { body: config } = await guild.api.get(`${guild.path}/config`);
    const enforcing = { ...settings, mode: 'enforce' };
    const put = (path: string, body: object) => guild.api.put(`${guild.path}${path}`, body);
    for (const [path, wish] of [
      ['/settings', enforcing],
      ['/config?dryRun=true', { ...config, settings: enforcing }],
      ['/config', { ...config, settings: enforcing }],
    ] as const) {
      const { status, body } = await put(path, wish);
      expect([status, body.code, body.detail], path).to.deep.equal([409, 'role_unmanageable', refusal.detail]);
      expect(body.blocked, path).to.deep.equal(refusal.blocked);
    }
    const words = await privateWords(
      discord.command(guild.guildId, guild.ownerId, 'settings mode', { mode: 'enforce' }),
    );
    expect(words).to.contain(refusal.detail);
    expect((await guild.api.get(`${guild.path}/settings`)).body).to.deep.equal(settings);
    const without = { ...config, mappings: [], settings: enforcing };
    expect((await put('/config', without)).status, 'without the mapping').to.equal(200);
  });

  // CONF-62
  it('An observing server takes a configuration with a role above the bot with one note', async () => {
    const { body: config } = await guild.api.get(`${guild.path}/config`);
    const mappings = [{ condition: { type: 'verified' }, roles: ['High Command'] }];
    const wish = { ...config, mappings };
    const put = (query: string, body: object = wish) => guild.api.put(`${guild.path}/config${query}`, body);
    expect((await put('?dryRun=true')).body.code).to.equal('role_unmanageable');
    expect((await put('?dryRun=true&observe=true')).body.rolesAbove).to.deep.equal([high]);
    await setSettings(guild, { mode: 'observe' });
    const observing = { ...wish, settings: { ...config.settings, mode: 'observe' } };
    const file = discord.upload('config.yaml', JSON.stringify(observing));
    const review = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'config apply', { file }));
    expect(review.words).to.contain('Before you go live').and.contain(`<@&${high}>`);
    const [label = ''] = labelsOf(review).filter((one) => one?.startsWith('Apply'));
    const done = await privateAnswer(discord.press(guild.guildId, guild.ownerId, review, label));
    expect(done.words).to.contain('1 change was made');
    const [mapping] = await listAllMappings(guild.guildId);
    expect(mapping?.roleIds).to.deep.equal([high]);
    const undone = await privateAnswer(discord.press(guild.guildId, guild.ownerId, done, 'Undo'));
    await privateAnswer(discord.press(guild.guildId, guild.ownerId, undone, 'Undo'));
    expect(await listAllMappings(guild.guildId), 'the undo of the undo').to.have.length(1);
    const edited = { ...observing, mappings: [{ ...mappings[0], condition: rankFrom(guild, 100) }] };
    const { status, body } = await put('', edited);
    expect([status, body.rolesAbove], 'a role that stays is told again').to.deep.equal([200, [high]]);
  });

  // CONF-62
  it('An observing server takes a mapping for a role above the bot by every door, with the same note', async () => {
    const draft = { condition: { type: 'verified' }, roleIds: [high] };
    const refused = await post('/mappings', draft);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'role_unmanageable']);
    await setSettings(guild, { mode: 'observe' });
    const { status, body: made } = await post('/mappings', draft);
    expect([status, made.rolesAbove]).to.deep.equal([201, [high]]);
    const at = `${guild.path}/mappings/${made.mappingId}`;
    const low = await guild.api.put(at, { ...draft, roleIds: [await addRole(guild)] });
    expect([low.status, low.body.rolesAbove]).to.deep.equal([200, undefined]);
    const { status: put, body: back } = await guild.api.put(at, draft);
    expect([put, back.rolesAbove]).to.deep.equal([200, [high]]);
    const asOwner = (command: string, options: Record<string, string>) =>
      privateWords(discord.command(guild.guildId, guild.ownerId, command, options));
    for (const [command, options] of [
      ['mapping member', { role: high, group: guild.groupId }],
      ['mapping edit', { mapping: made.mappingId, name: 'Command' }],
    ] as const)
      expect(await asOwner(command, options), command)
        .to.contain('Before you go live')
        .and.contain(`<@&${high}>`);
  });

  // CONF-62
  it('A setup that ends in observing takes a verified role above the bot', async () => {
    expect((await guild.api.patch(`${guild.path}/setup`, { verifiedRoleId: high })).status).to.equal(200);
    const { key } = (await post('/setup/preview', {})).body;
    expect((await post('/setup/apply', { key, mode: 'enforce' })).body.code).to.equal('role_unmanageable');
    const { status, body } = await post('/setup/apply', { key, mode: 'observe' });
    expect([status, body.mode]).to.deep.equal([202, 'observe']);
    const given = (await listAllMappings(guild.guildId)).flatMap(({ roleIds }) => roleIds);
    expect(given).to.deep.equal([high]);
  });
});

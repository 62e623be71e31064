import { expect } from 'chai';
import { pairDrafts, partUnchanged } from '../../../src/features/configuration/config-diff.js';
import { type GuildConfig, guildConfig } from '../../../src/features/configuration/config-document.js';
import { draftOf } from '../../../src/features/mappings/mapping-draft.js';
import { listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { readMappingsSnapshot } from '../../../src/features/mappings/mappings-snapshot.js';
import { renderNickname } from '../../../src/features/sync/plan/nickname.js';
import { world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild, mapTo } from '../sync/sync-setup.js';

const nobodysId = '100000000000000077';

describe('A guild’s rules', () => {
  let guild: GroupGuild;
  let path: string;
  let roleId: string;
  let config: GuildConfig;

  beforeEach(async () => {
    await world();
    guild = await buildGroupGuild();
    path = `${guild.path}/config`;
    roleId = await addRole(guild, { name: 'Verified' });
    await mapTo(guild, { type: 'verified' }, { roleIds: [roleId] });
    config = (await guild.api.get(path)).body;
  });

  const shownBySettings = () => ({
    ...config.settings,
    nickname: { enabled: true, template: `{groupRank:${guild.groupId}} {gameUsername}` },
  });

  // MAP-22, API-68
  it('A group in the settings’ nickname stays attached, with cascade too, and can go once the nickname drops it', async () => {
    expect((await guild.api.put(`${guild.path}/settings`, shownBySettings())).status).to.equal(200);
    for (const query of ['', '?cascade=true']) {
      const answer = await guild.api.delete(`${guild.path}/groups/${guild.groupId}${query}`);
      expect([answer.status, answer.body.code]).to.deep.equal([409, 'group_in_use']);
      expect(answer.body.detail).to.contain('nickname template in the settings');
    }
    const wish = { ...config, settings: shownBySettings(), groups: [], mappings: [] };
    const refused = await guild.api.put(path, wish);
    expect([refused.status, refused.body.errors[0].path]).to.deep.equal([400, 'groups']);
    expect((await guild.api.put(path, { ...wish, settings: config.settings })).status).to.equal(200);
    expect((await guild.api.get(path)).body.groups).to.deep.equal([]);
  });

  // CONF-6
  it('A configuration that names the same roles by ids or mentions changes no mapping', async () => {
    for (const role of [roleId, `<@&${roleId}>`, '@Verified']) {
      const answer = await guild.api.put(path, { ...config, mappings: [{ ...config.mappings[0], roles: [role] }] });
      expect([answer.status, answer.body.changes], role).to.deep.equal([200, []]);
    }
  });

  // CONF-6
  it('A mapping that names a role twice, by its name and by its id, is refused', async () => {
    const mappings = [{ ...config.mappings[0], name: 'New', roles: ['Verified', roleId] }];
    const answer = await guild.api.put(path, { ...config, mappings });
    expect([answer.status, answer.body.errors]).to.deep.equal([
      400,
      [{ path: 'mappings.0', message: `The role ${roleId} is named twice.` }],
    ]);
    const text = 'condition,roles\nverified,Verified;@Verified';
    const imported = await guild.api.post(`${guild.path}/mappings/import`, { format: 'csv', text });
    expect(imported.body.refused).to.have.length(1);
  });

  // SET-6
  it('An invisible template, text or reason is refused', async () => {
    for (const template of ['\u200B\u200B', '\u3164', '\u2800 \u2800', '\u115F\uFFA0']) {
      const nickname = { enabled: true, template };
      const settings = await guild.api.put(`${guild.path}/settings`, { ...config.settings, nickname });
      expect([settings.status, settings.body.errors?.[0].path], JSON.stringify(template)).to.deep.equal([
        400,
        'nickname.template',
      ]);
      const mapping = { condition: { type: 'unverified' }, roleIds: [roleId], nickname: { template } };
      expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(400);
      const joinMessage = { ...config.settings.joinMessage, text: template };
      expect((await guild.api.put(`${guild.path}/settings`, { ...config.settings, joinMessage })).status).to.equal(400);
      const restrictions = { ...config.settings.restrictions, reason: template };
      expect((await guild.api.put(`${guild.path}/settings`, { ...config.settings, restrictions })).status).to.equal(
        400,
      );
    }
  });

  it('A person with invisible names gets their username as a nickname', () => {
    const game = { gameUserId: '1', gameUsername: 'Seen', gameDisplayName: '\u3164\u3164' };
    const person = { game, chatUsername: 'seen', ranks: new Map() };
    expect(renderNickname('{gameDisplayName}', person)).to.equal('Seen');
    expect(renderNickname('\u200B{gameDisplayName}', person)).to.equal('Seen');
  });

  it('An id without a person on Discord is refused as member_not_found', async () => {
    const answer = await guild.api.post(`${guild.path}/members/${nobodysId}/resync`);
    expect([answer.status, answer.body.code]).to.deep.equal([404, 'member_not_found']);
    const why = await guild.api.get(`${guild.path}/members/${nobodysId}/why`);
    expect([why.status, why.body.code]).to.deep.equal([404, 'member_not_found']);
    const preview = await guild.api.post(`${guild.path}/sync/preview`, { memberIds: [nobodysId] });
    expect(preview.status, JSON.stringify(preview.body)).to.equal(200);
  });

  it('Mappings of a configuration are distinguished by key, one for each of the document, in any order of fields', async () => {
    const snapshot = await readMappingsSnapshot(guild.guild);
    const [stored] = await listAllMappings(guild.guildId);
    if (stored === undefined) throw new Error('no mapping');
    const [entry] = guildConfig.parse(config).mappings;
    if (entry === undefined) throw new Error('no entry');
    const twins = [stored, { ...stored, _id: 'map_2' }];
    const parted = partUnchanged([entry, entry, entry], { ...snapshot, mappings: twins });
    expect(parted.unchanged.map(({ _id }) => _id)).to.deep.equal([stored._id, 'map_2']);
    expect([parted.wanted.map(({ place }) => place), parted.left]).to.deep.equal([[2], []]);
    const renamed = { ...draftOf(stored), name: 'Other' };
    const paired = pairDrafts([renamed, renamed], [stored]);
    expect([paired.updated.length, paired.created.length, paired.removed.length]).to.deep.equal([1, 1, 0]);
  });
});

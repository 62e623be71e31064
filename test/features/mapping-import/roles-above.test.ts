import { expect } from 'chai';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { labelsOf, privateAnswer } from '../../commands/private-answer.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild, setSettings } from '../sync/sync-setup.js';

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
});

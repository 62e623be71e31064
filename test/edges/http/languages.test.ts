import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const german = JSON.parse(readFileSync('src/locales/de-refusals.json', 'utf8'));

// API-11
describe('The language of the API', () => {
  it('Refusals of the API are in the language of Accept-Language, where it is one of ours', async () => {
    const guild = await buildGuild();
    const detailIn = async (language: string) =>
      (await guild.api.get(`${guild.path}/groups/15`, { 'accept-language': language })).body.detail;
    for (const language of ['de', 'de-AT,de;q=0.9,en;q=0.5', 'ja, de']) {
      expect(await detailIn(language), language).to.equal(german.group_not_found);
    }
    const english = "This group isn't added to this server.";
    for (const language of ['', '*', 'ja', 'en-US,de;q=0.5', ';;']) {
      expect(await detailIn(language), language).to.equal(english);
    }
  });

  it('The API explains a blocked role in the language of Accept-Language', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const roleId = discord.addRole(guild.guildId, { name: 'Above', position: 9 }).id;
    const detailIn = async (language: string) =>
      (await guild.api.get(`${guild.path}/roles/${roleId}`, { 'accept-language': language })).body.detail;
    const [english, polish] = [await detailIn('en'), await detailIn('pl')];
    expect(english).to.contain('Above');
    expect(polish).to.contain('Above').and.not.equal(english);
  });
});

import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { discordLocales } from '../../src/edges/interactions/discord-locales.js';
import { Conflict, PlanLimitReached } from '../../src/lib/errors.js';
import { withLocale } from '../../src/lib/translate.js';
import { refusalWords } from '../../src/lib/translate-refusal.js';
import { labelsOf, privateAnswer, privateWords } from '../commands/private-answer.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';

// DISC-16
describe('A person with Discord in German', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    discord.setClientLocale(guild.ownerId, 'de');
  });

  const set = (change: Partial<GuildSettings>) => writeSettings(guild.guildId, { ...defaultSettings, ...change });
  const command = (name: string, options = {}, chatUserId = guild.ownerId) =>
    discord.command(guild.guildId, chatUserId, name, options);

  it('Commands, buttons and forms answer a German person in German', async () => {
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.setClientLocale(chatUserId, 'de');
    const offer = await privateAnswer(command('verify', {}, chatUserId));
    expect(labelsOf(offer)).to.deep.equal(['Weiter mit Roblox', 'Roblox aus meinem Discord', 'Code im Profil']);
    const { modal } = await discord.press(guild.guildId, chatUserId, offer, 'Code im Profil');
    expect(modal?.title).to.equal('Dein Roblox-Konto');
  });

  it('A German person’s posts for everyone are in the language of the guild', async () => {
    expect(await privateWords(command('panel'))).to.equal('Die Nachricht ist gepostet.');
    const { id } = discord.channel(guild.guildId);
    expect(discord.messages(id).at(-1)?.content).to.contain('Verify your Roblox account');
    await set({ locale: 'de' });
    discord.setClientLocale(guild.ownerId, 'en-GB');
    expect(await privateWords(command('panel'))).to.equal('Panel posted.');
    expect(discord.messages(id).at(-1)?.content).to.contain('Verifiziere dein Roblox-Konto');
  });

  it('A German person reads the settings in German, with the name of the guild’s language', async () => {
    expect(await privateWords(command('settings set', { language: 'en' }))).to.contain('**Sprache**: English');
  });

  it('A person with an unsupported language is answered in the language of the guild', async () => {
    await set({ locale: 'de' });
    discord.setClientLocale(guild.ownerId, 'ja');
    expect(await privateWords(command('help'))).to.contain('Was du hier tun kannst');
  });

  it('A German person is refused in German, where the code says enough', async () => {
    await set({ verification: { ...defaultSettings.verification, enabled: false } });
    expect(await privateWords(command('verify'))).to.equal('Die Verifizierung ist auf diesem Server ausgeschaltet.');
    expect(await privateWords(command('group remove', { group: '1' }))).to.equal(
      'Diese Gruppe ist hier nicht hinzugefügt.',
    );
  });

  it('The API and the log are in English for a German person', async () => {
    const { body } = await guild.api.delete(`${guild.path}/groups/1`);
    expect(body.detail).to.equal("This group isn't added to this server.");
    const role = discord.addRole(guild.guildId, { name: 'Checked' }).id;
    expect(await privateWords(command('mapping verified', { role }))).to.contain('verifiziert → ');
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry?.changes?.condition).to.deep.equal({ from: null, to: 'verified' });
  });

  it('The descriptions of commands are registered in German', async () => {
    const { application } = container.client;
    const registered = await application?.commands.fetch({ withLocalizations: true });
    const mapping = registered?.find(({ name }) => name === 'mapping');
    const add = mapping?.options.find(({ name }) => name === 'add');
    const type = add && 'options' in add ? add.options?.find(({ name }) => name === 'type') : undefined;
    expect(mapping?.descriptionLocalizations).to.include({ de: 'Verwalte, wer welche Rollen bekommt' });
    expect(add?.descriptionLocalizations).to.include({ de: 'Gib allen Rollen, die eine Bedingung erfüllen' });
    expect(type?.descriptionLocalizations).to.include({
      de: 'Wer die Rollen bekommt',
      'es-ES': 'Quién recibe los roles',
      'es-419': 'Quién recibe los roles',
    });
    const choices = type && 'choices' in type ? type.choices : [];
    expect(choices?.[0]).to.deep.include({ name: "Everyone who isn't verified", value: 'unverified' });
    expect(choices?.[0]?.nameLocalizations).to.include({ de: 'Alle, die nicht verifiziert sind' });
    const menu = registered?.find(({ name }) => name === 'Roblox account');
    expect(menu?.nameLocalizations).to.include({ de: 'Roblox-Konto' });
    expect(await privateWords(command('help'))).to.contain('Gib allen Rollen, die eine Bedingung erfüllen');
  });
});

describe('Long answers', () => {
  for (const [name, clients] of Object.entries(discordLocales)) {
    it(`The longest answers of commands are whole in ${name}`, async () => {
      const { discord } = await world();
      const { guildId, ownerId } = await buildGuild();
      const inEnglish = (await privateWords(discord.command(guildId, ownerId, 'help'))).split('\n');
      for (const client of clients) {
        discord.setClientLocale(ownerId, client);
        for (const command of ['help', 'settings view']) {
          const { content, embeds, words } = await privateAnswer(discord.command(guildId, ownerId, command));
          expect(content.length).to.be.at.most(2_000);
          expect(JSON.stringify(embeds).length).to.be.at.most(6_000);
          expect(words).not.to.match(/…$/m);
          if (command === 'help') expect(words.split('\n')).to.have.length(inEnglish.length);
        }
      }
    });
  }
});

describe('Refusals in another language', () => {
  const full = new PlanLimitReached('Too many.', { resource: 'groups', limit: 3, plan: 'free' });

  it('A refusal is as it was made in English, and worded by its code elsewhere', () => {
    expect(refusalWords(full)).to.equal('Too many.');
    expect(withLocale('de', () => refusalWords(full))).to.equal('Das erlaubt der Tarif free nicht (Grenze: 3).');
  });

  it('A refusal stays English where its code says too little', () => {
    const blocked = new Conflict('role_unmanageable', 'The role A no longer exists.');
    expect(withLocale('de', () => refusalWords(blocked))).to.equal('The role A no longer exists.');
  });
});

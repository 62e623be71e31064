import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { Conflict, PlanLimitReached } from '../../src/lib/errors.js';
import { withLocale } from '../../src/lib/translate.js';
import { refusalWords } from '../../src/lib/translate-refusal.js';
import { labelsOf, privateAnswer, privateWords } from '../commands/private-answer.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';

describe('in a guild that speaks German', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    await set();
  });

  const set = (change: Partial<GuildSettings> = {}) =>
    writeSettings(guild.guildId, { ...defaultSettings, locale: 'de', ...change });
  const command = (name: string, options = {}, chatUserId = guild.ownerId) =>
    discord.command(guild.guildId, chatUserId, name, options);

  it('commands, buttons, forms and posts do so', async () => {
    const { chatUserId } = await buildMember(guild, { linked: false });
    const offer = await privateAnswer(command('verify', {}, chatUserId));
    expect(labelsOf(offer)).to.deep.equal(['Weiter mit Roblox', 'Code im Profil']);
    const { modal } = await discord.press(guild.guildId, chatUserId, offer, 'Code im Profil');
    expect(modal?.title).to.equal('Dein Roblox-Konto');
    expect(await privateWords(command('panel'))).to.equal('Die Nachricht ist gepostet.');
    const [panel] = discord.messages(discord.channel(guild.guildId).id);
    expect(panel?.content).to.contain('Verifiziere dein Roblox-Konto');
  });

  it('refusals do so too, where their code says enough', async () => {
    await set({ verification: { ...defaultSettings.verification, enabled: false } });
    expect(await privateWords(command('verify'))).to.equal('Die Verifizierung ist auf diesem Server ausgeschaltet.');
    expect(await privateWords(command('group remove', { group: '1' }))).to.equal(
      'Diese Gruppe ist hier nicht hinzugefügt.',
    );
  });

  it('the API stays English, and so does the log', async () => {
    const { body } = await guild.api.delete(`${guild.path}/groups/1`);
    expect(body.detail).to.equal('This group is not attached to the guild.');
    const role = discord.addRole(guild.guildId, { name: 'Checked' }).id;
    expect(await privateWords(command('mapping add', { role, type: 'verified' }))).to.contain('verifiziert → ');
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry?.changes?.condition).to.deep.equal({ from: null, to: 'verified' });
  });

  it('commands are described in both languages, and Discord chooses by the person’s own', async () => {
    const { application } = container.client;
    const registered = await application?.commands.fetch({ withLocalizations: true });
    const mapping = registered?.find(({ name }) => name === 'mapping');
    const add = mapping?.options.find(({ name }) => name === 'add');
    const type = add && 'options' in add ? add.options?.find(({ name }) => name === 'type') : undefined;
    expect(mapping?.descriptionLocalizations).to.deep.equal({ de: 'Verwalte, wer welche Rollen bekommt' });
    expect(add?.descriptionLocalizations).to.deep.equal({ de: 'Gib allen Rollen, die eine Bedingung erfüllen' });
    expect(type?.descriptionLocalizations).to.deep.equal({ de: 'Wer die Rollen bekommt' });
    const choices = type && 'choices' in type ? type.choices : [];
    expect(choices?.[0]).to.deep.include({ name: 'Everyone who is verified', value: 'verified' });
    expect(choices?.[0]?.nameLocalizations).to.deep.equal({ de: 'Alle, die verifiziert sind' });
    const menu = registered?.find(({ name }) => name === 'Game account');
    expect(menu?.nameLocalizations).to.deep.equal({ de: 'Spielkonto' });
    expect(await privateWords(command('help'))).to.contain('Gib allen Rollen, die eine Bedingung erfüllen');
  });
});

describe('a refusal', () => {
  const full = new PlanLimitReached('Too many.', { resource: 'groups', limit: 3, plan: 'free' });

  it('is as it was made in English, and by its code elsewhere', () => {
    expect(refusalWords(full)).to.equal('Too many.');
    expect(withLocale('de', () => refusalWords(full))).to.equal('Das erlaubt der Tarif free nicht (Grenze: 3).');
  });

  it('stays English where its code says too little', () => {
    const blocked = new Conflict('role_unmanageable', 'The role A no longer exists.');
    expect(withLocale('de', () => refusalWords(blocked))).to.equal('The role A no longer exists.');
  });
});

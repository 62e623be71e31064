import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { withLocale } from '../../../src/lib/translate.js';
import { permissionList } from '../../../src/platforms/discord/permission-words.js';
import { dangerousPermissions, everyPermission } from '../../../src/platforms/discord/permissions.js';

describe('The words for permissions', () => {
  it('Permissions are named as Discord names them, in the language of the reader', () => {
    const names = dangerousPermissions(PermissionFlagsBits.ManageMessages | PermissionFlagsBits.KickMembers);
    expect(permissionList(names)).to.equal('Kick Members, Manage Messages');
    expect(withLocale('de', () => permissionList(names))).to.equal('Mitglieder kicken, Nachrichten verwalten');
  });

  it('A permission with two names is listed once', () => {
    expect(permissionList(['ManageGuildExpressions', 'ManageEmojisAndStickers'])).to.equal('Manage Expressions');
  });

  it('Every dangerous permission has words', () => {
    const raw = dangerousPermissions(everyPermission).filter((name) => permissionList([name]) === name);
    expect(raw).to.deep.equal(['Administrator']);
  });

  it('A permission that Rolelink has no words for is written word by word', () => {
    expect(permissionList(['UseExternalSounds'])).to.equal('Use External Sounds');
  });
});

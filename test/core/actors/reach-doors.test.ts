import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { enabledMappings } from '../../../src/features/mappings/mapping-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { followUpWords, privateAnswer } from '../../commands/private-answer.js';
import { pairOf, runImport } from '../../features/people-import/import-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  setSettings,
} from '../../features/sync/sync-setup.js';
import { buildDiscordAdmin, type TestTeammate } from '../../features/team/team-setup.js';
import { type ApiAnswer, asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { factsWhere, onceShown } from '../../support/events.js';
import { type World, world } from '../../support/world.js';

/** AUTH-61: an admin by Manage Server tries to reach a role and a person above them, through every door. */
describe('The doors through the rule of reach', () => {
  let guild: GroupGuild;
  let admin: TestTeammate & { roleId: string };
  let [low, high]: [string, string] = ['', ''];
  let verified: string;

  beforeEach(async () => {
    const { discord } = await world();
    guild = await buildGroupGuild();
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    low = await addRole(guild, { name: 'Low' });
    admin = await buildDiscordAdmin(guild);
    high = await addRole(guild, { name: 'High' });
    const order = [verified, low, admin.roleId, high];
    for (const [index, roleId] of order.entries()) discord.moveRole(guild.guildId, roleId, index + 1);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
    await factsWhere(
      guild.guildId,
      ({ roles, bot }) =>
        bot.highestRole.position > 4 && order.map((id) => roles.get(id)?.position).join() === '1,2,3,4',
      'the order of roles',
    );
  });

  const post = (path: string, body: object): Promise<ApiAnswer> => admin.api.post(`${guild.path}/${path}`, body);
  const draft = (roleId: string) => ({ condition: { type: 'verified' }, roleIds: [roleId] });

  /** The doors by which a rule gives and takes a role. */
  const doorsOfRoles: Record<string, (roleId: string) => Promise<ApiAnswer>> = {
    mapping: (roleId) => post('mappings', draft(roleId)),
    'change of a mapping': async (roleId) => {
      const { body } = await guild.api.get(`${guild.path}/mappings`);
      return admin.api.put(`${guild.path}/mappings/${body.data[0].mappingId}`, draft(roleId));
    },
    'import of mappings': (roleId) => post('mappings/import', { mappings: [draft(roleId)], dryRun: false }),
    configuration: async (roleId) => {
      const { body } = await admin.api.get(`${guild.path}/config`);
      const mapping = { ...body.mappings[0], roles: [roleId] };
      return admin.api.put(`${guild.path}/config`, { ...body, mappings: [...body.mappings, mapping] });
    },
    'preview of drafts': (roleId) => post('sync/preview', { mappings: [draft(roleId)] }),
    'set-up': (verifiedRoleId) => admin.api.patch(`${guild.path}/setup`, { verifiedRoleId }),
    'set-up that the owner has chosen': async (verifiedRoleId) => {
      await guild.api.patch(`${guild.path}/setup`, { verifiedRoleId });
      const { body, ...shown } = await admin.api.post(`${guild.path}/setup/preview`, {});
      if (shown.status !== 200) return { body, ...shown };
      return post('setup/apply', { key: body.key, mode: 'observe' });
    },
  };
  for (const [door, attempt] of Object.entries(doorsOfRoles)) {
    it(`The door for roles “${door}” lets an admin reach a role below them, and none above`, async () => {
      const above = await attempt(high);
      const isRefused = above.status === 403 || above.body.refused?.[0]?.code === 'forbidden';
      expect(isRefused, JSON.stringify(above.body)).to.equal(true);
      const mapped = (await enabledMappings(guild.guildId)).flatMap(({ roleIds }) => roleIds);
      expect(mapped).to.deep.equal([verified]);
      const below = await attempt(low);
      expect(below.status, JSON.stringify(below.body)).to.be.within(200, 202);
      expect(below.body.refused ?? []).to.deep.equal([]);
    });
  }

  /** The commands that do the same; each answers with its refusal, or with the button that confirms it. */
  const commandsOfRoles: Record<string, (roleId: string) => Promise<string>> = {
    '/mapping add': (role) => said('mapping add', { role, type: 'premium' }),
    '/import': async (roleId) => {
      const { discord } = await world();
      const file = discord.upload('roles.csv', `condition,group,roles\nunverified,,${roleId}\n`);
      return said('import', { file, from: 'csv' });
    },
    '/config apply': async (roleId) => {
      const { body } = await admin.api.get(`${guild.path}/config`);
      const mapping = { ...body.mappings[0], roles: [roleId] };
      return said('config apply', { file: await fileOf({ ...body, mappings: [...body.mappings, mapping] }) });
    },
  };
  const said = async (command: string, options: Parameters<World['discord']['command']>[3]): Promise<string> => {
    const { discord } = await world();
    const asked = await privateAnswer(discord.command(guild.guildId, admin.chatUserId, command, options));
    const [button] = asked.buttons;
    if (!['config apply', 'import'].includes(command) || button?.label === undefined) return asked.words;
    return (await privateAnswer(discord.press(guild.guildId, admin.chatUserId, asked, button.label))).words;
  };
  const fileOf = async (content: object) => (await world()).discord.upload('config.json', JSON.stringify(content));
  for (const [command, attempt] of Object.entries(commandsOfRoles)) {
    it(`The command ${command} lets an admin reach a role below them, and none above`, async () => {
      const rolesMapped = async () => (await enabledMappings(guild.guildId)).flatMap(({ roleIds }) => roleIds);
      const refusal = await attempt(high);
      expect(await rolesMapped(), refusal).to.deep.equal([verified]);
      const done = await attempt(low);
      expect(await rolesMapped(), done).to.have.members([verified, low]);
    });
  }

  it('The command /setup lets an admin choose a role below them, and none above', async () => {
    const { discord } = await world();
    const choose = async (roleId: string) => {
      const opened = await privateAnswer(discord.command(guild.guildId, admin.chatUserId, 'setup'));
      const page = opened.words.includes('Step 1 of 5')
        ? await privateAnswer(discord.press(guild.guildId, admin.chatUserId, opened, 'Continue without a group'))
        : opened;
      return discord.select(guild.guildId, admin.chatUserId, page, 'setup:verified', [roleId]);
    };
    const refused = await choose(high);
    await onceShown(() => refused.followUps().length > 0, 'the refusal');
    expect(followUpWords(refused)).to.contain('You can only map roles below your own highest role');
    const { words } = await privateAnswer(choose(low));
    expect(words).to.contain(`<@&${low}>`).and.not.contain(`<@&${high}>`);
  });

  const memberOf = ({ chatUserId }: TestPerson) => findMember(guild.guildId, chatUserId);
  const unlinkAsOwner = ({ chatUserId }: TestPerson) => guild.api.delete(`${guild.path}/members/${chatUserId}/link`);
  const restrict = async ({ gameUserId }: TestPerson) => {
    const { body } = await admin.api.get(`${guild.path}/settings`);
    const restrictions = { ...noRestrictions, deniedGameUserIds: [gameUserId] };
    return admin.api.put(`${guild.path}/settings`, { ...body, restrictions });
  };

  /** The doors by which a person loses all that their link gives, or gets it back. */
  const doorsOfPeople: Record<string, { attempt: (person: TestPerson) => Promise<unknown>; undoes?: true }> = {
    unlink: { attempt: ({ chatUserId }) => admin.api.delete(`${guild.path}/members/${chatUserId}/link`) },
    'bulk unlink': { attempt: ({ chatUserId: memberId }) => post('members/unlink', { members: [{ memberId }] }) },
    'undo of an unlink': {
      attempt: ({ chatUserId }) => post('members/undo-unlink', { memberIds: [chatUserId] }),
      undoes: true,
    },
    restriction: { attempt: restrict },
    '/settings restrictions': {
      attempt: ({ gameUserId }) => said('settings restrictions', { restrict_denied_users: gameUserId }),
    },
    'confirmation of a restriction': {
      attempt: async (person) => {
        await restrict(person);
        expect((await post('settings/restrictions/confirm', {})).status).to.equal(403);
      },
    },
  };
  for (const [door, { attempt, undoes = false }] of Object.entries(doorsOfPeople)) {
    it(`The door for people “${door}” lets an admin reach a person below them, and none above`, async () => {
      for (const [place, roleIds] of Object.entries({ above: [high], below: [] })) {
        const person = await buildSettledMember(guild, { roleIds });
        if (undoes) await unlinkAsOwner(person);
        await runPendingSyncs(guild.guildId);
        await attempt(person);
        await post(`members/${person.chatUserId}/resync`, {});
        const isReached = place === 'below';
        expect((await rolesOf(guild, person))?.includes(verified), place).to.equal(undoes === isReached);
      }
    });
  }

  it('The undo of an import lets an admin reach a person below them, and none above', async () => {
    for (const [place, roleIds] of Object.entries({ above: [high], below: [] })) {
      const person = await buildMember(guild, { linked: false, roleIds });
      const { importId } = await runImport(guild, { people: [pairOf(person)] });
      await runPendingSyncs(guild.guildId);
      expect((await post(`people/import/${importId}/undo`, {})).status).to.equal(202);
      const undo = async () => (await guild.api.get(`${guild.path}/people/import`)).body.import.undo;
      await eventually(async () => (await undo()).state === 'completed', 'the undo');
      await runPendingSyncs(guild.guildId);
      expect((await undo()).left.map(({ reason }: { reason: string }) => reason)).to.deep.equal(
        place === 'above' ? ['above'] : [],
      );
      expect((await rolesOf(guild, person))?.includes(verified), place).to.equal(place === 'above');
    }
  });

  it('The owner’s confirmation of an admin’s restriction reaches the people above the admin', async () => {
    const person = await buildSettledMember(guild, { roleIds: [high] });
    await restrict(person);
    await post(`members/${person.chatUserId}/resync`, {});
    expect((await rolesOf(guild, person))?.includes(verified)).to.equal(true);
    expect((await guild.api.post(`${guild.path}/settings/restrictions/confirm`, {})).status).to.equal(200);
    await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`, {});
    expect((await rolesOf(guild, person))?.includes(verified)).to.equal(false);
  });

  it('A server’s word gives nobody a role above its author', async () => {
    await mapTo(guild, { type: 'verified' }, { roleIds: [high] });
    const person = await buildMember(guild, { linked: false });
    await runImport({ ...guild, api: admin.api }, { people: [pairOf(person)] });
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
  });

  it('A person’s own proof, transfer and answer have no author, so no place limits them', async () => {
    const above = await buildSettledMember(guild, { roleIds: [high] });
    const consent = `/api/auth/me/consents/${guild.guildId}`;
    const theirs = await asPerson(above);
    for (const [shown, state] of [
      [false, 'unlinked'],
      [true, 'linked'],
    ] as const) {
      expect((await theirs.put(consent, { shown })).status).to.equal(200);
      expect(await memberOf(above)).to.include({ state });
    }
    const prover = { ...(await buildPerson()), gameUserId: above.gameUserId, gameUsername: above.gameUsername };
    await linkPerson(null, prover);
    expect(await memberOf(above)).to.include({ state: 'unlinked' });
  });
});

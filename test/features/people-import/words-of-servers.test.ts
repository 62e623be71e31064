import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { Accounts, wordId } from '../../../src/features/accounts/account-model.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { asPerson } from '../../support/api.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { dataOf, listen } from '../events/listening.js';
import { setSettings } from '../sync/sync-setup.js';
import { pairOf, runImport } from './import-setup.js';

// ID-60, PEOPLE-21
describe('The words of servers', () => {
  let guild: TestGuild;
  let elsewhere: TestGuild;

  beforeEach(async () => {
    [guild, elsewhere] = [await buildGuild(), await buildGuild()];
  });

  const linkIn = async ({ path, api }: TestGuild, { chatUserId }: TestPerson) =>
    (await api.get(`${path}/members/${chatUserId}`)).body.gameUserId;

  it('The word of one server is no obstacle in another, and neither is a verification', async () => {
    const person = await buildMember(guild, { linked: false });
    await buildMember(elsewhere, { person, linked: false });
    const { gameUserId } = await buildPerson();
    await listen(guild);
    await listen(elsewhere);
    expect((await runImport(guild, { people: [{ ...pairOf(person), gameUserId }] })).counts.imported).to.equal(1);
    expect((await runImport(elsewhere, { people: [pairOf(person)] })).counts.imported).to.equal(1);
    expect(await linkIn(guild, person)).to.equal(gameUserId);
    expect(await linkIn(elsewhere, person)).to.equal(person.gameUserId);
    for (const one of [guild, elsewhere]) expect(await dataOf(one, 'verification.completed')).to.deep.equal([]);

    await linkPerson(null, person);
    for (const one of [guild, elsewhere]) expect(await linkIn(one, person)).to.equal(person.gameUserId);
  });

  it('A person who ends their accounts ends the words of all servers', async () => {
    const person = await buildMember(guild, { linked: false });
    await buildMember(elsewhere, { person, linked: false });
    for (const one of [guild, elsewhere]) await runImport(one, { people: [pairOf(person)] });
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    for (const one of [guild, elsewhere]) {
      expect(await linkIn(one, person)).to.equal(null);
      expect((await runImport(one, { people: [pairOf(person)] })).counts).to.include({ imported: 0, refused: 1 });
    }
  });

  it('An import answers alike for everybody whose account the server doesn’t see', async () => {
    await setSettings(guild, { reveal: 'ask' });
    const build = () => buildMember(guild, { linked: false });
    const unseen: Record<string, () => Promise<{ chatUserId: string; gameUserId: string }>> = {
      'never seen': async () => pairOf(await build()),
      'linked elsewhere, right guess': async () => {
        const person = await build();
        await linkPerson(null, person);
        return pairOf(person);
      },
      'linked elsewhere, wrong guess': async () => {
        const person = await build();
        await linkPerson(null, person);
        return { ...pairOf(person), gameUserId: (await buildPerson()).gameUserId };
      },
      'account of somebody elsewhere': async () => {
        const owner = await buildPerson();
        await linkPerson(null, owner);
        return { ...pairOf(await build()), gameUserId: owner.gameUserId };
      },
      'refused elsewhere': async () => {
        const person = await build();
        await buildMember(elsewhere, { person, linked: false });
        await runImport(elsewhere, { people: [pairOf(person)] });
        await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
        return pairOf(person);
      },
      hidden: async () => {
        const person = await build();
        await linkPerson(null, person);
        await (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false });
        return pairOf(person);
      },
    };
    const { api, path } = guild;
    for (const [kind, pairFor] of Object.entries(unseen)) {
      const pair = await pairFor();
      const { body } = await api.post(`${path}/people/import`, { people: [pair] });
      const { reviewKey: _, effects, ...numbers } = body;
      expect(effects, kind).to.include({ state: 'planned', gain: 0, renamed: 0, unknown: 0 });
      const told = { total: 1, new: 1, known: 0, contradicting: 0, refused: 0, not_in_server: 0 };
      expect(numbers, kind).to.deep.equal({
        ...{ source: 'list', seconds: 1, ...told, observing: false, otherBots: [] },
      });
      const { counts, problems } = await runImport(guild, { people: [pair] });
      expect(counts, kind).to.include({ done: 1, imported: 1, known: 0, contradicting: 0, refused: 0 });
      expect(problems, kind).to.deep.equal([]);
      expect(await Accounts.exists({ _id: wordId(pair.chatUserId, guild.guildId) }), kind).to.not.equal(null);
      expect((await api.get(`${path}/members/${pair.chatUserId}`)).body, kind).to.include({ gameUserId: null });
    }
  });
});

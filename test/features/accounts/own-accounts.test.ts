import { expect } from 'chai';
import { type Api, api, asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { eraseAll, everythingNaming } from '../privacy/privacy-setup.js';
import { addOther } from './other-account.js';

// ID-93, ID-94, ID-97
describe('A person’s own accounts over the API', () => {
  withPromptSyncs();
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;
  let me: Api;
  const path = '/api/auth/me/accounts';
  const shown = async () => {
    const { data } = (await me.get(path)).body;
    return data.map(({ account, main, servers }: { account: TestPerson; main: boolean; servers: TestGuild[] }) => [
      account.gameUserId,
      main,
      servers.map(({ guildId }) => guildId).sort(),
    ]);
  };

  beforeEach(async () => {
    [home, other] = [await buildGuild(), await buildGuild()];
    ben = await buildMember(home);
    await buildMember(other, { person: ben, linked: false });
    alt = await addOther(ben);
    me = await asPerson(ben);
  });

  it('A person’s accounts are listed, chosen for a server, made main and removed one by one', async () => {
    const both = [home.guildId, other.guildId].sort();
    expect(await shown()).to.deep.equal([
      [ben.gameUserId, true, both],
      [alt.gameUserId, false, []],
    ]);
    const chosen = await me.put(`${path}/${alt.gameUserId}`, { guildIds: [other.guildId] });
    expect(chosen.status).to.equal(200);
    expect(await shown()).to.deep.equal([
      [ben.gameUserId, true, [home.guildId]],
      [alt.gameUserId, false, [other.guildId]],
    ]);
    expect((await me.get('/api/auth/me')).body.account).to.include({ gameUserId: ben.gameUserId });
    expect((await me.put(`${path}/${alt.gameUserId}`, { main: true })).status).to.equal(200);
    expect(await shown()).to.deep.equal([
      [alt.gameUserId, true, both],
      [ben.gameUserId, false, []],
    ]);
    expect((await me.get('/api/auth/me')).body.account).to.include({ gameUserId: alt.gameUserId });
    expect((await me.delete(`${path}/${ben.gameUserId}`)).status).to.equal(204);
    expect(await shown()).to.deep.equal([[alt.gameUserId, true, both]]);
  });

  it('A game finds the person in the server that uses the account, and nobody elsewhere', async () => {
    await me.put(`${path}/${alt.gameUserId}`, { guildIds: [other.guildId] });
    const found = async (guild: TestGuild, gameUserId: string) =>
      (await guild.api.post(`${guild.path}/members/lookup`, { gameUserIds: [gameUserId] })).body.data[0].member
        ?.memberId;
    expect(await found(home, ben.gameUserId)).to.equal(ben.chatUserId);
    expect(await found(home, alt.gameUserId)).to.equal(undefined);
    expect(await found(other, alt.gameUserId)).to.equal(ben.chatUserId);
    expect(await found(other, ben.gameUserId)).to.equal(undefined);
  });

  it('The routes of one’s accounts refuse another person’s account, a foreign server and a token', async () => {
    const before = await shown();
    const stranger = await buildPerson();
    const away = await buildGuild();
    const tries = [
      [await me.put(`${path}/${stranger.gameUserId}`, { main: true }), 404, 'not_linked'],
      [await me.put(`${path}/${alt.gameUserId}`, { main: true, guildIds: [away.guildId] }), 404, 'guild_not_found'],
      [await me.put(`${path}/${alt.gameUserId}`, { main: false }), 400, 'invalid_request'],
      [await me.delete(`${path}/${stranger.gameUserId}`), 404, 'not_linked'],
      [await api(await tokenFor('*', 'owner')).put(`${path}/${alt.gameUserId}`, { main: true }), 403, 'forbidden'],
    ] as const;
    for (const [answer, status, code] of tries) expect([answer.status, answer.body.code]).to.deep.equal([status, code]);
    expect(await shown()).to.deep.equal(before);
  });

  // PRIV-1, PRIV-18
  it('An export names all accounts, and an erasure leaves none of them', async () => {
    await me.put(`${path}/${alt.gameUserId}`, { guildIds: [other.guildId] });
    const { body } = await me.get('/api/auth/me/export');
    const games = body.accounts.map(({ gameUserId }: TestPerson) => gameUserId);
    expect(games).to.have.members([ben.gameUserId, alt.gameUserId]);
    const inOther = body.memberships.find(({ guildId }: TestGuild) => guildId === other.guildId);
    expect(inOther).to.include({ chosenGameUserId: alt.gameUserId });
    expect((await me.delete('/api/auth/me')).status).to.equal(202);
    await eraseAll();
    expect(await everythingNaming(alt.gameUserId)).to.deep.equal([]);
    expect(await everythingNaming(ben.gameUserId)).to.deep.equal([]);
  });
});

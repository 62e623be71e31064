import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, tokenFor } from '../../support/build.js';
import { buildRankingGuild, rankedMember, ranksOf } from '../ranking/ranking-setup.js';

/** A script's requests and expected answers in docs/games.md, read from its text. */
interface Script {
  path: string;
  method: string;
  prefix: string;
  fields: string[];
  statuses: number[];
}

async function readScript(part: string): Promise<Script> {
  const text = await readFile(new URL('../../../../docs/games.md', import.meta.url), 'utf8');
  const scripts = [...text.matchAll(/```lua\n([\s\S]*?)```/g)].map(([, script = '']) => script);
  const script = scripts.find((each) => each.includes(part)) ?? '';
  const read = (pattern: RegExp): string => pattern.exec(script)?.[1] ?? '';
  return {
    path: read(/local address = "https:\/\/[^/]+([^"]+)"/),
    method: read(/Method = "([A-Z]+)"/),
    prefix: read(/AddPrefix\("([^"]+)"\)/),
    fields: [...read(/JSONEncode\(\{([^}]+)\}\)/).matchAll(/(\w+) =/g)].map(([, field = '']) => field),
    statuses: [...script.matchAll(/\[(\d{3})\] =/g)].map(([, status]) => Number(status)),
  };
}

describe('Scripts for games', () => {
  it('The documented script redeems a code as the service expects, and handles its answers', async () => {
    const { path, method, prefix, fields, statuses } = await readScript('game-codes');
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    const token = await tokenFor(guild.guildId, 'verifier');
    const wish = { guildId: guild.guildId, method: 'game_code' };
    const { phrase } = (await (await asPerson(person)).post('/api/verification/session', wish)).body;
    const given: Record<string, string> = { code: phrase, gameUserId: person.gameUserId };
    const send = (body: object) =>
      api().request(method, path.replace('<server id>', guild.guildId), {
        headers: { authorization: `${prefix}${token}` },
        body,
      });
    expect(fields).to.have.members(Object.keys(given));
    const taken = await send(Object.fromEntries(fields.map((field) => [field, given[field]])));
    const wrong = await send({ ...given, code: 'BCDFGH' });
    expect([taken.status, wrong.status]).to.deep.equal([202, 404]);
    expect(statuses).to.deep.equal([202, 404, 422, 429]);
  });

  it('The documented script looks members up as the service expects', async () => {
    const { path, method, prefix, fields } = await readScript('members/lookup');
    const guild = await buildGuild();
    const { gameUserId } = await buildMember(guild);
    const token = await tokenFor(guild.guildId, 'viewer');
    const answer = await api().request(method, path.replace('<server id>', guild.guildId), {
      headers: { authorization: `${prefix}${token}` },
      body: Object.fromEntries(fields.map((field) => [field, [gameUserId]])),
    });
    expect(answer.status).to.equal(200);
    expect(answer.body.data[0]).to.deep.include({ id: gameUserId }).and.have.nested.property('member.status', 'linked');
  });

  // RANKING-21, RANKING-22
  it('The documented training place promotes as the service expects', async () => {
    const { path, method, prefix, fields } = await readScript('RolelinkTraining');
    const guild = await buildRankingGuild();
    const { gameUserId } = await rankedMember(guild, 'Recruit');
    const text = await readFile(new URL('../../../../docs/games.md', import.meta.url), 'utf8');
    const wish = /```json\n(\{\s*"name": "Training"[\s\S]*?)```/.exec(text)?.[1] ?? '';
    const made = await guild.owner.post(`${guild.path}/tokens`, JSON.parse(wish.replace('<group id>', guild.groupId)));
    expect(made.status).to.equal(201);
    const given: Record<string, string> = {
      gameUserId,
      gameRoleId: guild.roleIds.Private,
      reason: 'Passed the training',
    };
    expect(fields).to.have.members(Object.keys(given));
    const send = (key: string) =>
      api().request(method, path.replace('<server id>', guild.guildId).replace('<group id>', guild.groupId), {
        headers: { authorization: `${prefix}${made.body.token}`, 'idempotency-key': key },
        body: Object.fromEntries(fields.map((field) => [field, given[field]])),
      });
    expect((await send(`training-${gameUserId}`)).status).to.equal(200);
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([6]);
    const [repeated, again] = [await send(`training-${gameUserId}`), await send('training-again')];
    expect([repeated.status, again.status, again.body.code]).to.deep.equal([200, 409, 'rank_unchanged']);
  });
});

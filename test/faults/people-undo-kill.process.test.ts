import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { StoredAccount } from '../../src/features/accounts/account-model.js';
import type { Member } from '../../src/features/members/member-model.js';
import type { PeopleImport } from '../../src/features/people-import/people-import-model.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';

const [people, kills] = [150, 3];

// PEOPLE-27, PEOPLE-28, PEOPLE-29
describe('A killed undo of an import of people', () => {
  const house = new KillableService('people_undo_kill');
  const imports = () => house.collection<PeopleImport>('people_imports');

  before(() => house.start());

  it(`An undo of ${people} people goes on after ${kills} kills, tells each once, and puts all nicknames back`, async () => {
    const { discord, roblox } = house;
    const owner = discord.addUser({ username: 'undoer' });
    const { id: guildId } = discord.addGuild({ name: 'Undo', ownerId: owner.id, withBot: false });
    const pairs = Array.from({ length: people }, (_, index) => {
      const { id: chatUserId } = discord.addUser({ username: `undone${index}` });
      discord.join(guildId, chatUserId);
      discord.setNickname(guildId, chatUserId, `Former ${index}`);
      return { chatUserId, gameUserId: roblox.addUser({ username: `Undone_${index}` }).id };
    });
    discord.addBot(guildId);
    const known = { _id: guildId, present: true };
    await eventually(() => house.collection<{ _id: string }>('guilds').findOne(known), 'the guild');
    const path = `/api/guilds/${guildId}/people/import`;
    const post = async (to: string, body: object) => {
      const headers = await house.signIn(owner.id);
      const url = `${house.running.url}${path}${to}`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: JSON.parse(await answer.text()) as Record<string, string> };
    };
    const latest = () => imports().findOne({ guildId });
    const { reviewKey } = (await post('', { people: pairs })).body;
    const { importId } = (await post('', { people: pairs, dryRun: false, reviewKey })).body;
    const ended = async () => (await latest())?.open !== true;
    await eventually(ended, 'the import');
    const nicknames = () => pairs.map(({ chatUserId }) => discord.member(guildId, chatUserId)?.nickname);
    const isNamed = () => nicknames().every((nickname) => nickname?.startsWith('Undone_'));
    await eventually(isNamed, 'the nicknames');

    const undo = await post(`/${importId}/undo`, {});
    expect(undo.status, JSON.stringify(undo.body)).to.equal(202);
    let interrupted = 0;
    for (let times = 0; times < kills; times += 1) {
      await delay(100 + Math.random() * 300);
      await house.kill();
      if (!(await ended())) interrupted += 1;
      await house.start();
    }
    expect(interrupted, 'kills during the undo').to.be.at.least(1);
    await eventually(ended, 'the end of the undo');
    expect((await latest())?.undo).to.include({ taken: people });
    expect(await house.collection<StoredAccount>('accounts').countDocuments({ guildId, gameUserId: /./ })).to.equal(0);
    const linked = { guildId, state: 'linked' as const };
    expect(await house.collection<Member>('members').countDocuments(linked)).to.equal(0);
    const isBack = () => nicknames().every((nickname, index) => nickname === `Former ${index}`);
    await eventually(isBack, 'the former nicknames');
    const entries = house.collection<{ guildId: string; action: string }>('audit_log');
    expect(await entries.countDocuments({ guildId, action: 'member.unlinked' })).to.equal(people);
  });
});

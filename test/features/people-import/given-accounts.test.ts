import { expect } from 'chai';
import { trusted } from 'mongoose';
import { Accounts, wordId } from '../../../src/features/accounts/account-model.js';
import { PeopleImports } from '../../../src/features/people-import/people-import-model.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, type GroupGuild, mapTo, rolesOf } from '../sync/sync-setup.js';
import { pairOf, runImport, startImport } from './import-setup.js';

// PEOPLE-27, PEOPLE-28
describe('The accounts of an import of people', () => {
  let guild: GroupGuild;
  let verified: string;

  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
  });

  const outsider = (): Promise<TestPerson> => buildMember(guild, { linked: false });
  const shown = async () => (await guild.api.get(`${guild.path}/people/import`)).body.import;
  async function imported(...people: TestPerson[]) {
    const done = await runImport(guild, { people: people.map(pairOf) });
    await runPendingSyncs(guild.guildId);
    return done;
  }
  async function undone(importId: string) {
    const { status, body } = await guild.api.post(`${guild.path}/people/import/${importId}/undo`, {});
    expect(status, JSON.stringify(body)).to.equal(202);
    await eventually(async () => (await shown()).undo?.state === 'completed', 'the end of the undo');
    await runPendingSyncs(guild.guildId);
    return (await shown()).undo;
  }

  it('A pair of an earlier import is known to an import after the clock was set back, and is no part of its undo', async () => {
    const [known, fresh] = [await outsider(), await outsider()];
    await imported(known);
    clock.jump(-hourMs);
    const { importId, counts } = await imported(known, fresh);
    expect(counts).to.include({ imported: 1, known: 1 });
    expect((await shown()).importId).to.equal(importId);
    expect(await undone(importId)).to.deep.include({ undone: 1, left: [] });
    expect(await rolesOf(guild, known)).to.deep.equal([verified]);
    expect(await rolesOf(guild, fresh)).to.deep.equal([]);
  });

  // SYNC-41
  it('An import that another bot asked to wait while the clock was ahead goes on after the clock was set back', async () => {
    const { linkSources: sources } = await world();
    await outsider();
    sources.faults.push({ status: 429, headers: { 'retry-after': '60' } });
    expect((await startImport(guild, { source: 'rover', key: sources.key })).status).to.equal(202);
    const { guildId } = guild;
    const waiting = () => PeopleImports.findOne({ guildId, waitsUntil: trusted({ $exists: true }) });
    const { _id } = await eventually(waiting, 'the wait');
    const waitsUntil = new Date(clock.epochMs() + 2 * hourMs);
    await PeopleImports.update({ _id, guildId }, { $set: { waitsUntil } });
    await mendDueTimes();
    expect((await waiting())?.waitsUntil?.getTime()).to.be.at.most(clock.epochMs());
    await guild.api.delete(`${guild.path}/people/import`);
  });

  it('An undo leaves people whom a later import names, although the clock was set back between the two', async () => {
    const person = await outsider();
    const { importId } = await imported(person);
    clock.jump(-hourMs);
    await imported(person);
    const { undone: count, left } = await undone(importId);
    expect(count).to.equal(0);
    expect(left.map(({ reason }: { reason: string }) => reason)).to.deep.equal(['imported_again']);
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
  });

  it('An undo takes back the accounts of an older version’s import, which go by their source and time', async () => {
    const person = await outsider();
    const { importId } = await imported(person);
    await Accounts.updateOne({ _id: wordId(person.chatUserId, guild.guildId), importId }, { $unset: { importId: 1 } });
    expect(await undone(importId)).to.deep.include({ undone: 1, left: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });
});

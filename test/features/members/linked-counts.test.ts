import { expect } from 'chai';
import sinon from 'sinon';
import { systemActor } from '../../../src/core/actors/actor.js';
import { LinkedCounts } from '../../../src/features/members/linked-count-model.js';
import {
  countAllLinkedMembers,
  countChangedLinks,
  countLinkedMembers,
  countLinksOf,
  linkedMembers,
  recountLinks,
} from '../../../src/features/members/linked-counts.js';
import { endLink, linkProvenMember } from '../../../src/features/members/member-links.js';
import { Members } from '../../../src/features/members/member-model.js';
import { jobsRunning, startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { buildGuild, buildPerson, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

const actor = systemActor('test');
const { signal } = new AbortController();

describe('The count of linked members', () => {
  let guildId: string;
  let people: TestPerson[];

  // A periodic job also counts.
  let wereRunning: boolean;
  before(async () => {
    await world();
    wereRunning = jobsRunning();
    await stopJobs();
  });
  after(async () => {
    if (wereRunning) await startJobs();
  });
  beforeEach(async () => {
    ({ guildId } = await buildGuild());
    people = [await buildPerson(), await buildPerson(), await buildPerson()];
  });
  afterEach(() => sinon.restore());

  const at = (n: number): TestPerson => people[n] ?? people[0] ?? ({} as TestPerson);

  async function link(n: number): Promise<void> {
    const { chatUserId, username: chatUsername, gameUserId, gameUsername } = at(n);
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    await linkProvenMember(guildId, { chatUserId, chatUsername, game }, actor);
  }

  async function unlink(n: number): Promise<void> {
    const member = await Members.findOne({ guildId, chatUserId: at(n).chatUserId });
    if (member !== null) await endLink(member, 'self', actor);
  }

  /** The number that readers get, and the stored count. */
  async function counts(): Promise<{ read: number; stored: number | undefined }> {
    const stored = await LinkedCounts.findOne({ guildId });
    return { read: await countLinkedMembers(guildId), stored: stored?.linked };
  }

  /** As a process that is killed before its nth write of counting. */
  async function countKilledBefore(write: number): Promise<void> {
    let left = write;
    const dies = () => {
      left -= 1;
      if (left <= 0) throw new Error('killed');
    };
    const [update, marks] = [LinkedCounts.update.bind(LinkedCounts), Members.acrossGuilds.collection];
    const bulkWrite = marks.bulkWrite.bind(marks);
    sinon.stub(LinkedCounts, 'update').callsFake(async (...given) => {
      dies();
      return update(...given);
    });
    sinon.stub(marks, 'bulkWrite').callsFake((async (...given: Parameters<typeof bulkWrite>) => {
      dies();
      return bulkWrite(...given);
    }) as never);
    await countLinksOf(guildId).catch(() => undefined);
    sinon.restore();
  }

  it('The count of linked members is right at once, and the same once it is stored', async () => {
    await link(0);
    await link(1);
    expect(await counts()).to.deep.equal({ read: 2, stored: undefined });
    await countChangedLinks(signal);
    expect(await counts()).to.deep.equal({ read: 2, stored: 2 });
    await unlink(0);
    await link(2);
    await unlink(2);
    await link(2);
    await link(2);
    expect(await counts()).to.deep.equal({ read: 2, stored: 2 });
    await unlink(1);
    expect(await counts()).to.deep.equal({ read: 1, stored: 2 });
    await countChangedLinks(signal);
    expect(await counts()).to.deep.equal({ read: 1, stored: 1 });
    expect(await Members.count({ guildId, uncounted: 'any' })).to.equal(0);
  });

  it('The count of linked members counts each guild by itself, and all together', async () => {
    await recountLinks(signal);
    const before = await countAllLinkedMembers();
    const { guildId: other } = await buildGuild();
    await link(0);
    await countLinksOf(guildId);
    await link(1);
    expect([...(await linkedMembers([guildId, other]))]).to.deep.equal([
      [guildId, 2],
      [other, 0],
    ]);
    expect(await countAllLinkedMembers()).to.equal(before + 2);
  });

  for (const write of [1, 2, 3, 4]) {
    it(`The count of linked members is right after a kill before write ${write} of counting, and after a recount`, async () => {
      await link(0);
      await countLinksOf(guildId);
      await unlink(0);
      await link(1);
      await link(2);
      await countKilledBefore(write);
      expect((await counts()).read).to.equal(2);
      await unlink(1);
      await link(0);
      expect((await counts()).read).to.equal(2);
      await unlink(2);
      expect((await counts()).read).to.equal(1);
      await countLinksOf(guildId);
      expect(await counts()).to.deep.equal({ read: 1, stored: 1 });
    });
  }

  it('The daily recount mends the count of linked members, whatever it says', async () => {
    await link(0);
    await countLinksOf(guildId);
    await LinkedCounts.update({ guildId }, { $set: { linked: 7 } });
    await Members.update({ guildId, chatUserId: at(0).chatUserId }, { $unset: { counted: 1 } });
    await recountLinks(signal);
    expect(await counts()).to.deep.equal({ read: 1, stored: 1 });
  });

  it('The count of linked members begins with people who were linked before there were counts', async () => {
    await link(0);
    await link(1);
    await Members.acrossGuilds.updateMany({ guildId }, { $unset: { uncounted: 1 } });
    expect((await counts()).read).to.equal(2);
    await unlink(1);
    expect((await counts()).read).to.equal(1);
    await countLinksOf(guildId);
    expect(await counts()).to.deep.equal({ read: 1, stored: 1 });
  });
});

import { expect } from 'chai';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { minuteMs } from '../../src/lib/time.js';
import { preview } from '../features/sync/preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resyncWhere } from '../features/sync/resync-setup.js';
import { eventually } from '../support/build.js';
import { noPlanFaults, watchPlans } from '../support/query-plans.js';
import { type World, world } from '../support/world.js';
import { measure } from './cost-meter.js';

const atOnce = 100;
const factsEach = 10;
const enough = 40;

/** One part of a preview. */
const mostPreviewed = 200;

/**
 * The tests of a server's facts with so many members. One in `every` has a high level, and all of these are among the
 * members of a preview.
 */
export function testFactsOf(count: number, every: number): void {
  const step = Math.ceil(count / mostPreviewed);
  describe(`Facts about ${count} members`, function () {
    this.timeout(10 * minuteMs);
    let discord: World['discord'];
    let guild: ResyncGuild;

    before(async () => {
      ({ discord } = await world());
      guild = await buildResyncGuild({ count });
    });
    // Standing jobs would go on with them during later files.
    after(async () => {
      const { guildId } = guild;
      discord.removeBot(guildId);
      const gone = async () => (await GuildRecord.countDocuments({ _id: guildId, present: true })) === 0;
      await eventually(gone, 'the leave of the bot');
      await Members.acrossGuilds.collection.deleteMany({ guildId });
    });

    const levelAt = (index: number): number => (index % every === 0 ? enough : index % enough);
    const reportFrom = async (start: number) => {
      const more = Object.fromEntries(Array.from({ length: factsEach - 1 }, (_, n) => [`key_${n}`, n]));
      const people = guild.people
        .slice(start, start + atOnce)
        .map(({ gameUserId }, n) => ({ gameUserId, facts: { level: levelAt(start + n), ...more } }));
      const { status, body } = await guild.api.put(`${guild.path}/facts`, { people });
      const stored = body.data?.filter((each: { status: string }) => each.status === 'stored');
      expect([status, stored?.length]).to.deep.equal([200, people.length]);
    };

    it('Reports about 100 of them send four commands, and read nobody else', async () => {
      const plans = watchPlans();
      const { cost, details } = await measure(() => reportFrom(0));
      expect(cost.database, details.join('\n')).to.equal(4);
      expect(await plans.faults()).to.deep.equal(noPlanFaults);
      expect(await plans.mostExamined({ collection: 'members', limit: undefined })).to.equal(atOnce);
    });

    it('A preview of a mapping names exactly the members with a new role after the resync', async () => {
      for (let start = atOnce; start < count; start += atOnce) await reportFrom(start);
      const roleId = discord.addRole(guild.guildId, { name: 'High level', position: 1 }).id;
      const mapping = { condition: { type: 'fact', key: 'level', atLeast: enough }, roleIds: [roleId] };
      const memberIds = guild.people.filter((_, n) => n % step === 0).map(({ chatUserId }) => chatUserId);
      const { members: shown, nextCursor } = await preview(guild, { change: { mapping }, memberIds });
      expect(nextCursor).to.equal(null);
      const due = guild.people.filter((_, index) => levelAt(index) === enough);
      expect(
        shown.map(({ memberId, add }: { memberId: string; add: string[] }) => [memberId, add]),
      ).to.have.deep.members(due.map(({ chatUserId }) => [chatUserId, [roleId]]));
      expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(201);
      const { body } = await guild.api.post(`${guild.path}/resync`, {});
      const ended = await resyncWhere(guild, body.jobId, ({ state }) => state === 'completed', 9 * minuteMs);
      expect(ended).to.include({ changed: due.length, failed: 0 });
      const holders = guild.people.filter(({ chatUserId }) =>
        discord.member(guild.guildId, chatUserId)?.roleIds.includes(roleId),
      );
      expect(holders).to.deep.equal(due);
    });
  });
}

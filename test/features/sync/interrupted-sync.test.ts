import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { withInterrupted } from '../../../src/features/sync/member/interrupted-sync.js';
import { beginChange } from '../../../src/features/sync/member/member-change.js';
import type { SyncPlan } from '../../../src/features/sync/plan/plan.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  lastSyncOf,
  mapTo,
  pendingSyncOf,
  refusal,
  retryNow,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };
const member = { chatUserId: '1', username: 'ann', nickname: 'Ann', roleIds: ['held'] };
const applying = { added: [], removed: [], formerNickname: null };

// SYNC-42
describe('Syncs after one that was interrupted', () => {
  withPromptSyncs();
  it('A sync has its usual plan when no other was interrupted', () => {
    expect(withInterrupted(member, nothing, undefined)).to.deep.equal({ member, plan: nothing });
  });

  it('A sync counts an interrupted one’s intended and present changes as its own', () => {
    const former = { ...applying, added: ['held', 'lost'], removed: ['gone', 'kept'] };
    const now = { ...member, roleIds: ['held', 'kept'] };
    const { plan } = withInterrupted(now, { ...nothing, add: ['lost', 'a'], remove: ['kept'] }, former);
    expect(plan).to.deep.include({ add: ['a', 'held', 'lost'], remove: ['gone', 'kept'] });
  });

  it('A sync leaves out an interrupted one’s change that it is to undo', () => {
    const former = { ...applying, added: ['held'], removed: ['gone'] };
    const { plan } = withInterrupted(member, { ...nothing, add: ['gone'], remove: ['held'] }, former);
    expect(plan).to.deep.include({ add: ['gone'], remove: ['held'] });
  });

  it('A sync takes over the nickname of an interrupted one, and the nickname before it', () => {
    const named = { ...applying, nickname: 'Ann', formerNickname: 'Anna' };
    const taken = withInterrupted(member, nothing, named);
    expect(taken.plan.nickname).to.equal('Ann');
    expect(taken.member.nickname).to.equal('Anna');
    expect(withInterrupted({ ...member, nickname: 'Other' }, nothing, named).plan.nickname).to.equal(undefined);
    expect(withInterrupted(member, { ...nothing, nickname: 'Bo' }, named).plan.nickname).to.equal('Bo');
  });

  describe('Syncs interrupted by the end of their process', () => {
    let discord: World['discord'];

    before(async () => {
      ({ discord } = await world());
    });

    for (const made of [false, true]) {
      it(`A sync with a process killed ${made ? 'after' : 'before'} Discord was asked stays pending, and ends as without the interruption`, async () => {
        const guild = await buildGroupGuild();
        const roleIds = await mapTo(guild, { type: 'verified' });
        const person = await buildSettledMember(guild);
        await sync(guild, person);
        const { guildId } = guild;
        const { chatUserId, username, gameUsername } = person;
        discord.setMemberRoles(guildId, chatUserId, []);
        // A command's part before its process is killed.
        const change = {
          ...{ guildId, chatUserId, gameUserId: person.gameUserId, pending: pendingSync('command').owedSync },
          stored: await getMember(guildId, chatUserId),
          lease: { fence: Date.now(), requireHeld: () => undefined },
          cause: { trigger: 'command' as const, actor: systemActor('test') },
        };
        const seen = { chatUserId, username, nickname: gameUsername, roleIds: [] };
        await beginChange(change, { member: seen, plan: { ...nothing, add: roleIds } });
        if (made) discord.setMemberRoles(guildId, chatUserId, roleIds);
        const { applying: begun, owedSync: debt } = await getMember(guildId, chatUserId);
        expect(begun).to.deep.equal({ added: roleIds, removed: [], formerNickname: gameUsername });
        expect(debt).to.include({ trigger: 'command', attempts: 0 });
        await retryNow(guild, person);
        expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
        expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'command', added: roleIds, removed: [] });
        expect(await Members.findOne({ guildId, chatUserId })).not.to.have.property('applying');
        // The change by hand above may be seen late, and owe its own sync.
        await eventually(async () => {
          await runPendingSyncs(guildId);
          return (await pendingSyncOf(guild, person)) === undefined;
        }, 'the end of all syncs');
      });
    }

    it('An interrupted sync is reported in whole, even if the next one is interrupted as well', async () => {
      const guild = await buildGroupGuild();
      await withoutNicknames(guild);
      const [given = ''] = await mapTo(guild, { type: 'verified' });
      const person = await buildSettledMember(guild, { linked: false });
      const { guildId } = guild;
      const { chatUserId } = person;
      const loseAnswers = () => discord.inject({ match: /^PUT .*\/roles\//, dropSocket: true, when: 'after' });
      loseAnswers();
      await linkPerson(guildId, person);
      await refusal(sync(guild, person));
      const [second = ''] = await mapTo(guild, { type: 'verified' });
      await refusal(sync(guild, person));
      discord.clearFaults();
      await retryNow(guild, person);
      expect(await rolesOf(guild, person)).to.have.members([given, second]);
      expect((await lastSyncOf(guild, person))?.added).to.have.members([given, second]);
      expect(await Members.findOne({ guildId, chatUserId })).not.to.have.any.keys('applying', 'owedSync');
    });
  });
});

import { expect } from 'chai';
import { type SeenMember, seenFrom, seenOf } from '../../../src/features/sync/plan/seen-member.js';
import type { GuildMember } from '../../../src/platforms/discord/guild-members.js';

// RESYNC-12
describe('A member as a plan has seen them', () => {
  const whole: Required<Omit<GuildMember, 'isGuest'>> = {
    ...{ chatUserId: '1', username: 'una', avatar: null, pending: true },
    ...{ nickname: 'Una', roleIds: ['2', '3'], profile: 'Una the First' },
  };

  it('A stored member has everything that a plan depends on', () => {
    const { avatar: _, ...seen } = whole;
    expect(seenFrom('1', 'una', seenOf(whole))).to.deep.equal(seen);
  });

  it('A member without a display name differs from one of an older version, which had none stored', () => {
    const { profile: _, ...nameless } = whole;
    expect(seenOf(nameless)).to.include({ profile: null });
  });

  it('A member seen in an event is no whole member', () => {
    const seen: SeenMember = whole;
    // @ts-expect-error A seen member lacks what a plan does not depend on.
    const again: GuildMember = seen;
    expect(again).to.equal(whole);
  });
});

import { expect } from 'chai';
import { type EventName, eventData } from '../../../src/platforms/events/event-types.js';
import { readText } from '../../structure/papers-read.js';

/** The fields that subscribers may rely on. New fields are added here, and none is ever taken out. */
const published: Record<EventName, readonly string[]> = {
  'verification.completed': ['chatUserId', 'gameUserId', 'gameUsername'],
  'verification.failed': ['chatUserId', 'reason', 'method', 'attempt'],
  'member.unlinked': ['chatUserId', 'gameUserId', 'gameUsername', 'reason', 'actorId'],
  'role.synced': ['chatUserId', 'gameUserId', 'trigger', 'added', 'removed', 'nickname'],
  'role.sync_failed': ['chatUserId', 'reason', 'roleIds', 'attempt', 'willRetry', 'nickname', 'detail'],
  'guild.suspended': ['reason', 'suspendedAt'],
};

/** Fields that may be absent. A field that was always there stays so. */
const optional = ['role.synced nickname', 'role.sync_failed nickname', 'role.sync_failed detail'];

// HOOK-5
describe('The fields of the events', () => {
  for (const [name, fields] of Object.entries(published) as [EventName, readonly string[]][]) {
    it(`The event ${name} keeps every field that it has had`, () => {
      const { shape } = eventData[name];
      expect(Object.keys(shape)).to.have.members(fields);
      const absent = Object.entries(shape).filter(([, field]) => field.safeParse(undefined).success);
      expect(optional).to.include.members(absent.map(([field]) => `${name} ${field}`));
    });
  }

  it('The papers name exactly the events that are sent', () => {
    for (const [path, heading] of [
      ['docs/spec/webhooks.md', '| event | data |'],
      ['docs/webhooks.md', '| event | when exactly |'],
    ] as const) {
      const [table = ''] = readText(path).split(heading)[1]?.split('\n\n') ?? [];
      const named = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
      expect(named, path).to.have.members(Object.keys(eventData));
    }
  });
});

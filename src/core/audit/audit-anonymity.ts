import { randomBytes } from 'node:crypto';
import { type QueryFilter, trusted } from 'mongoose';
import { type AuditEntry, AuditLog } from './audit-model.js';

/** What stands in the log for a person who was erased: random, so that it leads back to nobody. */
export const newPseudonym = (): string => `erased_${randomBytes(4).toString('hex')}`;

/** Fields of `changes` that say nothing of who somebody is; of entries about an erased person only these stay. */
const impersonal = ['roles', 'role', 'state', 'reason', 'method', 'attempt', 'autoLinkBlocked'];

const entriesAtOnce = 1_000;

/**
 * Makes a person anonymous in the logs of all guilds: as who did something and as whom it was done to there stands
 * `pseudonym`, and entries about them keep of their changes only what tells nothing of the person. Gives how many entries
 * that was. Can be repeated after a crash: it finds what is left.
 */
export async function anonymiseEntries(chatUserId: string, pseudonym = newPseudonym()): Promise<number> {
  const asTarget = await changeAll({ 'target.id': chatUserId }, [
    {
      $set: {
        'target.id': pseudonym,
        'target.name': pseudonym,
        changes: {
          $arrayToObject: {
            $filter: {
              input: { $objectToArray: { $ifNull: ['$changes', {}] } },
              cond: { $in: ['$$this.k', impersonal] },
            },
          },
        },
        ...actorToo(chatUserId, pseudonym),
      },
    },
  ]);
  const asActor = await changeAll({ 'actor.id': chatUserId }, [{ $set: actorToo(chatUserId, pseudonym) }]);
  return asTarget + asActor;
}

/** In entries about themselves a person is both, and those are counted once. */
const actorToo = (chatUserId: string, pseudonym: string) => {
  const unlessOther = (field: string) => ({
    $cond: [{ $eq: ['$actor.id', chatUserId] }, pseudonym, `$actor.${field}`],
  });
  return { 'actor.name': unlessOther('name'), 'actor.id': unlessOther('id') };
};

/** Changes every entry of a filter that it then fits no more, a batch at a time. */
async function changeAll(filter: QueryFilter<AuditEntry>, change: object[]): Promise<number> {
  let changed = 0;
  for (;;) {
    const found = await AuditLog.acrossGuilds.find(filter, { _id: 1 }).limit(entriesAtOnce).lean<{ _id: string }[]>();
    if (found.length === 0) return changed;
    const ids = found.map(({ _id }) => _id);
    const { modifiedCount } = await AuditLog.acrossGuilds.updateMany(
      { ...filter, _id: trusted({ $in: ids }) },
      change,
      {
        updatePipeline: true,
      },
    );
    changed += modifiedCount;
  }
}

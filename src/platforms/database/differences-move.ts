import mongoose from 'mongoose';

type Row = Record<string, unknown>;

interface Former {
  _id: mongoose.Types.ObjectId;
  guildId: string;
  chatUserId: string;
  chatUsername: string;
  gameUserId?: string;
  syncFence?: number;
  left?: { roleIds: string[]; nickname: string | null };
  difference: { give: string[]; take: string[]; reasons: Row[]; about: string[]; since: Date } & Row;
}

const members = () => mongoose.connection.collection('members');
const changes = () => mongoose.connection.collection('planned_changes');
const rowsPerStep = 500;

/**
 * Moves members' differences in data version 9 into `planned_changes`, under the members' ids. A member gets the flag
 * only after the change is stored, so a killed run is repeated.
 */
export async function moveDifferences(): Promise<void> {
  let rows: Former[] = [];
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    const kept = rows.map((row) => ({
      updateOne: {
        filter: { planId: `observed_${row.guildId}`, chatUserId: row.chatUserId },
        update: { $setOnInsert: changeOf(row) },
        upsert: true,
      },
    }));
    await changes().bulkWrite(kept, { ordered: false });
    const flagged = { $set: { differs: true }, $unset: { difference: 1 } } as const;
    await members().updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, flagged);
    rows = [];
  };
  for await (const row of members()
    .find<Former>({ difference: { $exists: true } })
    .batchSize(rowsPerStep)) {
    rows.push(row);
    if (rows.length === rowsPerStep) await flush();
  }
  await flush();
}

function changeOf({ _id, guildId, chatUsername, gameUserId, syncFence, left, difference }: Former): Row {
  const { give: add, take: remove, reasons, about, since, nickname, kick } = difference;
  const named = { ...(nickname !== undefined && { nickname }), ...(kick !== undefined && { kick }) };
  const single = add.length === 1 ? 'give' : 'take';
  const isSingle = add.length + remove.length === 1 && nickname === undefined;
  return {
    ...{ _id, guildId, part: 0, chatUsername, expected: { add, remove, ...named }, blocked: [], absentFrom: [] },
    ...{
      kind: isSingle ? single : 'edit',
      seen: left ?? { roleIds: [], nickname: null },
      standing: { gameUserId: gameUserId ?? null },
    },
    ...{ fence: syncFence ?? 0, asOf: since, state: 'pending', dueAt: since },
    observed: { reasons, about: ['any', ...about], since },
  };
}

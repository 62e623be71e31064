import mongoose from 'mongoose';

/** Ids are texts, or the engine's own. */
type Row = { _id: string } & Fields;
type Fields = Record<string, unknown>;

const collection = (name: string) => mongoose.connection.collection<Row>(name);
const rowsPerStep = 500;

/** Stores each row's successor, under the row's id. A repetition writes the same again. */
async function move(from: string, to: string, become: (row: Row) => Fields | null): Promise<void> {
  let rows: [Row, Fields][] = [];
  const flush = async (): Promise<void> => {
    const writes = rows.map(([{ _id }, replacement]) => ({
      replaceOne: { filter: { _id }, replacement, upsert: true },
    }));
    if (writes.length > 0) await collection(to).bulkWrite(writes, { ordered: false });
    rows = [];
  };
  for await (const row of collection(from).find().batchSize(rowsPerStep)) {
    const moved = become(row);
    if (moved !== null) rows.push([row, moved]);
    if (rows.length === rowsPerStep) await flush();
  }
  await flush();
}

/**
 * Moves data version 4's resyncs and previews, with the changes in unfinished ones, into `plans` and `planned_changes`.
 */
export async function movePlans(): Promise<void> {
  const jobs = await collection('resync_jobs')
    .find({ $or: [{ open: true }, { previewId: { $exists: true } }] })
    .toArray();
  const applied = new Set(jobs.map(({ previewId }) => previewId));
  const open = new Map(jobs.filter((job) => job.open === true).map((job) => [job._id, job]));
  await move('resync_jobs', 'plans', planOfJob);
  await move('resync_changes', 'planned_changes', (row) => changeOfJob(row, open.get(String(row.jobId))));
  const previews = await collection('previews')
    .find({ rulesKey: { $type: 'string' } })
    .toArray();
  const shown = new Map(previews.filter(({ _id }) => !applied.has(_id)).map((preview) => [preview._id, preview]));
  await move('preview_members', 'planned_changes', (row) => changeOfPreview(row, shown.get(String(row.previewId))));
  await move('previews', 'plans', (row) => (shown.has(row._id) ? planOfPreview(row) : null));
  for (const name of ['resync_changes', 'resync_jobs', 'preview_members', 'previews'])
    await mongoose.connection.db?.dropCollection(name);
}

const planOfJob = ({ scope, previewId: _, ...job }: Row): Fields => ({ kind: scope, parts: 1, ...job });

function changeOfJob({ jobId, page, kicks, ...change }: Row, job: Row | undefined): Fields | null {
  if (job === undefined) return null;
  const { add, remove, nickname, ...rest } = change;
  // A killed process had not finished this page.
  const isHalf = job.phase === 'planning' && page === job.after;
  const expected = { add, remove, ...(nickname !== undefined && { nickname }), ...(kicks === true && kicked) };
  const made = change.state === 'done' && { made: { add, remove, ...(nickname !== undefined && { nickname }) } };
  return { planId: jobId, part: isHalf ? 1 : 0, expected, ...made, ...rest };
}

/** Older changes don't name the restriction; the sync that kicks finds it again. */
const kicked = { kick: 'denied_user' };

const none = { members: 0, settled: 0, unknown: 0, blocked: 0 };

function planOfPreview({ guildId, askedBy, rulesKey, parts, checked, unknown, asOf, expiresAt }: Row): Fields {
  return {
    ...{ guildId, kind: 'part', state: 'shown', phase: 'checking', askedBy, expiresAt, asOf, rulesKey, parts },
    ...{ actor: { kind: 'system', id: 'preview', name: 'preview' }, memberIds: null, fixedPlan: true, after: '0' },
    ...{ estimate: checked, planned: { ...none, members: checked, unknown }, changedBefore: 0, fence: 0 },
    ...{ applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 }, createdAt: asOf },
  };
}

interface Planned {
  member: { chatUserId: string; username: string; roleIds: string[]; nickname: string | null };
  plan: { add: string[]; remove: string[]; nickname?: string | null; blocked: object[]; kick?: string };
  gameUserId: string | null;
  absentFrom: string[];
  fence?: number | null;
}

function changeOfPreview({ guildId, previewId, part, planned }: Row, preview: Row | undefined): Fields | null {
  if (preview === undefined) return null;
  const { member, plan, gameUserId, absentFrom, fence } = planned as Planned;
  const { add, remove, nickname, blocked, kick } = plan;
  const roles = add.length + remove.length;
  const named = nickname !== undefined;
  if (roles === 0 && !named && kick === undefined) return null;
  const single = add.length === 1 ? 'give' : 'take';
  return {
    ...{ guildId, planId: previewId, part, chatUserId: member.chatUserId, chatUsername: member.username },
    expected: { add, remove, ...(named && { nickname }), ...(kick !== undefined && { kick }) },
    ...{ blocked, kind: roles === 1 && !named ? single : 'edit', standing: { gameUserId }, absentFrom },
    ...{ seen: { roleIds: member.roleIds, nickname: member.nickname }, ...(fence !== undefined && { fence }) },
    ...{ asOf: preview.asOf, state: 'pending', dueAt: preview.asOf },
  };
}

/** The state for an undo's change, by a switched member's. */
const undoStates: Readonly<Record<string, string>> = { made: 'pending', undone: 'done', kept: 'skipped' };

/**
 * Moves data version 7's switches, with what they made, into `plans` and `planned_changes`, and their undos. It begins
 * with the members, since a switch without members is moved.
 */
export async function moveSwitches(): Promise<void> {
  const switches = new Map((await collection('switches').find().toArray()).map((each) => [each._id, each]));
  for await (const row of collection('switched_members').find().batchSize(rowsPerStep)) {
    const switchId = String(row.switchId);
    const { guildId, chatUserId, given, taken, nickname, formerNickname, at, state } = row;
    const named = (now: unknown) => nickname !== undefined && { nickname: now };
    const made = { add: given, remove: taken, ...named(nickname) };
    const fields = { guildId, chatUserId, chatUsername: '', part: 0, blocked: [], kind: 'edit', absentFrom: [] };
    const rest = { ...fields, standing: { gameUserId: null }, fence: null, asOf: at, dueAt: at };
    const live = { expected: made, seen: { roleIds: [], nickname: formerNickname }, state: 'done', ...rest };
    await keepChange(switchId, chatUserId, { $set: { made }, $setOnInsert: live });
    if (switches.get(switchId)?.state === 'made') continue;
    const expected = { add: taken, remove: given, ...named(formerNickname) };
    const left = { roleIds: [], nickname: nickname === undefined ? formerNickname : nickname };
    const undo = { expected, seen: left, state: undoStates[String(state)], ...rest };
    await keepChange(`${switchId}_undo`, chatUserId, { $setOnInsert: undo });
  }
  for (const each of switches.values()) await moveSwitch(each);
  for (const name of ['switched_members', 'switches']) await mongoose.connection.db?.dropCollection(name);
}

async function keepChange(planId: string, chatUserId: unknown, change: object): Promise<void> {
  await collection('planned_changes').updateOne({ planId, chatUserId }, change, { upsert: true });
}

async function moveSwitch({ _id, guildId, at, state, undoneBy }: Row): Promise<void> {
  await collection('plans').updateOne({ _id }, { $set: { goesLive: true, liveAt: at } });
  if (state === 'made') return;
  const ending = state === 'undoing' ? { open: true, state: 'running' } : { state: 'completed', finishedAt: at };
  const actor = undoneBy ?? { kind: 'system', id: 'undo', name: 'undo' };
  const undo = {
    ...{ guildId, kind: 'undo', ...ending, phase: 'applying', actor, memberIds: null, fixedPlan: true, undoes: _id },
    ...{ estimate: 0, after: '0', parts: 1, planned: none, changedBefore: 0, fence: 0, createdAt: at },
    applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 },
  };
  await collection('plans').updateOne({ _id: `${_id}_undo` }, { $setOnInsert: undo }, { upsert: true });
}

/** Whether a nickname was Rolelink's stands beside a planned change, and no longer within what was made. */
export async function moveFormerIsOurs(): Promise<void> {
  const made = { 'made.formerIsOurs': true };
  const moved = [{ $set: { formerIsOurs: true } }, { $unset: 'made.formerIsOurs' }];
  await mongoose.connection.collection('planned_changes').updateMany(made, moved);
}

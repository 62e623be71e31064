import { askOwner } from '../model/stage.js';
import { eventually } from '../support/build.js';
import { type CrashFlow, castOf, link } from './crash-flows.js';
import type { CrashStage } from './crash-house.js';

// Plans that change many at once, and their undo: going live, and a people import.

const preparedWithinMs = 300_000;

async function setMode(stage: CrashStage, mode: 'observe' | 'enforce'): Promise<void> {
  const { red } = castOf(stage);
  const settings = { ...red.settings, mode };
  const { status } = await askOwner(stage, red, 'PUT', '/settings', settings);
  if (status !== 200) throw new Error(`The mode can't be set: ${status}`);
  red.settings = settings;
}

const noteMode = ({ confirmed }: CrashStage, mode: 'observe' | 'enforce'): void => {
  const [red] = confirmed.guilds;
  if (red !== undefined) red.settings = { ...red.settings, mode };
};

/** Red observes, Ann and Cleo are due their roles, and Ben holds one that he is not due. */
async function observe(stage: CrashStage): Promise<void> {
  const { red, ann, ben, cleo } = castOf(stage);
  await setMode(stage, 'observe');
  for (const person of [ann, ben, cleo]) await link(stage, person);
  stage.discord.setMemberRoles(red.guildId, ben.id, [red.roleIds[1] ?? '']);
  stage.discord.setNickname(red.guildId, ann.id, 'Chief');
}

async function goLive(stage: CrashStage): Promise<boolean> {
  const { red } = castOf(stage);
  const { body } = await askOwner(stage, red, 'POST', '/sync/preview', {});
  const { status } = await askOwner(stage, red, 'POST', '/differences/go-live', { previewId: body.previewId });
  if (status === 202) noteMode(stage, 'enforce');
  return status === 202;
}

const plans = ({ service }: CrashStage, where: object): Promise<number> =>
  service.db.collection('plans').countDocuments(where);

const isLive = async (stage: CrashStage): Promise<boolean> =>
  (await plans(stage, { guildId: castOf(stage).red.guildId, goesLive: true, state: 'completed' })) > 0;

const goingLive: CrashFlow = {
  name: 'going live',
  prepare: observe,
  act: goLive,
  isDone: isLive,
  note: (stage) => noteMode(stage, 'enforce'),
};

/** What Ann, Ben and Cleo have on Discord, in words. */
const shown = (stage: CrashStage): string => {
  const { red, ann, ben, cleo } = castOf(stage);
  const members = [ann, ben, cleo].map(({ id }) => stage.discord.member(red.guildId, id));
  return JSON.stringify(members.map((member) => [[...(member?.roleIds ?? [])].sort(), member?.nickname]));
};
const shownBefore = new WeakMap<CrashStage, string>();

const undoOfGoingLive: CrashFlow = {
  name: 'undone switch',
  async prepare(stage) {
    await observe(stage);
    shownBefore.set(stage, shown(stage));
    if (!(await goLive(stage))) throw new Error('The server does not go live.');
    await eventually(() => isLive(stage), 'the switch', preparedWithinMs);
  },
  async act(stage) {
    const { status } = await askOwner(stage, castOf(stage).red, 'POST', '/differences/undo', {});
    if (status === 200) noteMode(stage, 'observe');
    return status === 200;
  },
  async isDone(stage) {
    const undone = { guildId: castOf(stage).red.guildId, kind: 'undo', state: 'completed' };
    return (await plans(stage, undone)) > 0 && shown(stage) === shownBefore.get(stage);
  },
  note: (stage) => noteMode(stage, 'observe'),
};

const imports = ({ service }: CrashStage) => service.db.collection<{ _id: string; open?: true }>('people_imports');

/** Ann's own account, by Red's word. */
async function importAnn(stage: CrashStage): Promise<boolean> {
  const { red, ann } = castOf(stage);
  const list = { people: [{ chatUserId: ann.id, gameUserId: ann.gameUserId }] };
  const { body } = await askOwner(stage, red, 'POST', '/people/import', list);
  const confirmed = { ...list, dryRun: false, reviewKey: body.reviewKey };
  const { status } = await askOwner(stage, red, 'POST', '/people/import', confirmed);
  if (status === 202) noteImport(stage);
  return status === 202;
}

function noteImport(stage: CrashStage): void {
  const { red, ann } = castOf(stage);
  red.words.set(ann.id, { gameUserId: ann.gameUserId, ceilingRoleId: null, importId: '' });
  stage.confirmed.everLinked.add(ann.id);
}

const isImported = async (stage: CrashStage): Promise<boolean> =>
  (await imports(stage).countDocuments({ state: 'completed', 'counts.imported': 1, 'counts.done': 1 })) === 1;

const importOfPeople: CrashFlow = {
  name: 'import of people',
  act: importAnn,
  isDone: isImported,
  note: noteImport,
};

const undoOfImport: CrashFlow = {
  name: 'undone import',
  async prepare(stage) {
    const { red, ann } = castOf(stage);
    stage.discord.setNickname(red.guildId, ann.id, 'Chief');
    if (!(await importAnn(stage))) throw new Error('Ann is not imported.');
    await eventually(() => isImported(stage), 'the import', preparedWithinMs);
  },
  async act(stage) {
    const { red } = castOf(stage);
    const found = await imports(stage).findOne({ guildId: red.guildId });
    const { status } = await askOwner(stage, red, 'POST', `/people/import/${found?._id}/undo`, {});
    if (status === 202) noteUndone(stage);
    return status === 202;
  },
  async isDone(stage) {
    const { red, ann } = castOf(stage);
    const undone = await imports(stage).countDocuments({ open: { $exists: false }, 'undo.taken': 1 });
    return undone === 1 && stage.discord.member(red.guildId, ann.id)?.nickname === 'Chief';
  },
  note: noteUndone,
};

function noteUndone(stage: CrashStage): void {
  const { red, ann } = castOf(stage);
  red.words.delete(ann.id);
}

export const planFlows: readonly CrashFlow[] = [goingLive, undoOfGoingLive, importOfPeople, undoOfImport];

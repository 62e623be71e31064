import { followFacts, reportFacts } from '../model/fact-steps.js';
import { addMapping } from '../model/stage.js';
import { type CrashFlow, castOf, link } from './crash-flows.js';
import type { CrashStage } from './crash-house.js';

// Red's game reports the level of Cleo, for which a mapping gives a role.

const level = 12;

function roleOf(stage: CrashStage): string {
  const { red } = castOf(stage);
  return red.roleIds.at(-1) ?? '';
}

/** FACT-6: a stored fact has its sync, and so its role once all is quiet. */
export const factFlows: readonly CrashFlow[] = [
  {
    name: 'facts reported',
    async prepare(stage) {
      const { red, cleo } = castOf(stage);
      await link(stage, cleo);
      const condition = { type: 'fact', key: 'level', atLeast: level } as const;
      await addMapping(stage, red, { condition, roleIds: [roleOf(stage)], removeWhenUnmatched: true, nickname: null });
      followFacts(stage);
    },
    async act(stage) {
      const { red, cleo } = castOf(stage);
      const report = { by: red.owner, gameUserId: cleo.gameUserId, facts: { level } };
      return (await reportFacts(stage, red, report)).status === 200;
    },
    async isDone(stage) {
      const { red, cleo } = castOf(stage);
      const where = { guildId: red.guildId, chatUserId: cleo.id };
      const members = stage.service.db.collection<{ facts?: { values: { value: number }[] } }>('members');
      const stored = (await members.findOne(where))?.facts?.values[0]?.value === level;
      const held = stage.discord.member(red.guildId, cleo.id)?.roleIds.includes(roleOf(stage)) ?? false;
      if (stored !== held)
        throw new Error(`The fact is ${stored ? '' : 'not '}stored, and its role ${held ? '' : 'not '}held.`);
      return stored;
    },
  },
];

import { z } from 'zod';
import { moveStep, passedStep } from './move-steps.js';
import type { ServerMove } from './server-move.js';

const count = z.int().nonnegative();

/** A server's way from another bot, in answers (OBS-94). */
export const moveView = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          step: moveStep,
          state: z
            .enum(['done', 'now', 'later'])
            .describe('One step at most is `now`; `later` ones are not done either.'),
        }),
      )
      .describe('In their order.'),
    passed: z.array(passedStep).describe('The steps that an admin has passed over.'),
    otherBots: z
      .array(z.strictObject({ name: z.string() }))
      .describe("Bloxlink, RoVer and RoWifi while they may give roles here, by their roles' names."),
    people: count.nullable().describe('People of the latest import in force; null: none within a month.'),
    mappings: count,
    comparison: z.strictObject({
      state: z
        .enum(['none', 'running', 'done'])
        .describe('`done`: a resync has compared everybody since the last change of people or mappings.'),
      matching: count,
      differing: count,
    }),
  })
  .meta({ id: 'Move' });

export const viewMove = ({ otherBots, ...move }: ServerMove): z.input<typeof moveView> => ({
  ...move,
  otherBots: otherBots.map((name) => ({ name })),
});

import { z } from 'zod';
import { storedActor } from '../../../core/actors/actor.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';

/** A switch of a guild from observing to enforcing, which can be undone for seven days. */
const switchFields = z.strictObject({
  /** The resync that made it. */
  _id: z.string(),
  guildId: z.string(),
  at: z.date(),
  /** `undoing`: what it gave and took is being put back. */
  state: z.enum(['made', 'undoing', 'undone']),
  /** On whose behalf it is undone. */
  undoneBy: storedActor.exactOptional(),
});
export type Switch = z.output<typeof switchFields>;

const schema = schemaOf('switches', switchFields);
// The latest of a guild.
schema.index({ guildId: 1, at: -1 });
// Those that are being undone, also after a crash.
schema.index({ state: 1 }, { partialFilterExpression: { state: 'undoing' } });
// Those that a person undid: their erasure.
schema.index({ 'undoneBy.id': 1 }, { partialFilterExpression: { 'undoneBy.kind': 'user' } });
// purgeSwitches.
schema.index({ at: 1 });

export const Switches = new GuildModel<Switch>('Switch', schema);

/** What a switch has done to one member. */
const switchedFields = z.strictObject({
  /** The switch and the member. */
  _id: z.string(),
  guildId: z.string(),
  switchId: z.string(),
  chatUserId: z.string(),
  given: z.array(z.string()),
  taken: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  /** The nickname before. */
  formerNickname: z.string().nullable(),
  at: z.date(),
  /** `kept`: somebody has changed it since, or the member has left, so that it stays as it is. */
  state: z.enum(['made', 'undone', 'kept']),
});
export type SwitchedMember = z.output<typeof switchedFields>;

const switchedSchema = schemaOf('switched_members', switchedFields);
/** The index by which the members of a switch are gone through. */
export const byState = { switchId: 1, state: 1, chatUserId: 1 } as const;
// The members of a switch by what became of them.
switchedSchema.index(byState);
// A person is erased.
switchedSchema.index({ chatUserId: 1 });
// purgeSwitches.
switchedSchema.index({ at: 1 });

export const SwitchedMembers = new GuildModel<SwitchedMember>('SwitchedMember', switchedSchema);

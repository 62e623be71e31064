import { z } from 'zod';
import { storedActor } from '../../../core/actors/actor.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';

/** A switch of a guild from observing to enforcing, which can be undone for seven days. */
const switchFields = z.strictObject({
  /** The id of the resync that made it. */
  _id: z.string(),
  guildId: z.string(),
  at: z.date(),
  /** `undoing`: the changes are being reverted. */
  state: z.enum(['made', 'undoing', 'undone']),
  undoneBy: storedActor.exactOptional(),
});
export type Switch = z.output<typeof switchFields>;

const schema = schemaOf('switches', switchFields);
// The latest switch of a guild.
schema.index({ guildId: 1, at: -1 });
// The switches that are being undone, also after a crash.
schema.index({ state: 1 }, { partialFilterExpression: { state: 'undoing' } });
// The switches that a person undid: their erasure.
schema.index({ 'undoneBy.id': 1 }, { partialFilterExpression: { 'undoneBy.kind': 'user' } });
// purgeSwitches.
schema.index({ at: 1 });

export const Switches = new GuildModel<Switch>('Switch', schema);

const switchedFields = z.strictObject({
  /** The ids of the switch and the member. */
  _id: z.string(),
  guildId: z.string(),
  switchId: z.string(),
  chatUserId: z.string(),
  given: z.array(z.string()),
  taken: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  formerNickname: z.string().nullable(),
  at: z.date(),
  /** `kept`: the member has changed since or has left, and stays unchanged. */
  state: z.enum(['made', 'undone', 'kept']),
});
export type SwitchedMember = z.output<typeof switchedFields>;

const switchedSchema = schemaOf('switched_members', switchedFields);
/** The index for passes over the members of a switch. */
export const byState = { switchId: 1, state: 1, chatUserId: 1 } as const;
// The members of a switch by state.
switchedSchema.index(byState);
// The erasure of a person.
switchedSchema.index({ chatUserId: 1 });
// purgeSwitches.
switchedSchema.index({ at: 1 });

export const SwitchedMembers = new GuildModel<SwitchedMember>('SwitchedMember', switchedSchema);

import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { mappingDraft } from './mapping-draft.js';

/** How many people a mapping matches, by the whole guild's last plan (MAP-15). */
const mappingPeople = z
  .strictObject({
    matching: z.int().min(0).describe('People in the server that it matches.'),
    holding: z.int().min(0).describe('Those of them that have all of its roles.'),
    asOf: z.date().describe('When the last preview or resync of all members began.'),
  })
  .meta({ id: 'MappingPeople' });
export type MappingPeople = z.output<typeof mappingPeople>;

/** A member who meets the condition gets the roles; others lose them if `removeWhenUnmatched` (MAP-14). */
export const mappingFields = z.strictObject({
  /** `map_` + 24 hex digits. They sort by age to the second. */
  _id: z.string(),
  guildId: z.string(),
  ...mappingDraft.shape,
  /** Its roles' dangerous permissions when they were last mapped or confirmed; others hold the role (AUTH-41). */
  confirmedDangers: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })).exactOptional(),
  /** For a mapping of a whole group: its author's highest role (`WithRoles`). */
  ceilingRoleId: z.string().nullable().exactOptional(),
  /** For a mapping of a whole group: each rank's role, once matched (`WithRoles`). */
  pairs: z.array(z.strictObject({ gameRoleId: z.string(), roleId: z.string() })).exactOptional(),
  people: mappingPeople.exactOptional().describe('The people it matches; null: not counted since it was last changed.'),
  createdAt: z.date(),
  updatedAt: z.date(),
});
export interface Mapping extends z.output<typeof mappingFields>, WithOutbox {}

const schema = schemaOf<Mapping>('mappings', mappingFields);
export const oldestFirst = { guildId: 1, createdAt: 1, _id: 1 } as const;
// A guild's mappings: every sync, and GET …/mappings. A second index by guild would compete with it.
schema.index(oldestFirst);

giveOutbox(schema);

export const Mappings = new GuildModel<Mapping>('Mapping', schema);

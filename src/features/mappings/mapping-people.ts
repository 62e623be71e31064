import { type MappingPeople, Mappings } from './mapping-model.js';

/** What a plan of everybody in a guild has found of one version of a mapping. */
export interface CountedMapping {
  mappingId: string;
  /** When the mapping was last changed: what was counted of it before tells nothing of it afterwards. */
  version: Date;
  people: MappingPeople;
}

/** How many mappings one command changes, so that the event loop is not held up. */
const mappingsAtOnce = 200;

/** Keeps with each mapping of a guild whom it matches, unless it was changed since it was counted. */
export async function keepPeople(guildId: string, counted: readonly CountedMapping[]): Promise<void> {
  for (let start = 0; start < counted.length; start += mappingsAtOnce) {
    const some = counted.slice(start, start + mappingsAtOnce).map(({ mappingId: _id, version, people }) => ({
      updateOne: { filter: { _id, guildId, updatedAt: version }, update: { $set: { people } } },
    }));
    await Mappings.acrossGuilds.bulkWrite(some, { ordered: false });
  }
}

import { type MappingPeople, Mappings } from './mapping-model.js';

/** The result of planning the whole guild for one mapping version. */
export interface CountedMapping {
  mappingId: string;
  /** When the mapping last changed: older counts are invalid after it. */
  version: Date;
  people: MappingPeople;
}

/** Mappings per command, so that the event loop is not blocked. */
const mappingsAtOnce = 200;

/** Stores with each mapping how many people it matches, unless it was changed after the count. */
export async function keepPeople(guildId: string, counted: readonly CountedMapping[]): Promise<void> {
  for (let start = 0; start < counted.length; start += mappingsAtOnce) {
    const some = counted.slice(start, start + mappingsAtOnce).map(({ mappingId: _id, version, people }) => ({
      updateOne: { filter: { _id, guildId, updatedAt: version }, update: { $set: { people } } },
    }));
    await Mappings.acrossGuilds.bulkWrite(some, { ordered: false });
  }
}

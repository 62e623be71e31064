import { type MappingPeople, Mappings } from './mapping-model.js';

/** The result of a plan of the whole guild for one version of a mapping. */
export interface CountedMapping {
  mappingId: string;
  /** The time of the mapping's last change: older counts are invalid after it. */
  version: Date;
  people: MappingPeople;
}

/** Mappings per command, so that the event loop is not blocked. */
const mappingsAtOnce = 200;

/** Stores with each mapping the number of people it matches, unless it was changed after the count. */
export async function keepPeople(guildId: string, counted: readonly CountedMapping[]): Promise<void> {
  for (let start = 0; start < counted.length; start += mappingsAtOnce) {
    const some = counted.slice(start, start + mappingsAtOnce).map(({ mappingId: _id, version, people }) => ({
      updateOne: { filter: { _id, guildId, updatedAt: version }, update: { $set: { people } } },
    }));
    await Mappings.acrossGuilds.bulkWrite(some, { ordered: false });
  }
}

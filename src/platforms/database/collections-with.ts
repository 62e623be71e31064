import type { Model, PipelineStage } from 'mongoose';

/**
 * The models with a document that matches `filter`: one command for all. They must be in one database, and each needs
 * an index for the filter, since a hint is not possible here.
 */
export async function modelsWith<M extends Pick<Model<never>, 'collection'>>(
  models: readonly M[],
  filter: Record<string, unknown>,
): Promise<M[]> {
  const [first, ...others] = models.map(({ collection: { name } }, index) => ({ name, stages: oneOf(filter, index) }));
  if (first === undefined) return [];
  const unions = others.map(({ name: coll, stages: pipeline }) => ({ $unionWith: { coll, pipeline } }));
  const found = models[0]?.collection.aggregate<{ _id: number }>([...first.stages, ...unions]);
  const indexes = new Set(((await found?.toArray()) ?? []).map(({ _id }) => _id));
  return models.filter((_, index) => indexes.has(index));
}

/** One result, if any document matches: the index. */
const oneOf = (filter: Record<string, unknown>, index: number) =>
  [
    { $match: filter },
    { $limit: 1 },
    { $project: { _id: { $literal: index } } },
  ] satisfies PipelineStage.FacetPipelineStage[];

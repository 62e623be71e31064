import type { PipelineStage } from 'mongoose';

/** A union's rows under a name, so that one command can read several collections. */
export function named(name: string, { $unionWith }: PipelineStage.UnionWith): PipelineStage.UnionWith {
  const { coll = '', pipeline = [] } = typeof $unionWith === 'string' ? { coll: $unionWith } : $unionWith;
  return { $unionWith: { coll, pipeline: [...pipeline, { $replaceWith: { [name]: '$$ROOT' } }] } };
}

import type { Schemas } from '../../client/api-types.js';
import { answerOf, api, taggedAnswerOf } from './client.js';

const yaml = 'application/yaml';

export const readConfigText = (guildId: string): Promise<{ value: string; etag: string }> =>
  taggedAnswerOf(
    api.GET('/api/guilds/{guildId}/config', {
      params: { path: { guildId } },
      headers: { accept: yaml },
      parseAs: 'text',
    }),
  ) as Promise<{ value: string; etag: string }>;

/** Applies a configuration text in YAML or JSON (which is YAML too), or previews its changes. `observe`: the server then only observes. */
export function sendConfigText(
  guildId: string,
  text: string,
  { dryRun, etag, observe = false }: { dryRun: boolean; etag: string; observe?: boolean },
): Promise<Schemas['ConfigResult']> {
  return answerOf(
    api.PUT('/api/guilds/{guildId}/config', {
      params: {
        path: { guildId },
        query: { dryRun: dryRun ? 'true' : 'false', observe: observe ? 'true' : 'false' },
        header: { 'if-match': etag },
      },
      headers: { 'content-type': yaml, accept: 'application/json' },
      // The service parses the text itself, so that its errors name the place in it.
      body: text as never,
      bodySerializer: (body: unknown) => String(body),
    }),
  );
}

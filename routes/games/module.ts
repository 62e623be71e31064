import { open } from '../../src/edges/http/access.js';
import { sameForAll } from '../../src/edges/http/answer.js';
import { gameModule } from '../../src/edges/http/game-module.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { entityTagHeader, ifNoneMatch } from '../../src/lib/entity-tag.js';

export const GameModule = defineRoute({
  endpoint: 'GET /games/rolelink.luau',
  summary: 'The module for Roblox games; its head names the version',
  access: open,
  input: { headers: ifNoneMatch },
  answers: { 200: 'text/plain', 304: null },
  answerHeaders: entityTagHeader,
  handle: () => sameForAll(gameModule()),
});

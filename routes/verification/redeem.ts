import { z } from 'zod';
import { gameCodeToken } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { redeemGameCode } from '../../src/features/verification/game-codes.js';
import { heldCodeView } from '../../src/features/verification/verification-view.js';
import { gameId } from '../../src/lib/ids.js';

export const RedeemGameCode = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/verification/game-codes/redeem',
  summary: "Submit the code that a player typed in the guild's Roblox game; the person is asked on Discord",
  access: gameCodeToken,
  lane: 'press',
  input: {
    body: z.strictObject({
      code: z.string().min(1).max(20).describe("As it was typed: capitals, spaces and hyphens don't matter."),
      gameUserId: gameId.describe('The Roblox account of the player that typed it.'),
    }),
  },
  answers: { 202: heldCodeView },
  refusals: [
    'game_code_not_valid',
    'verification_disabled',
    'verification_failed',
    'proof_in_progress',
    'awaiting_confirmation',
    'already_completed',
    'retry_needed',
    'session_expired',
    ...gameRefusals,
  ],
  rateLimit: 'verification_by_tokens',
  handle: async ({ guild, actor, body, guess }) => {
    const { expiresAt } = await guess('game_code_not_valid', () =>
      redeemGameCode(guild, actor, body.code, body.gameUserId),
    );
    return accepted({ state: 'awaiting_confirmation', expiresAt: expiresAt.toISOString() });
  },
});

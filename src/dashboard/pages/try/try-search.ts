/** The `operationId` that is tried, and the server that its call names. */
export interface TrySearch {
  operation?: string;
  guildId?: string;
}

export const trySearch = ({ operation, guildId }: Record<string, unknown>): TrySearch => ({
  ...(typeof operation === 'string' && { operation }),
  ...(typeof guildId === 'string' && { guildId }),
});

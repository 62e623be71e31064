/** The `operationId` that is tried. */
export const trySearch = ({ operation }: Record<string, unknown>): { operation?: string } =>
  typeof operation === 'string' ? { operation } : {};

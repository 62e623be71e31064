/**
 * Our messages' components, by the first part of their custom id. Messages are pressed years later, so a name in use
 * never changes its meaning.
 */
export const componentNames = [
  'verify',
  'profile-code',
  'username',
  'profile-done',
  'profile-retry',
  'game-code',
  'game-code-typed',
  'update-roles',
  'unlink',
  'unlink-undo',
  'claim-confirm',
  'claim-reject',
  'account-use',
  'own-account',
  'own-account-act',
  'transfer-keep',
  'account-disown',
  'mappings',
  'why',
  'why-own',
  'groups',
  'logs',
  'differences',
  'preview-apply',
  'resync-confirm',
  'resync-cancel',
  'setup',
  'setup-form',
  'import',
  'import-apply',
  'import-observe',
  'people-key',
  'people-apply',
  'people-cancel',
  'people-way',
  'people-undo',
  'change-preview',
  'change-resync',
  'change-undo',
  'config-apply',
  'config-observe',
  'team',
  'consent-give',
  'consent-refuse',
  'restrictions-confirm',
  'move',
  'move-form',
  'go-live',
  'left-out',
  'rank-group',
  'rank-choose',
  'rank-change',
  'requests-list',
  'requests-choose',
  'requests-answer',
] as const;
export type ComponentName = (typeof componentNames)[number];

const longestCustomId = 100;

/**
 * A custom id with a component's whole state, so that it works after a restart (DISC-14). Its parts are joined by
 * colons and contain none. Throws if the id is too long for Discord.
 */
export function componentId(name: ComponentName, ...state: string[]): string {
  const id = [name, ...state].join(':');
  if (id.length > longestCustomId) throw new Error(`The custom id of ${name} is ${id.length} characters long.`);
  return id;
}

export function parseComponentId(customId: string): { name: string; state: string[] } {
  const [name = '', ...state] = customId.split(':');
  return { name, state };
}

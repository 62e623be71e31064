import { isTextKey, t } from '../../lib/translate.js';

/**
 * Permissions by the names that Discord shows, in the running code's language, with commas between. Each is named once,
 * since Discord keeps old names along with new ones.
 */
export const permissionList = (names: readonly string[]): string => [...new Set(names.map(permissionWords))].join(', ');

function permissionWords(name: string): string {
  const key = `permission.${name}`;
  return isTextKey(key) ? t(key) : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

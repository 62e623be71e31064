import { config } from '../../config/config.js';
import { acceptsClient } from '../../lib/oauth-client-check.js';
import { type KeyFault, readKeyState } from '../../platforms/roblox/api-key.js';
import { type Check, fault, off, ok, warning } from './finding.js';

const credentials = 'https://create.roblox.com/dashboard/credentials';

const keyFaults: Readonly<Record<KeyFault, [says: string, todo: string]>> = {
  wrong: ["Roblox doesn't know ROBLOX_API_KEY.", 'API Keys → Create API Key'],
  disabled: ['The key is disabled.', 'API Keys → the key → Enable'],
  expired: ['The key has expired.', 'API Keys → the key → Regenerate Key'],
  expiring: ['The key expires within 7 days.', 'API Keys → the key → Expiration'],
  scope_missing: [
    "The key doesn't have the permission group:read.",
    'API Keys → the key → Access Permissions → Groups → Read',
  ],
};

export const checkKey: Check = {
  name: 'Roblox key',
  async run() {
    if (config().roblox.apiKey === undefined)
      return [
        off(
          'not set: ranks are read slowly, only the highest role of a member is visible, and Roblox is phasing out access without a key.',
          'roblox_key_unset',
        ),
      ];
    const key = await readKeyState();
    const found = key?.fault ?? null;
    if (found === null && key?.readsLogs === true) {
      return [ok('known, enabled, and may read groups and their logs.', 'roblox_key_reads_logs')];
    }
    if (found === null) return [ok('known, enabled, and may read groups.', 'roblox_key_ok')];
    const [says, todo] = keyFaults[found];
    return [(found === 'expiring' ? warning : fault)(`roblox_key_${found}`, says, `Open ${credentials} → ${todo}.`)];
  },
};

/** The OAuth app for Roblox sign-in. Its redirects can't be read. */
export const checkOAuthApp: Check = {
  name: 'Roblox sign-in',
  async run() {
    const { oauth, apisUrl } = config().roblox;
    if (oauth === undefined)
      return [off("off, because ROBLOX_CLIENT_ID and ROBLOX_CLIENT_SECRET aren't set.", 'roblox_oauth_off')];
    const redirect = `${config().publicUrl}/verify/callback`;
    if (await acceptsClient(`${apisUrl}/oauth/v1/token`, oauth.clientId, oauth.clientSecret)) {
      const says = `Roblox accepts the credentials. The app's redirects must include ${redirect}`;
      return [ok(says, 'roblox_oauth_ok', { redirect })];
    }
    const todo = `Open ${credentials} → OAuth 2.0 Apps → your app → Client ID and Secret.`;
    return [fault('roblox_oauth_wrong', 'Roblox rejects ROBLOX_CLIENT_ID and ROBLOX_CLIENT_SECRET.', todo)];
  },
};

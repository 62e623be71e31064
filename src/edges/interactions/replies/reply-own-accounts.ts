import { ButtonStyle } from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { OwnAccount } from '../../../features/accounts/own-accounts.js';
import { t } from '../../../lib/translate.js';
import { componentId } from '../component-id.js';
import { list, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';
import { namesOf, serversThatChange } from './reply-use.js';

/** A person's accounts, each with a button for its possible acts. `said` comes first. */
export function ownAccountsReply(accounts: readonly OwnAccount[], said?: string): Reply {
  const lines = accounts.map((own) => `- ${nameOf(own)}: ${usesOf(own)}`);
  const buttons = accounts.map(({ account: { gameUserId, gameUsername } }) =>
    pressButton(componentId('own-account', gameUserId), gameUsername, ButtonStyle.Secondary),
  );
  const words = accounts.length === 0 ? [t('unlink.not_linked')] : [t('accounts.words'), ...lines];
  return list(t('accounts.title'), [...(said === undefined ? [] : [said]), ...words], buttons, 'neutral');
}

const nameOf = ({ account, isMain }: OwnAccount): string =>
  `${gameAccount(account)}${isMain ? ` (${t('accounts.main')})` : ''}`;

const usesOf = ({ servers }: OwnAccount): string =>
  servers.length === 0 ? t('accounts.used_nowhere') : t('accounts.used_in', { servers: namesOf(servers) });

/** One account with the acts that are possible, and the servers that change by each. */
export function ownAccountReply(own: OwnAccount, { _id: guildId, name }: Guild): Reply {
  const { account, isMain, servers, serversIfMain } = own;
  const { gameUserId } = account;
  const isUsedHere = servers.some((server) => server.guildId === guildId);
  const acts = [
    ...(isUsedHere
      ? []
      : [
          {
            act: 'here',
            label: t('accounts.use_here'),
            means: t('accounts.use_here_means'),
            changes: [{ guildId, name }],
          },
        ]),
    ...(isMain ? [] : [{ act: 'main', label: t('use.main'), means: t('use.main_means'), changes: serversIfMain }]),
    { act: 'remove', label: t('accounts.remove'), means: t('accounts.remove_means'), changes: servers },
  ];
  return list(
    nameOf(own),
    acts.map(({ label, means, changes }) => `- **${label}**: ${means} ${serversThatChange(changes)}`),
    acts.map(({ act, label }) =>
      pressButton(
        componentId('own-account-act', gameUserId, act),
        label,
        act === 'remove' ? ButtonStyle.Danger : ButtonStyle.Primary,
      ),
    ),
    'neutral',
  );
}

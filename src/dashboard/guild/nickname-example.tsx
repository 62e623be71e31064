import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../client/api-types.js';
import { useWords } from '../i18n/words-provider.js';
import { useGuild } from './guild-context.js';
import { memberQuery } from './member-query.js';
import css from './nickname-example.module.css';
import { nicknameOf } from './nickname-of.js';

/** The nickname that a template gives its writer. */
export function NicknameExample({ template, me }: { template: string; me: Schemas['CurrentPerson'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const needsRanks = template.includes('{group');
  const member = useQuery({ ...memberQuery(guildId, me.chatUserId), enabled: needsRanks, retry: false });
  const name = nicknameOf(template, {
    chatUsername: me.username,
    gameUsername: me.account?.gameUsername ?? 'RobloxName',
    gameDisplayName: me.account?.gameDisplayName ?? 'Roblox Name',
    ranks: member.data?.groupRanks ?? [],
  });
  return (
    <p className={css.note} role="status">
      {t(me.account === null ? 'settings.example_other' : 'settings.example')} <strong>{name}</strong>
    </p>
  );
}

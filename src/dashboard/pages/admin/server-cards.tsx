import { Avatar, Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { AdminGuild } from '../../api/admin-queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { StateWord } from '../../parts/state-word.js';
import css from './admin.module.css';

const SuspensionDialog = lazy(async () => ({ default: (await import('./suspension-dialog.js')).SuspensionDialog }));

/** The servers as cards: owner, size, and actions. A button names its server, by the id too where servers share a name. */
export function ServerCards({ guilds }: { guilds: readonly AdminGuild[] }) {
  const isShared = (name: string): boolean => guilds.filter((guild) => guild.name === name).length > 1;
  return (
    <ul className={css.servers}>
      {guilds.map((guild) => {
        const { guildId, name } = guild;
        return <Server key={guildId} guild={guild} called={isShared(name) ? `${name} (${guildId})` : name} />;
      })}
    </ul>
  );
}

function Server({ guild, called }: { guild: AdminGuild; called: string }) {
  const { t, time } = useWords();
  const { guildId, name, iconUrl, ownerId, memberCount, linkedMembers, plan, present, joinedAt, suspension } = guild;
  const [asking, setAsking] = useState(false);
  const isSuspended = guild.state === 'suspended';
  return (
    <li className={css.server}>
      <Avatar src={iconUrl} name={name} radius="md" alt="" aria-hidden="true" />
      <div className={css.words}>
        <p className={css.name}>
          <strong>{name}</strong> <StateWord tone="quiet">{t(`plan.${plan}`)}</StateWord>{' '}
          {isSuspended && <StateWord tone="bad">{t('admin.is_suspended')}</StateWord>}{' '}
          {!present && <StateWord tone="warn">{t('admin.is_left')}</StateWord>}
        </p>
        <p className={css.quiet}>
          {t('admin.members', { linked: linkedMembers, count: memberCount })} ·{' '}
          {t('admin.joined', { time: time(joinedAt) })}
        </p>
        <p className={css.quiet}>{t('admin.ids', { guild: guildId, owner: ownerId })}</p>
        {suspension !== null && (
          <p className={css.reason}>
            {t('admin.suspended_for', {
              reason: suspension.reason,
              time: time(suspension.at),
              by: guild.suspendedBy ?? suspension.by,
            })}
          </p>
        )}
      </div>
      <Button
        size="xs"
        variant="default"
        aria-label={t(isSuspended ? 'admin.restore_named' : 'admin.suspend_named', { name: called })}
        onClick={() => setAsking(true)}
      >
        {t(isSuspended ? 'admin.restore' : 'admin.suspend')}
      </Button>
      {asking && (
        <Suspense>
          <SuspensionDialog guild={guild} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </li>
  );
}

import { Avatar, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { guildsQuery } from '../api/queries.js';
import { useGuild } from '../guild/guild-context.js';
import { useWords } from '../i18n/words-provider.js';
import { Icon } from '../parts/icon.js';
import { PopUp } from '../parts/pop-up.js';
import css from './frame.module.css';

/** The server on these pages, and the way to the others. */
export function ServerSwitcher() {
  const { t } = useWords();
  const { guildId, name, iconUrl } = useGuild();
  const { data: guilds = [] } = useQuery(guildsQuery);
  const label = (
    <>
      <ServerIcon name={name} iconUrl={iconUrl} />
      <span className={css.switcherName}>
        {name}
        <VisuallyHidden> · {t('frame.switch')}</VisuallyHidden>
      </span>
      <Icon name="down" />
    </>
  );
  return (
    <PopUp label={label} className={css.switcher} side="left">
      <ul className={css.links}>
        {guilds
          .filter((guild) => guild.guildId !== guildId)
          .map((guild) => (
            <li key={guild.guildId}>
              <Link to="/g/$guildId" params={{ guildId: guild.guildId }} className={css.server ?? ''}>
                <ServerIcon name={guild.name} iconUrl={guild.iconUrl} />
                <span className={css.switcherName}>{guild.name}</span>
              </Link>
            </li>
          ))}
        <li>
          <Link to="/g" activeOptions={{ exact: true }} className={css.link ?? ''}>
            {t('servers.title')}
          </Link>
        </li>
      </ul>
    </PopUp>
  );
}

const ServerIcon = ({ name, iconUrl }: { name: string; iconUrl: string | null }) => (
  <Avatar src={iconUrl} name={name} size="sm" radius="sm" alt="" aria-hidden="true" />
);

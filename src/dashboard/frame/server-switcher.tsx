import { Avatar, Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { guildsQuery } from '../api/queries.js';
import { useGuild } from '../guild/guild-context.js';
import { useWords } from '../i18n/words-provider.js';
import css from './frame.module.css';

/** The server that the pages are of, and the way to the others. */
export function ServerSwitcher() {
  const { t } = useWords();
  const { guildId, name, iconUrl } = useGuild();
  const { data: guilds = [] } = useQuery(guildsQuery);
  return (
    <Menu width={240} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={css.switcher}>
          <Avatar src={iconUrl} name={name} size="sm" radius="sm" color="initials" alt="" aria-hidden="true" />
          <span className={css.switcherName}>
            {name}
            <VisuallyHidden> · {t('frame.switch')}</VisuallyHidden>
          </span>
          <span aria-hidden="true">▾</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {guilds
          .filter((guild) => guild.guildId !== guildId)
          .map((guild) => (
            <Menu.Item
              key={guild.guildId}
              leftSection={<Avatar src={guild.iconUrl} name={guild.name} size="xs" radius="sm" color="initials" />}
              component={Link}
              to={`/g/${guild.guildId}`}
            >
              {guild.name}
            </Menu.Item>
          ))}
        {guilds.length > 1 && <Menu.Divider />}
        <Menu.Item component={Link} to="/g">
          {t('servers.title')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

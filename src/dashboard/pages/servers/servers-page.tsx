import { Avatar, Button } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { guildsQuery, meQuery } from '../../api/queries.js';
import { infoQuery } from '../../api/team-queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ToSignIn } from '../../frame/to-sign-in.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page, Section } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import css from './servers.module.css';
import { ServersWithoutBot } from './servers-without-bot.js';

/** The servers in which the person has a role, and those they are invited to. */
export function ServersPage() {
  const { t } = useWords();
  const { data: me } = useSuspenseQuery(meQuery);
  const guilds = useQuery({ ...guildsQuery, enabled: me !== null });
  if (me === null) return <ToSignIn />;
  return (
    <OpenFrame>
      <Page title={t('servers.title')} lead={t('servers.lead')}>
        {me.invitations.length > 0 && (
          <Section title={t('servers.invited')} plain>
            <ul className={css.list}>
              {me.invitations.map(({ guildId, guildName, role }) => (
                <li key={guildId}>
                  <ServerLink
                    guildId={guildId}
                    name={guildName}
                    iconUrl={null}
                    text={t('servers.invited_as', { role: t(`role.${role}`) })}
                  />
                </li>
              ))}
            </ul>
          </Section>
        )}
        <Answered query={guilds} shape={pageShapes.servers.parts}>
          {(data) =>
            data.length === 0 ? (
              <NoServers />
            ) : (
              <ul className={css.list}>
                {data.map(({ guildId, name, iconUrl, role, plan, linkedMembers }) => (
                  <li key={guildId}>
                    <ServerLink
                      guildId={guildId}
                      name={name}
                      iconUrl={iconUrl}
                      text={`${t(`role.${role}`)} · ${t(`plan.${plan}`)} · ${t('servers.linked', { count: linkedMembers })}`}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
        <div className={css.others}>
          <ServersWithoutBot />
        </div>
      </Page>
    </OpenFrame>
  );
}

function NoServers() {
  const { t } = useWords();
  const inviteUrl = useQuery(infoQuery).data?.inviteUrl ?? null;
  const add =
    inviteUrl === null ? undefined : (
      <Button component="a" href={inviteUrl}>
        {t('landing.add')}
      </Button>
    );
  return (
    <Empty title={t('servers.none')} action={add}>
      {t('servers.none_why')}
    </Empty>
  );
}

function ServerLink(props: { guildId: string; name: string; iconUrl: string | null; text: string }) {
  const { guildId, name, iconUrl, text } = props;
  return (
    <Link to="/g/$guildId" params={{ guildId }} className={css.server}>
      <Avatar src={iconUrl} name={name} radius="md" alt="" aria-hidden="true" />
      <span className={css.words}>
        <strong>{name}</strong>
        <span className={css.text}>{text}</span>
      </span>
    </Link>
  );
}

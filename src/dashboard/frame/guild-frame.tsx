import { Alert, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useEffect } from 'react';
import { rememberServer } from '../api/last-server.js';
import { guildQuery, meQuery } from '../api/queries.js';
import { hasCode } from '../api/refusal.js';
import { GuildContext, useGuild, useKnownGuild } from '../guild/guild-context.js';
import { useWords } from '../i18n/words-provider.js';
import { Brand } from '../parts/brand.js';
import { Icon } from '../parts/icon.js';
import { LinkButton } from '../parts/link-button.js';
import { Offline } from '../parts/offline.js';
import { Page } from '../parts/page.js';
import { PopUp } from '../parts/pop-up.js';
import { Failed } from '../parts/states.js';
import { AccountMenu } from './account-menu.js';
import css from './frame.module.css';
import { guildMenu } from './navigation.js';
import { OpenFrame } from './open-frame.js';
import { PageWaiting } from './page-waiting.js';
import { PaletteButton } from './palette-button.js';
import { ServerSwitcher } from './server-switcher.js';
import { ToSignIn } from './to-sign-in.js';

/** The frame around a server's pages. A signed-out person signs in first and comes back. */
export function GuildFrame() {
  const { guildId } = useParams({ from: '/g/$guildId' });
  const me = useQuery(meQuery);
  const guild = useQuery({ ...guildQuery(guildId), enabled: me.data !== undefined && me.data !== null });
  const isKnown = guild.data !== undefined;
  useEffect(() => {
    if (isKnown) rememberServer(guildId);
  }, [guildId, isKnown]);
  if (me.data === null) return <ToSignIn />;
  const failed = [me, guild].find(({ data, isError }) => data === undefined && isError);
  if (failed !== undefined) {
    return (
      <OpenFrame>
        <GuildRefused error={failed.error} onRetry={failed.refetch} />
      </OpenFrame>
    );
  }
  return (
    <GuildContext value={me.data && guild.data}>
      <GuildPages />
    </GuildContext>
  );
}

function GuildRefused({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  const { t } = useWords();
  const unknown = hasCode(error, 'guild_not_found');
  return (
    <Page title={t(unknown ? 'guild.not_found' : 'guild.failed')} {...(unknown && { lead: t('guild.not_found_why') })}>
      {!unknown && <Failed error={error} onRetry={onRetry} />}
      <LinkButton to="/g" variant="default">
        {t('servers.title')}
      </LinkButton>
    </Page>
  );
}

/** The frame stands before the server is known, and stays. */
function GuildPages() {
  const { t } = useWords();
  const isKnown = useKnownGuild() !== undefined;
  return (
    <div className={css.guild}>
      <a href="#content" className={css.skip}>
        {t('frame.skip')}
      </a>
      <aside className={css.side}>
        <Brand to="/g" />
        {isKnown ? <ServerSwitcher /> : <div className={css.switcher} />}
        <PageLinks />
      </aside>
      <section className={css.top} aria-label={t('frame.top')}>
        <PopUp label={<MenuSign />} className={css.burger} side="page">
          {isKnown && <ServerSwitcher />}
          <PageLinks />
        </PopUp>
        <span className={css.guildName}>{useKnownGuild()?.name}</span>
        {isKnown && <PaletteButton />}
        <AccountMenu />
      </section>
      <main id="content" className={css.content}>
        <Offline />
        {isKnown ? <GuildPage /> : <PageWaiting />}
      </main>
    </div>
  );
}

const ObservingStrip = lazy(async () => ({ default: (await import('../guild/observing-strip.js')).ObservingStrip }));

function GuildPage() {
  const { t } = useWords();
  const { state, mode } = useGuild();
  if (state !== 'suspended')
    return (
      <>
        {mode === 'observe' && (
          <Suspense>
            <ObservingStrip />
          </Suspense>
        )}
        <Outlet />
      </>
    );
  return (
    <Alert color="red" role="alert" title={t('guild.suspended')}>
      {t('guild.suspended_why')}
    </Alert>
  );
}

function MenuSign() {
  const { t } = useWords();
  return (
    <>
      <Icon name="menu" />
      <VisuallyHidden>{t('frame.menu')}</VisuallyHidden>
    </>
  );
}

function PageLinks() {
  const { t } = useWords();
  return (
    <nav aria-label={t('frame.pages')}>
      {guildMenu.map(({ name, pages }) => (
        <Fragment key={pages[0].to}>
          {name !== undefined && <p className={css.groupName}>{t(name)}</p>}
          <ul className={css.links} {...(name !== undefined && { 'aria-label': t(name) })}>
            {pages.map((page) => (
              <PageLink key={page.to} {...page} />
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  );
}

function PageLink({ to, name, icon }: (typeof guildMenu)[number]['pages'][number]) {
  const { t, number } = useWords();
  const { guildId } = useParams({ from: '/g/$guildId' });
  const health = useKnownGuild()?.health ?? [];
  const isOverview = to === '/g/$guildId';
  return (
    <li>
      <Link
        to={to}
        params={{ guildId }}
        activeOptions={{ exact: isOverview, includeSearch: false }}
        className={css.link ?? ''}
      >
        <Icon name={icon} />
        <span className={css.linkName}>{t(name)}</span>
        {isOverview && health.length > 0 && (
          <span className={css.count} title={t('nav.issues', { count: health.length })}>
            {number(health.length)}
          </span>
        )}
      </Link>
    </li>
  );
}

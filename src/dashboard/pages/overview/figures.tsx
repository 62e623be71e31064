import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../client/api-types.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Figure, FigureList } from '../../parts/figure.js';

type Overview = Schemas['GuildOverview'];

const weekDays = 7;

export function Figures({ overview }: { overview: Overview }) {
  const { t, number, percent } = useWords();
  const { guildId } = useGuild();
  const { members, verification, sync, series, promptness } = overview;
  const before = series.slice(-2 * weekDays, -weekDays).reduce((sum, { verified }) => sum + verified, 0);
  const rate = verification.successRate;
  return (
    <FigureList label={t('overview.figures')}>
      <Figure name={t('overview.linked')} value={number(members.linked)}>
        <Link to="/g/$guildId/members" params={{ guildId }} search={{ status: 'joined' }}>
          {t('overview.not_linked', { count: members.joinedNotLinked })}
        </Link>
      </Figure>
      <Figure name={t('overview.verified_7d')} value={number(verification.completed7d)}>
        {t('overview.week_before', { count: before })}
      </Figure>
      <Figure name={t('overview.success')} value={rate === null ? '–' : percent(rate)}>
        {t('overview.failed_7d', { count: verification.failed7d })}
      </Figure>
      <Figure name={t('overview.changed_24h')} value={number(sync.changed24h)}>
        {t('overview.failed_24h', { count: sync.failed24h })}
      </Figure>
      <Prompt name={t('overview.role_changes')} taken={promptness.roleChanges} />
      <Prompt name={t('overview.commands')} taken={promptness.commands} />
    </FigureList>
  );
}

/** The median and the slowest of the last ones; its place stands before the first, so that nothing jumps. */
function Prompt({ name, taken }: { name: string; taken: Overview['promptness']['commands'] }) {
  const { t, number } = useWords();
  const shown = (seconds: number) => t('overview.seconds', { count: number(Math.round(seconds * 10) / 10) });
  if (taken === null) return <Figure name={name} value="–" />;
  return (
    <Figure name={name} value={shown(taken.p50Seconds)}>
      {t('overview.slowest', { time: shown(taken.p99Seconds) })}
    </Figure>
  );
}

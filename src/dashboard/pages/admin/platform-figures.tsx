import type { PlatformMetrics } from '../../api/admin-queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { Figure, FigureList } from '../../parts/figure.js';
import { useNow } from '../../parts/now.js';
import css from './admin.module.css';

const megabyte = 1_000_000;
const planNames = ['free', 'pro', 'enterprise'] as const;

/** The platform's numbers, each with a note. `areSold`: whether plans are. */
export function PlatformFigures({ metrics, areSold }: { metrics: PlatformMetrics; areSold: boolean }) {
  const words = useWords();
  const { t, number } = words;
  const now = useNow();
  const { guilds, members, accounts, verifications, resyncs, syncs, deliveries, erasures, process } = metrics;
  const plans = guilds.byPlan;
  const waiting = deliveries.pending + deliveries.retrying;
  const openResyncs = resyncs.queued + resyncs.running + resyncs.waiting + resyncs.awaitingConfirmation;
  return (
    <>
      <FigureList label={t('overview.figures')}>
        <Figure name={t('admin.guilds')} value={number(guilds.present)}>
          {t('admin.guilds_more', { left: guilds.total - guilds.present, suspended: guilds.suspended })}
        </Figure>
        {areSold && (
          <Figure name={t('admin.plans')} value={number(plans.pro + plans.enterprise)}>
            {planNames.map((plan) => `${t(`plan.${plan}`)}: ${number(plans[plan])}`).join(' · ')}
          </Figure>
        )}
        <Figure name={t('admin.accounts')} value={number(accounts.linked)}>
          {t('admin.accounts_more', { count: members.linked })}
        </Figure>
        <Figure name={t('admin.verified')} value={number(verifications.completed24h)}>
          {t('admin.verified_more', { count: verifications.failed24h })}
        </Figure>
        <Figure name={t('admin.syncs')} value={number(syncs.owed)}>
          {syncs.oldestDueAt === null
            ? t('admin.nothing_due')
            : t('admin.due_since', { ago: words.ago(syncs.oldestDueAt, now) })}
        </Figure>
        <Figure name={t('admin.resyncs')} value={number(openResyncs)}>
          {t('admin.resyncs_more', { count: resyncs.awaitingConfirmation })}
        </Figure>
        <Figure name={t('admin.deliveries')} value={number(waiting)}>
          {t('admin.deliveries_more', { count: deliveries.retrying })}
        </Figure>
        <Figure name={t('admin.erasures')} value={number(erasures.open)}>
          {t('admin.erasures_more')}
        </Figure>
      </FigureList>
      <p className={css.quiet}>
        {t('admin.process', {
          version: process.version,
          node: process.nodeVersion,
          since: words.ago(process.startedAt, now),
          memory: Math.round(process.memory.rssBytes / megabyte),
        })}
      </p>
    </>
  );
}

import { Alert, Button, Progress } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { billingQuery, infoQuery } from '../../api/team-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Page, Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Answered, Failed } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import css from './plan.module.css';
import { counted, lossOf } from './plan-loss.js';
import { priceWords } from './price-words.js';

type Billing = Schemas['Billing'];
type Plan = Schemas['Installation']['plans'][number];

/** The server's plan and usage, the other plans, and the parts that a smaller one would pause. */
export function PlanPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.plan')}>
      <PlanOfGuild />
    </ForRole>
  );
}

function PlanOfGuild() {
  const { t, time } = useWords();
  const { guildId } = useGuild();
  const billing = useQuery(billingQuery(guildId));
  const info = useQuery(infoQuery);
  return (
    <Page title={t('nav.plan')}>
      <Answered query={billing} shape={pageShapes.plan.parts}>
        {(data) => (
          <>
            <Section title={t('plan.now', { plan: t(`plan.${data.plan}`) })} actions={<Portal billing={data} />}>
              {data.status === 'past_due' && (
                <Alert color="orange" mb="sm">
                  {t('plan.past_due')}
                </Alert>
              )}
              {data.currentPeriodEnd !== null && (
                <p className={css.words}>
                  {t(data.cancelAtPeriodEnd ? 'plan.ends' : 'plan.renews', { time: time(data.currentPeriodEnd) })}
                </p>
              )}
              {data.provider === null && <p className={css.words}>{t('plan.not_sold')}</p>}
              <Usage billing={data} />
            </Section>
            <Answered query={info} shape={['plan.compare', ['table', 7]]}>
              {({ plans }) => <Comparison billing={data} plans={plans} />}
            </Answered>
          </>
        )}
      </Answered>
    </Page>
  );
}

function Usage({ billing: { usage, limits } }: { billing: Billing }) {
  const { t } = useWords();
  return (
    <div className={css.usage}>
      {counted.map((name) => {
        const [used, limit] = [usage[name], limits[name]];
        const words = t('plan.used', { used, limit });
        return (
          <div key={name}>
            <div className={css.bar}>
              <span>{t(`plan.${name}`)}</span>
              <span>{words}</span>
            </div>
            <Progress
              value={limit === 0 ? 0 : Math.min(100, (100 * used) / limit)}
              color={used > limit ? 'red' : 'brand'}
              aria-label={`${t(`plan.${name}`)}: ${words}`}
            />
          </div>
        );
      })}
    </div>
  );
}

function Comparison({ billing, plans }: { billing: Billing; plans: readonly Plan[] }) {
  const { t, number, language } = useWords();
  const rows: [string, (limits: Plan['limits']) => string][] = [
    [t('plan.groups'), ({ groups }) => number(groups)],
    [t('plan.mappings'), ({ mappings }) => number(mappings)],
    [t('plan.webhookEndpoints'), ({ webhookEndpoints }) => number(webhookEndpoints)],
    [t('plan.log'), ({ logDays }) => t('plan.days', { count: logDays })],
    [
      t('plan.resync'),
      ({ resyncEveryHours: hours }) => (hours === null ? t('plan.daily') : t('plan.hourly', { count: hours })),
    ],
    [
      t('plan.ranks'),
      ({ rankAgeMinutes: minutes }) =>
        minutes < 60 ? t('plan.minutes', { count: minutes }) : t('plan.hours', { count: Math.round(minutes / 60) }),
    ],
  ];
  return (
    <Section title={t('plan.compare')} plain>
      <div className={css.plans}>
        <ScrollTable label={t('plan.table')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              {plans.map(({ name }) => (
                <Table.Th key={name} scope="col">
                  {t(`plan.${name}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {billing.prices.length > 0 && (
              <Table.Tr>
                <Table.Th scope="row">{t('plan.price')}</Table.Th>
                {plans.map(({ name }) => (
                  <Table.Td key={name} className={css.price ?? ''}>
                    {priceWords(name, billing.prices, language)}
                  </Table.Td>
                ))}
              </Table.Tr>
            )}
            {rows.map(([title, shown]) => (
              <Table.Tr key={title}>
                <Table.Th scope="row">{title}</Table.Th>
                {plans.map(({ name, limits }) => (
                  <Table.Td key={name}>{shown(limits)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th scope="row">{t('plan.change')}</Table.Th>
              {plans.map((plan) => (
                <Table.Td key={plan.name}>
                  <Change billing={billing} plan={plan} isLarger={plans.indexOf(plan) > placeOf(billing, plans)} />
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tbody>
        </ScrollTable>
      </div>
    </Section>
  );
}

const placeOf = ({ plan }: Billing, plans: readonly Plan[]): number => plans.findIndex(({ name }) => name === plan);

/** Another plan's effect: a way to buy it, or the parts that it would pause. */
function Change({ billing, plan, isLarger }: { billing: Billing; plan: Plan; isLarger: boolean }) {
  const { t, list } = useWords();
  if (plan.name === billing.plan) return t('plan.current');
  if (isLarger) return billing.provider === null ? '–' : <Buy billing={billing} plan={plan.name} />;
  const loss = lossOf(billing.usage, plan.limits);
  if (loss.length === 0) return t('plan.loses_nothing');
  return t('plan.loses', { what: list(loss.map(({ name, count }) => t(`plan.loses_${name}`, { count }))) });
}

const hasSubscription = ({ status }: Billing): boolean =>
  status !== null && status !== 'canceled' && status !== 'incomplete_expired';

function Buy({ billing, plan }: { billing: Billing; plan: Plan['name'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('owner');
  const buy = useMutation({
    async mutationFn() {
      if (plan === 'free') return;
      const { url } = await answerOf(
        api.POST('/api/guilds/{guildId}/billing/checkout', { params: { path: { guildId } }, body: { plan } }),
      );
      location.assign(url);
    },
  });
  if (hasSubscription(billing)) return t('plan.by_portal');
  return (
    <>
      <ActButton size="xs" reason={reason} loading={buy.isPending} onClick={() => buy.mutate()}>
        {t('plan.buy', { plan: t(`plan.${plan}`) })}
      </ActButton>
      <Failed error={buy.error} />
    </>
  );
}

/** The provider's page for paying, changing and cancelling. */
function Portal({ billing }: { billing: Billing }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('owner');
  const open = useMutation({
    async mutationFn() {
      const { url } = await answerOf(
        api.POST('/api/guilds/{guildId}/billing/portal', { params: { path: { guildId } } }),
      );
      location.assign(url);
    },
  });
  if (!hasSubscription(billing)) return null;
  if (reason !== undefined)
    return (
      <ActButton size="xs" variant="default" reason={reason}>
        {t('plan.portal')}
      </ActButton>
    );
  return (
    <div>
      <Button size="xs" variant="default" loading={open.isPending} onClick={() => open.mutate()}>
        {t('plan.portal')}
      </Button>
      <Failed error={open.error} />
    </div>
  );
}

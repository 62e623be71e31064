import type { Schemas } from '../../../client/api-types.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import { Waiting } from '../../parts/waiting.js';
import { type Remedy, remedyOf } from './health-remedy.js';
import { issueWords, worstFirst } from './health-words.js';
import css from './overview.module.css';
import { useSetupSteps } from './setup-steps.js';

type Overview = Schemas['GuildOverview'];

/** Issues that will stop or spoil a sync: a sentence, its effect, and one way to fix it. */
export function ToDoList({ overview }: { overview: Overview | undefined }) {
  const words = useWords();
  const { t } = words;
  const { health, guildId } = useGuild();
  if (health.length === 0) return <Fine overview={overview} />;
  return (
    <Section title={t('overview.to_do')}>
      <ul className={css.issues}>
        {worstFirst(health).map((issue) => (
          <li key={`${issue.code} ${issue.roleId ?? issue.groupId ?? issue.webhookId ?? ''} ${issue.detail}`}>
            <span className={css.mark} aria-hidden="true">
              !
            </span>
            <span className={css.issue}>
              <strong>{issueWords(issue, words).sentence}</strong>
              <span className={css.quiet}>{issueWords(issue, words).consequence}</span>
            </span>
            <RemedyButton remedy={remedyOf(issue)} guildId={guildId} about={issueWords(issue, words).sentence} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** One line where nothing is wrong. A server that was never set up does not count as fine. */
function Fine({ overview }: { overview: Overview | undefined }) {
  if (overview === undefined) return <Waiting shape={[['lines', 1]]} />;
  return <FineWords overview={overview} />;
}

function FineWords({ overview }: { overview: Overview }) {
  const { t } = useWords();
  const { isDone } = useSetupSteps(overview);
  if (!isDone) return <p className={css.fine}>{t('overview.not_set_up')}</p>;
  return (
    <p className={css.fine}>
      <span className={css.tick} aria-hidden="true">
        ✓
      </span>
      {t('overview.all_in_order')}
    </p>
  );
}

function RemedyButton({ remedy, guildId, about }: { remedy: Remedy; guildId: string; about: string }) {
  const { t } = useWords();
  if (remedy === 'explained') return null;
  const { label, params, ...place } = remedy;
  return (
    <LinkButton
      {...place}
      params={{ guildId, ...params }}
      size="xs"
      variant="default"
      aria-label={t('action.of', { act: t(label), name: about })}
    >
      {t(label)}
    </LinkButton>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton, TextLink } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import css from './overview.module.css';
import { PostPanel } from './post-panel.js';
import { type SetupStep, useSetupSteps } from './setup-steps.js';

type Overview = Schemas['GuildOverview'];

const storageKey = (guildId: string): string => `rolelink-setup-hidden-${guildId}`;

/** The steps to a working server, each derived from its data; gone when all are done or it is hidden. */
export function SetupChecklist({ overview }: { overview: Overview }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [hidden, setHidden] = useState(() => localStorage.getItem(storageKey(guildId)) !== null);
  const { steps, isDone } = useSetupSteps(overview);
  const isNew = overview.counts.mappings === 0;
  if (!isNew && (hidden || isDone)) return null;
  const hide = () => {
    localStorage.setItem(storageKey(guildId), '1');
    setHidden(true);
  };
  const next = steps.find(({ done }) => !done)?.name;
  const action = !isNew && (
    <Button size="xs" variant="subtle" onClick={hide}>
      {t('setup.hide')}
    </Button>
  );
  return (
    <Section title={t(isNew ? 'setup_page.begin' : 'setup.title')} actions={action}>
      {isNew && <p className={css.quiet}>{t('setup_page.begin_why')}</p>}
      <ol className={css.steps}>
        {steps.map((step) => (
          <StepRow key={step.name} step={step} isNext={step.name === next} isFirst={isNew} />
        ))}
      </ol>
      {isNew && (
        <TextLink to="/g/$guildId/move" params={{ guildId }} size="sm">
          {t('move.title')}
        </TextLink>
      )}
    </Section>
  );
}

/** A step; the next one leads on, or names the role that may take it. `isFirst`: nothing is set up yet. */
function StepRow({ step, isNext, isFirst }: { step: SetupStep; isNext: boolean; isFirst: boolean }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { name, done } = step;
  const reason = 'reason' in step && isNext ? step.reason : undefined;
  const isOpen = isNext && reason === undefined;
  return (
    <li aria-current={isNext ? 'step' : undefined}>
      <span className={done ? css.tick : css.open} aria-hidden="true">
        {done ? '✓' : ''}
      </span>
      <span className={css.issue}>
        <span>
          <strong>{t(`setup.${name}`)}</strong>{' '}
          <span className={css.quiet}>{t(done ? 'setup.done' : 'setup.open')}</span>
        </span>
        {!done && <span className={css.quiet}>{t(`setup_how.${name}`)}</span>}
        {reason !== undefined && <span className={css.quiet}>{reason}</span>}
        {name === 'panel' && isOpen && <PostPanel />}
      </span>
      {isOpen && 'to' in step && (
        <LinkButton to={step.to} params={{ guildId }} size={isFirst ? 'sm' : 'xs'}>
          {t(isFirst ? 'setup_page.start' : 'setup.go')}
        </LinkButton>
      )}
    </li>
  );
}

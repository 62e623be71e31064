import { Avatar, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered, Failed } from '../../parts/states.js';
import css from './me.module.css';
import { consentsKey, useRenewal } from './use-renewal.js';

type Consent = Schemas['GuildConsent'];

const tones = { shown: 'good', agreed: 'warn', hidden: 'quiet', unanswered: 'quiet' } as const;

export function Consents() {
  const { t } = useWords();
  const consents = useQuery({
    queryKey: consentsKey,
    queryFn: async () => (await answerOf(api.GET('/api/auth/me/consents', {}))).data,
  });
  return (
    <Section title={t('me.consents')}>
      <p className={css.words}>{t('me.consents_words')}</p>
      <Answered query={consents} shape={[['lines', 1]]}>
        {(data) =>
          data.length === 0 ? (
            <p className={css.words}>{t('me.consents_none')}</p>
          ) : (
            <ul className={css.servers}>
              {data.map((consent) => (
                <OneServer key={consent.guildId} consent={consent} />
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}

function OneServer({ consent: { guildId, name, iconUrl, state } }: { consent: Consent }) {
  const { t } = useWords();
  const renewed = useRenewal();
  const change = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: (shown: boolean) =>
      answerOf(api.PUT('/api/auth/me/consents/{guildId}', { params: { path: { guildId } }, body: { shown } })),
    onSuccess: renewed,
  });
  const choices = [
    { shown: true, words: 'me.consent_show', label: 'me.consent_show_in', offered: ['hidden', 'unanswered'] },
    { shown: false, words: 'me.consent_hide', label: 'me.consent_hide_in', offered: ['shown', 'agreed', 'unanswered'] },
  ] as const;
  return (
    <li>
      <Avatar src={iconUrl} name={name} size="sm" radius="sm" alt="" />
      {name}
      <StateWord tone={tones[state]}>{t(`me.consent.${state}`)}</StateWord>
      {choices
        .filter(({ offered }) => offered.some((each) => each === state))
        .map(({ shown, words, label }) => (
          <Button
            key={words}
            size="xs"
            variant="default"
            aria-label={t(label, { server: name })}
            loading={change.isPending}
            onClick={() => change.mutate(shown)}
          >
            {t(words)}
          </Button>
        ))}
      <Failed error={change.error} />
    </li>
  );
}

import { ChannelSelect } from '../../guild/channel-select.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice } from '../../parts/choice.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import { PanelWords } from './panel-words.js';
import css from './setup.module.css';
import { choicesOf, type Setup, useChangeSetup } from './setup-queries.js';

const ways = ['both', 'oauth', 'profile_code'] as const;

/** How people verify: where the panel is posted, its words, and the methods. */
export function PanelStep({ setup }: { setup: Setup }) {
  const { t } = useWords();
  const change = useChangeSetup();
  const { channelId, methods, panel } = choicesOf(setup, change);
  const [only, another] = methods;
  return (
    <Section title={t('setup_page.panel')}>
      <div className={css.fields}>
        <ChannelSelect
          label={t('setup_page.channel')}
          description={t('setup_page.channel_why')}
          error={undefined}
          disabled={false}
          value={channelId}
          onChange={(chosen) => change.mutate({ channelId: chosen })}
        />
        <Choice
          label={t('setup_page.methods')}
          description={t('setup_page.methods_why')}
          value={another === undefined ? (only ?? 'both') : 'both'}
          options={ways.map((value) => ({
            value,
            label: t(value === 'both' ? 'setup_page.both' : `method.${value}`),
          }))}
          onChange={(way) => change.mutate({ methods: way === 'both' ? ['oauth', 'profile_code'] : [way] })}
        />
      </div>
      <Failed error={change.error} />
      {channelId !== null && (
        <PanelWords
          key={JSON.stringify(setup.choices.panel)}
          panel={panel}
          onSave={(look) => change.mutate({ panel: look })}
        />
      )}
    </Section>
  );
}

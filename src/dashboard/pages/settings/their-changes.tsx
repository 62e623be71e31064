import { Alert, Button, Radio } from '@mantine/core';
import { useState } from 'react';
import type { Settings } from '../../api/queries.js';
import { settingName, settingWords } from '../../guild/setting-words.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './settings.module.css';
import { differences, settingAt } from './settings-difference.js';

/**
 * Shown after another admin's save. If both changed the same setting, the person chooses one; all other changes are
 * kept.
 */
export function TheirChanges(props: {
  base: Settings;
  mine: Settings;
  theirs: Settings;
  /** The paths at which the own values count. */
  onChosen: (paths: readonly string[]) => void;
}) {
  const { base, mine, theirs, onChosen } = props;
  const words = useWords();
  const { t } = words;
  const [kept, setKept] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({});
  const own = differences(base, mine);
  const disputed = differences(mine, theirs).filter(
    (path) => own.includes(path) && differences(base, theirs).includes(path),
  );
  const counted = own.filter((path) => !disputed.includes(path) || (kept[path] ?? 'theirs') === 'mine');
  return (
    <Alert color="yellow" role="alert" title={t('settings.changed_meanwhile')} my="md">
      <p>{t(disputed.length > 0 ? 'settings.choose' : 'settings.no_dispute')}</p>
      {disputed.map((path) => (
        <Radio.Group
          key={path}
          className={css.dispute ?? ''}
          label={settingName(path, words)}
          value={kept[path] ?? 'theirs'}
          onChange={(side) => setKept({ ...kept, [path]: side === 'mine' ? 'mine' : 'theirs' })}
        >
          <Radio
            value="theirs"
            label={t('settings.theirs', { value: settingWords(path, settingAt(theirs, path), words) })}
          />
          <Radio value="mine" label={t('settings.mine', { value: settingWords(path, settingAt(mine, path), words) })} />
        </Radio.Group>
      ))}
      <Button size="xs" onClick={() => onChosen(counted)}>
        {t('settings.take_choice')}
      </Button>
    </Alert>
  );
}

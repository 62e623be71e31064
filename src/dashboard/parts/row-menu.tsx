import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Icon } from './icon.js';
import { PopUp } from './pop-up.js';
import css from './row-menu.module.css';

/** A row's rarer actions, behind one button that names the row. */
export function RowMenu({ of, children }: { of: string; children: ReactNode }) {
  const { t } = useWords();
  return (
    <PopUp
      label={<Icon name="more" />}
      name={t('action.of', { act: t('action.acts'), name: of })}
      className={css.more}
      side="row"
    >
      {children}
    </PopUp>
  );
}

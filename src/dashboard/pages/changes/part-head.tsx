import type { ReactNode } from 'react';
import css from './changes.module.css';

/** The words and buttons for a part within the place. */
export const PartHead = ({ lead, actions }: { lead: ReactNode; actions?: ReactNode }) => (
  <div className={css.head}>
    {lead}
    {actions && <div className={css.acts}>{actions}</div>}
  </div>
);

import type { ReactNode } from 'react';
import css from './place.module.css';

/** The start of a page beside a picture; above it where both don't fit. */
export const BesidePicture = ({ picture, children }: { picture: ReactNode; children: ReactNode }) => (
  <div className={css.beside}>
    <div>{children}</div>
    {picture}
  </div>
);

/** A list with the thing chosen from it on the right, where `useWide` says that both fit. */
export const BesideList = ({ list, children }: { list: ReactNode; children: ReactNode }) => (
  <div className={css.chosen}>
    {list}
    <div className={css.detail}>{children}</div>
  </div>
);

/** A page as one small card in the middle. */
export const InCard = ({ children }: { children: ReactNode }) => <div className={css.card}>{children}</div>;

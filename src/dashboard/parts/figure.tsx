import type { ReactNode } from 'react';
import css from './figure.module.css';

/** Numbers side by side: names, values and notes are aligned, at any name length. */
export const FigureList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={css.figures} aria-label={label}>
    {children}
  </ul>
);

/** A number in a list, with its name above and a note below. */
export function Figure({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <li className={css.figure}>
      <span className={css.name}>{name}</span>
      <span className={css.value}>{value}</span>
      {children !== undefined && <span className={css.note}>{children}</span>}
    </li>
  );
}

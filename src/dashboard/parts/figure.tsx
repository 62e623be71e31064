import type { ReactNode } from 'react';
import css from './figure.module.css';

/** Numbers side by side: their names, values and notes stand in lines, however long the names are. */
export const FigureList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={css.figures} aria-label={label}>
    {children}
  </ul>
);

/** A number with its name above and a note below. */
export function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <li className={css.figure}>
      <span className={css.name}>{name}</span>
      <span className={css.value}>{value}</span>
      <span className={css.note}>{children}</span>
    </li>
  );
}

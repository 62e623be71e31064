import type { ReactNode } from 'react';
import css from './strip.module.css';

/** A framed line that leads somewhere: its name, its words, and the parts beside or below them. */
export const Strip = ({ name, words, children }: { name: string; words: ReactNode; children: ReactNode }) => (
  <section className={css.strip} aria-label={name}>
    <span className={css.words}>
      <strong>{name}</strong> {words}
    </span>
    {children}
  </section>
);

import type { ReactNode } from 'react';
import css from './state-word.module.css';

/** How good a state is; the colour only repeats the word. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export const StateWord = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`${css.word} ${css[tone]}`}>{children}</span>
);

import type { ReactNode } from 'react';
import css from './state-word.module.css';

/** How good what a word says is; the colour only repeats it. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** The state of something in a word or two. */
export const StateWord = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`${css.word} ${css[tone]}`}>{children}</span>
);

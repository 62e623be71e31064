import type { ReactNode } from 'react';
import css from './scroll-table.module.css';
import { Table } from './table.js';

/** A table that scrolls sideways if it is too wide, also by keyboard. */
export function ScrollTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard (axe: scrollable-region-focusable)
    <section className={css.scroll} aria-label={label} tabIndex={0}>
      <Table className={css.table}>{children}</Table>
    </section>
  );
}

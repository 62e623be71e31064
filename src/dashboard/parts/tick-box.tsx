import type { ComponentProps } from 'react';
import css from './tick-box.module.css';

/** The browser's own box in the look of the pages: Mantine's would add 3 kB to a table's script. */
export const TickBox = ({
  indeterminate = false,
  ...props
}: Omit<ComponentProps<'input'>, 'type'> & { indeterminate?: boolean }) => (
  <input
    {...props}
    type="checkbox"
    className={css.box}
    ref={(box) => {
      if (box !== null) box.indeterminate = indeterminate;
    }}
  />
);

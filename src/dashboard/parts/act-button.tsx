import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import css from './act-button.module.css';

type ActButtonProps = ButtonProps & {
  /** Why it can't be pressed; undefined when it can. It keeps the focus, so that the reason can be read. */
  reason?: string | undefined;
  onClick?: () => unknown;
  type?: 'button' | 'submit';
  children: ReactNode;
};

/** A button that explains why it is disabled, on hover and keyboard focus. */
export function ActButton({ reason, onClick, type = 'button', ...rest }: ActButtonProps) {
  const id = useId();
  if (reason === undefined) return <Button type={type} onClick={() => onClick?.()} {...rest} />;
  return (
    <span className={css.place}>
      <Button type="button" {...rest} data-disabled aria-disabled aria-describedby={id} />
      <span role="tooltip" id={id} className={css.reason}>
        {reason}
      </span>
    </span>
  );
}

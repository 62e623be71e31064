import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

type ActButtonProps = ButtonProps & {
  /** Why it can't be pressed; undefined when it can. It keeps the focus, so that the reason can be read. */
  reason?: string | undefined;
  onClick?: () => unknown;
  type?: 'button' | 'submit';
  children: ReactNode;
};

/** A button that says why it can't be pressed. */
export function ActButton({ reason, onClick, type = 'button', ...rest }: ActButtonProps) {
  if (reason === undefined) return <Button type={type} onClick={() => onClick?.()} {...rest} />;
  return (
    <Tooltip label={reason} w={240}>
      <Button type="button" {...rest} data-disabled aria-disabled aria-description={reason} />
    </Tooltip>
  );
}

import { type ReactNode, useId, useRef } from 'react';
import css from './pop-up.module.css';

/** A button that opens a panel. Escape, a press outside it, or a link in it closes it. */
export function PopUp(props: {
  label: ReactNode;
  className?: string | undefined;
  side: 'left' | 'right' | 'page';
  children: ReactNode;
}) {
  const { label, className, side, children } = props;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" popoverTarget={id} className={className}>
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links in it are pressed; this only listens */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link pressed by keyboard clicks too */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        className={`${css.panel} ${css[side]}`}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('a') !== null) panel.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

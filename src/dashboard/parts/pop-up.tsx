import { type MouseEvent, type ReactNode, useId, useRef } from 'react';
import css from './pop-up.module.css';

/**
 * A button that opens a panel: `at` the button itself, or at a place on the page. Escape, a press outside it, or a link
 * in it closes it; a row's menu closes by its buttons too.
 */
export function PopUp(props: {
  label: ReactNode;
  className?: string | undefined;
  /** The button's name where its label is a sign. */
  name?: string;
  side: 'left' | 'right' | 'page' | 'row';
  children: ReactNode;
}) {
  const { label, className, name, side, children } = props;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const place = ({ currentTarget }: MouseEvent) => {
    const { bottom, right } = currentTarget.getBoundingClientRect();
    panel.current?.style.setProperty('--below', `${bottom + scrollY}px`);
    panel.current?.style.setProperty('--end', `${document.documentElement.clientWidth - right}px`);
  };
  const closing = side === 'row' ? 'a, button' : 'a';
  return (
    <>
      <button type="button" popoverTarget={id} className={className} aria-label={name} onClick={place}>
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
          if (target instanceof Element && target.closest(closing) !== null) panel.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

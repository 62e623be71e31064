import { VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Icon } from '../parts/icon.js';
import css from './frame.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

/** Opens the list with every place, as Ctrl-K does; it is loaded when first opened. */
export function PaletteButton() {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const close = () => {
    setOpen(false);
    setTyped('');
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  // The list is still loading, or its field has no focus yet: keys typed meanwhile are for the field.
  useEffect(() => {
    if (!open) return undefined;
    const press = (event: KeyboardEvent) => {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isText || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      setTyped((before) => before + event.key);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
  return (
    <>
      <button type="button" className={css.find} aria-keyshortcuts="Control+K" onClick={() => setOpen(true)}>
        <Icon name="search" />
        <VisuallyHidden>{t('palette.title')}</VisuallyHidden>
        <span className={css.keys} aria-hidden="true">
          Ctrl K
        </span>
      </button>
      {open && (
        <Suspense>
          <Palette typed={typed} onType={setTyped} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

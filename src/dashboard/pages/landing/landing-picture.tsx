import { type RefObject, useEffect, useRef, useState } from 'react';
import { useWords } from '../../i18n/words-provider.js';
import css from './landing.module.css';

/** Addresses for `product-en-light.webp` and its siblings. */
const pictures = import.meta.glob<string>('./*.webp', { eager: true, import: 'default' });

interface LandingPictureProps {
  view: 'product' | 'compare' | 'reasons' | 'ranks';
}

/** The service at work, in the page's language and colours. `npm run pictures` takes it. */
export function LandingPicture({ view }: LandingPictureProps) {
  const { t, language } = useWords();
  const place = useRef<HTMLElement>(null);
  const isNear = useNear(place);
  const alt = t(`landing.${view}_picture`);
  return (
    <figure ref={place} className={css.figure}>
      {isNear && (
        <>
          {/* A picture that is not shown is not loaded either. */}
          <img src={pictures[`./${view}-${language}-light.webp`]} alt={alt} className={css.onLight} loading="lazy" />
          <img src={pictures[`./${view}-${language}-dark.webp`]} alt={alt} className={css.onDark} loading="lazy" />
        </>
      )}
    </figure>
  );
}

/** Whether a place has come near the window. A browser alone would load pictures that are two windows away. */
function useNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  return isNear;
}

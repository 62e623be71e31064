import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { type Language, loadWords, rememberLanguage, type Words } from './words.js';

interface Speech {
  words: Words;
  /** Loads another language, and keeps it for this browser. */
  speak(language: Language): Promise<void>;
}

const SpeechContext = createContext<Speech | undefined>(undefined);

export function WordsProvider({ first, children }: { first: Words; children: ReactNode }) {
  const [words, setWords] = useState(first);
  const speak = useCallback(async (language: Language) => {
    setWords(await loadWords(language));
    rememberLanguage(language);
  }, []);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);
  const speech = useMemo(() => ({ words, speak }), [words, speak]);
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

export function useSpeech(): Speech {
  const speech = use(SpeechContext);
  if (speech === undefined) throw new Error('There is no WordsProvider above.');
  return speech;
}

export const useWords = (): Words => useSpeech().words;

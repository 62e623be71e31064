/** Entries one after the other that read the same, as one line; `sentenceOf` puts an entry into words. */
export function folded<Entry>(
  entries: readonly Entry[],
  sentenceOf: (entry: Entry) => string,
): { entry: Entry; alike: Entry[] }[] {
  const lines: { entry: Entry; sentence: string; alike: Entry[] }[] = [];
  for (const entry of entries) {
    const [last, sentence] = [lines.at(-1), sentenceOf(entry)];
    if (last?.sentence === sentence) last.alike.push(entry);
    else lines.push({ entry, sentence, alike: [] });
  }
  return lines;
}

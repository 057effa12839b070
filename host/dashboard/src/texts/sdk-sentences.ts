/**
 * Returns a function that says sentences in another language, found by the whole of an English text, as far as they are known. It is a function and no
 * class: the chunk of a language must need nothing of the first file, which waits for it.
 */
export function knownSentences(sentences: Readonly<Record<string, string>>): (text: string) => string {
  const patterns = Object.entries(sentences).map(([english, chinese]) => {
    const escaped = english.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\d\}/g, '(.+?)');
    return { pattern: new RegExp(`^${escaped}$`, 's'), chinese };
  });

  const one = (text: string): string | undefined => {
    for (const { pattern, chinese } of patterns) {
      const values = pattern.exec(text);
      if (values !== null)
        return chinese.replaceAll(/\{(\d)\}/g, (_place, index: string) =>
          of(values[Number(index) + 1] ?? ''),
        );
    }
    return undefined;
  };
  const of = (text: string): string => {
    // Sentences that follow each other: a full stop, a blank and a capital letter are between them.
    const parts = text.replaceAll(/\. (?=[A-Z"])/g, '.\n').split('\n');
    const known = parts.map(one);
    if (known.every((part) => part !== undefined)) return known.join('');
    return one(text) ?? parts.map((part, index) => known[index] ?? part).join(' ');
  };
  return of;
}

import { access, constants } from 'node:fs/promises';

/** What was looked at and how it is. `wrong` keeps the gateway from working; a `note` is for those whom it concerns. */
export interface Finding {
  /** Such as `Clock`. */
  readonly about: string;
  readonly level: 'ok' | 'note' | 'wrong';
  /** What was found, and for what is not in order what to do. */
  readonly sentence: string;
}

export const ok = (about: string, sentence: string): Finding => ({ about, level: 'ok', sentence });
export const note = (about: string, sentence: string): Finding => ({ about, level: 'note', sentence });
export const wrong = (about: string, sentence: string): Finding => ({ about, level: 'wrong', sentence });

/** Whether this process may read and write a file. */
export async function mayUse(path: string): Promise<boolean> {
  const refusal = await access(path, constants.R_OK | constants.W_OK).catch((error: unknown) => error);
  return refusal === undefined;
}

import { errorTable } from '@tagway/schemas';

const meanings = new Map<number, string>(errorTable.map(({ code, meaning }) => [code, meaning]));

/** The meaning of an error code of the API; undefined for a plugin's own code. */
export const meaningOf = (code: number): string | undefined => meanings.get(code);

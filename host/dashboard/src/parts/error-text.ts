import { errorTable } from '@tagway/schemas';

const meanings = new Map<number, string>(errorTable.map(({ code, meaning }) => [code, meaning]));

/** What a code of the API means, in the words of the gateway's table; undefined for a plugin's own code. */
export const meaningOf = (code: number): string | undefined => meanings.get(code);

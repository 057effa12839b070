/** Another process has the file open. */
export class StoreInUse extends Error {}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
export const resultCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** The primary code of an error of SQLite, which is the low byte of an extended one; undefined for any other error. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Why SQLite refused something, without a full stop; the message of any other error. */
export function sqliteReason(error: unknown): string {
  const code = codeOf(error);
  if (code === resultCodes.full)
    return 'the disk with the data folder is full. Free space there and try again';
  if (code === resultCodes.readOnly) return 'the user that runs the gateway may not write it';
  return error instanceof Error ? error.message : String(error);
}

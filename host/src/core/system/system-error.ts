/** What the codes of the system mean to an operator, to complete a sentence. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: 'the user that runs the gateway may not do that',
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENOENT: 'it is not there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file and no folder',
  EPERM: 'the user that runs the gateway may not do that',
  EROFS: 'the file system is read-only',
};

/** Why a call of the system failed, without a full stop. */
export function systemReason(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const message = error instanceof Error ? error.message : String(error);
  return meanings[code] ?? message.replace(/\.$/, '');
}

/** The disk, or what this user may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** An error in words for an operator, who has no use for the name of a call of the system. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined || syscall === undefined) return error.message;
  return `The file or folder ${path} cannot be used: ${systemReason(error)}.`;
}

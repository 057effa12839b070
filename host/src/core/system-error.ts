/** What the codes of the system mean to an operator, to complete a sentence. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: 'the user that runs the gateway may not do that',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'there is a file of this name',
  ENOSPC: 'the disk is full',
  EPERM: 'the user that runs the gateway may not do that',
  EROFS: 'the file system is read-only',
};

/** Why a call of the system failed, without a full stop. */
export function systemReason(error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  return meanings[code] ?? message.replace(/\.$/, '');
}

/** The disk, or what this user may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** What is said where the process that reads a source has no memory left. */
export const noMemory = 'What is in the source does not fit into the memory for it.';

/** Why a source cannot be used; the message is a sentence for the operator. */
export class SourceError extends Error {
  /** What is wrong, where the source itself is there. */
  readonly commit: string | undefined;
  /** It may be right in a moment. */
  readonly isSoon: boolean;

  constructor(
    message: string,
    {
      commit,
      isSoon = false,
      ...options
    }: ErrorOptions & { readonly commit?: string; readonly isSoon?: boolean } = {},
  ) {
    super(message, options);
    this.commit = commit;
    this.isSoon = isSoon;
  }
}

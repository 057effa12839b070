/** What of a repository is taken: bytes that come from a server and of all files of a folder, files, and milliseconds. */
export const gitLimits = {
  bytes: 256 << 20,
  files: 20_000,
  /** For all that a server is asked at once. */
  within: 120_000,
  /** Without a byte. */
  silence: 30_000,
} as const;

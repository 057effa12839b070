/** How large the archive of a library may be. */
export const archiveLimits = {
  /** Bytes of the archive file: in base64 it fits into the largest request body that a gateway takes unless it is told otherwise. */
  packed: 12_000_000,
  /** Bytes of the tar archive within, contents and headers. */
  unpacked: 128 << 20,
  entries: 10_000,
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of `size` bytes, or of as many as there are: UTF-8, or Latin-1 when it is not. */
export function textOf(data: Buffer, at: number, size: number): string {
  const bytes = data.subarray(at, at + size);
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

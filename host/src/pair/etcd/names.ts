/** The name of a gateway as a part of a key in etcd, and back: names may have spaces and slashes. */
export const encodeName = encodeURIComponent;

export function decodeName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // No gateway has written it.
    return part;
  }
}

/** A group of a driver. */
export interface GroupReference {
  readonly node: string;
  readonly group: string;
}

/** A tag of a driver. */
export interface TagReference extends GroupReference {
  readonly name: string;
}

/** A group as text in the page's address. Names may contain any character, so each is encoded. */
export const referenceText = ({ node, group }: GroupReference): string =>
  `${encodeURIComponent(node)}/${encodeURIComponent(group)}`;

/** The group of a text; empty when the text is not a reference. */
export function referenceFrom(text: string): GroupReference[] {
  try {
    const [node = '', group = ''] = text.split('/').map(decodeURIComponent);
    return node === '' || group === '' ? [] : [{ node, group }];
  } catch {
    return [];
  }
}

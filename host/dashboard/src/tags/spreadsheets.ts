/** Most bytes of a file, and of its content unpacked: the content can be a thousand times larger than the file. */
const mostBytes = 20 * 2 ** 20;
const mostUnpacked = 200 * 2 ** 20;

export class FileTooBig extends Error {}

// A text that a spreadsheet reads as a formula gets an apostrophe in front, and so does one that begins with an apostrophe.
const risky = /^[=+\-@\t\r']/;
const guarded = /^'(?=[=+\-@\t\r'])/;

/** The cells of a CSV file or of pasted text, separated by commas, semicolons or tabs. */
export async function readText(text: string): Promise<string[][]> {
  const { default: Papa } = await import('papaparse');
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), {
    delimitersToGuess: [',', ';', '\t'],
    skipEmptyLines: false,
  });
  return data.map((row) => row.map((cell) => cell.replace(guarded, '')));
}

/** The cells of the first sheet of an XLSX file, or of a CSV file. Throws `FileTooBig`. */
export async function readTable(file: Blob): Promise<string[][]> {
  if (file.size > mostBytes) throw new FileTooBig();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPacked = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isPacked) return readText(decoded(bytes));
  if (unpackedSize(bytes) > mostUnpacked) throw new FileTooBig();
  const { readSheet } = await import('read-excel-file/universal');
  const rows = await readSheet(file, { trim: false });
  return rows.map((row) => row.map((cell) => (cell === null ? '' : `${cell as string | number | boolean}`)));
}

/** The text of a file in UTF-8, in UTF-16 with a byte order mark, in GB 18030 (China) or in Windows-1252 (Western Europe). */
function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  for (const encoding of ['utf-8', 'gb18030']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // Try the next encoding.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

/** The total size of a ZIP file's entries unpacked, in bytes, according to its directory. */
export function unpackedSize(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) return 0;
  let offset = view.getUint32(end + 16, true);
  let size = 0;
  while (offset + 46 <= bytes.length && view.getUint32(offset, true) === 0x02014b50) {
    size += view.getUint32(offset + 24, true);
    const names = view.getUint16(offset + 28, true) + view.getUint16(offset + 30, true);
    offset += 46 + names + view.getUint16(offset + 32, true);
  }
  return size;
}

/** A table as CSV with a byte order mark; spreadsheets need it to read UTF-8. */
export async function csvOf(table: readonly (readonly string[])[]): Promise<Blob> {
  const { default: Papa } = await import('papaparse');
  const text = Papa.unparse([...table.map((row) => [...row])], { escapeFormulae: risky, newline: '\r\n' });
  return new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' });
}

/** A table as an XLSX file with one sheet of texts. */
export async function xlsxOf(table: readonly (readonly string[])[]): Promise<Blob> {
  const { default: write } = await import('write-excel-file/universal');
  return write(table.map((row) => row.map((value) => ({ value, type: String })))).toBlob();
}

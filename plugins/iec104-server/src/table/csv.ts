/** Records of a CSV text (RFC 4180); a record of a single empty field is an empty line and left out. Undefined: a quotation mark is not closed. */
export function recordsOf(text: string): readonly (readonly string[])[] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = (): void => {
    record.push(field);
    field = '';
  };
  const endRecord = (): void => {
    endField();
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') field += text[++at]!;
      else isQuoted = false;
    } else if (char === '"' && field === '') isQuoted = true;
    else if (char === ',') endField();
    else if (char === '\n') endRecord();
    else if (char !== '\r') field += char;
  }
  if (isQuoted) return undefined;
  endRecord();
  return records;
}

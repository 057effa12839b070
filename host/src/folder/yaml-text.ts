import { type Document, type ErrorCode as YamlErrorCode, parseDocument } from 'yaml';
import { FolderError } from './folder-files.ts';

/** What the parser finds most often, in words of ours. */
const meanings: Partial<Record<YamlErrorCode, string>> = {
  DUPLICATE_KEY: 'a name is there twice',
  TAB_AS_INDENT: 'a tab is used for indentation, where only spaces are allowed',
  MULTIPLE_DOCS: 'there is more than one document',
};

/** Parses a text in YAML, with its comments. Throws `FolderError`. */
export function yamlDocument(text: string, file: string): Document.Parsed {
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { intAsBigInt: true, prettyErrors: false });
  } catch (cause) {
    // What nests without an end exhausts the stack.
    throw new FolderError(`The file ${file} cannot be read as YAML: it nests too deeply.`, { cause });
  }
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split('\n').length;
    const isDeep = error.message.includes('call stack');
    const meaning = isDeep ? 'it nests too deeply' : (meanings[error.code] ?? error.message);
    throw new FolderError(`${file}, line ${line}: ${meaning}.`);
  }
  return document;
}

/** The value of a document; integers beyond 2^53 are bigints. Throws `FolderError`. */
export function valueOf(document: Document.Parsed, file: string): unknown {
  try {
    return numbers(document.toJS({ maxAliasCount: 100 }));
  } catch (cause) {
    throw new FolderError(
      `The file ${file} cannot be read as YAML: its anchors are referred to more often than is allowed, or to no end.`,
      { cause },
    );
  }
}

/** The same with numbers in the place of bigints that are no larger than these can be. */
export function numbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(numbers);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, numbers(one)]),
  );
}

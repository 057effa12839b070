import { ErrorCode, Limits } from '@tagway/schemas';
import { Refusal, type Sentence, sentence } from './system/sentence.ts';

/** Throws `code` for a name that is longer than `most` bytes of UTF-8; `what` is the kind of thing that has it. */
export function checkLength(name: string, most: number, code: number, what: Sentence): void {
  const length = Buffer.byteLength(name);
  if (length <= most) return;
  throw new Refusal(
    code,
    sentence`The name of a ${what} has at most ${most} bytes in UTF-8, and "${name.slice(0, shown)}…" has ${length}.`,
  );
}

/** Characters that a message shows of a name that is too long. */
const shown = 30;

/** The first text that is there twice. */
export function firstTwice(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

/** Refuses names of nodes and groups that are too long to exist, before anything is looked up. */
export function checkLengths(node: string, ...groups: string[]): void {
  checkLength(node, Limits.nodeName, ErrorCode.NODE_NAME_TOO_LONG, sentence`node`);
  for (const group of groups)
    checkLength(group, Limits.groupName, ErrorCode.GROUP_NAME_TOO_LONG, sentence`group`);
}

/** Refuses a name for a node that is to be made or renamed. */
export function checkNewName(name: string): void {
  if (name === '')
    throw new Refusal(
      ErrorCode.NODE_NAME_EMPTY,
      sentence`A node needs a name: its name in the request is empty.`,
    );
  checkLengths(name);
}

/** Refuses names of templates and their groups that are too long to exist. */
export function checkTemplateLengths(template: string, ...groups: string[]): void {
  checkLength(template, Limits.templateName, ErrorCode.TEMPLATE_NAME_TOO_LONG, sentence`template`);
  checkLengths('', ...groups);
}

/** Refuses the name of a tag that is too long to exist. */
export function checkTagLength(name: string): void {
  checkLength(name, Limits.tagName, ErrorCode.TAG_NAME_TOO_LONG, sentence`tag`);
}

import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** Length of a text as the limits count it: bytes of UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** Refuses names of nodes and groups that are too long to exist, before anything is looked up. */
export function checkLengths(node: string, ...groups: string[]): void {
  if (byteLength(node) > Limits.nodeName) throw new Fault(ErrorCode.NODE_NAME_TOO_LONG);
  for (const group of groups) {
    if (byteLength(group) > Limits.groupName) throw new Fault(ErrorCode.GROUP_NAME_TOO_LONG);
  }
}

/** Refuses names of templates and their groups that are too long to exist. */
export function checkTemplateLengths(template: string, ...groups: string[]): void {
  if (byteLength(template) > Limits.templateName) throw new Fault(ErrorCode.TEMPLATE_NAME_TOO_LONG);
  checkLengths('', ...groups);
}

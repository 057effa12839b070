import { Attribute, ErrorCode, Limits, RunningState } from '@tagway/schemas';
import type { JsonValue, ScanPage, ScanRequest } from '@tagway/sdk';
import { Fault } from '@tagway/sdk';
import type { Group, GroupReading, Tag } from './model.ts';
import { byteLength, checkLengths } from './names.ts';
import { keys, tagRecord } from './records.ts';
import type { State } from './state.ts';
import { isStatic } from './tag-check.ts';
import { checkString, toDevice } from './values.ts';

export interface TagWrite {
  readonly tag: string;
  readonly value: JsonValue;
}

/** Reading and writing tags of drivers, for clients and for apps. */
export class Access {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** The latest values of a group; with `sync`, values that are read now. */
  async read(node: string, name: string, sync: boolean): Promise<GroupReading> {
    checkLengths(node, name);
    const group = this.#state.group(node, name);
    if (sync && group.node.running === RunningState.RUNNING) await this.#state.ports.runtime.poll(group);
    // The group may have been deleted while it was polled.
    return this.#state.ports.runtime.reading(this.#state.group(node, name));
  }

  /**
   * Writes one tag, or with `many` all of them or, when one does not pass the checks, none. Resolves once the device has
   * confirmed; rejects with the first fault.
   */
  async write(node: string, group: string, writes: readonly TagWrite[], many: boolean): Promise<void> {
    checkWriteLengths(node, group, writes);
    const driver = this.#state.driver(node);
    if (driver.running !== RunningState.RUNNING) {
      throw new Fault(ErrorCode.NOT_RUNNING, `The node "${node}" is not running.`);
    }
    if (many && !driver.plugin.writesMany) throw new Fault(ErrorCode.WRITE_TAGS_UNSUPPORTED);
    const [first] = writes;
    if (first === undefined) throw new Fault(ErrorCode.BODY_INVALID, 'A write names at least one tag.');
    const owner = this.#state.group(node, group);
    const find = many ? writableOfMany : writable;
    // All tags are looked up before any value is converted: a missing tag outranks a bad value.
    const found = writes.map(({ tag, value }) => ({ tag: find(owner, tag), value }));
    if (!many && isStatic(find(owner, first.tag))) return this.#writeStatic(node, group, first);
    const values = found.map(({ tag, value }) => ({ tag, value: toDevice(tag, value) }));
    const faults = await this.#state.ports.runtime.write(driver, values);
    const fault = faults.find((entry) => entry !== undefined);
    if (fault !== undefined) throw fault;
  }

  /** Lists what a driver's device has at one place, page by page. Rejects with SCAN_UNSUPPORTED, NOT_RUNNING or the driver's fault. */
  async scan(node: string, request: ScanRequest): Promise<ScanPage> {
    checkLengths(node);
    const driver = this.#state.driver(node);
    if (!driver.plugin.scans) throw new Fault(ErrorCode.SCAN_UNSUPPORTED);
    if (driver.running !== RunningState.RUNNING) {
      throw new Fault(ErrorCode.NOT_RUNNING, `The node "${node}" is not running.`);
    }
    return this.#state.ports.runtime.scan(driver, request);
  }

  async #writeStatic(node: string, name: string, { tag: tagName, value }: TagWrite): Promise<void> {
    await this.#state.change(async () => {
      const group = this.#state.group(node, name);
      const tag = writable(group, tagName);
      if (!isStatic(tag))
        throw new Fault(ErrorCode.TAG_NOT_FOUND, `The tag "${tagName}" is not static any more.`);
      const raw = toDevice(tag, value);
      const next = { ...tag, value: raw instanceof Uint8Array ? [...raw] : raw };
      await this.#state.commit({ set: [[keys.tag(group.id, tag.id), tagRecord(next)]] });
      group.tags.set(tagName, next);
      this.#state.ports.runtime.changed(group);
    });
  }
}

function checkWriteLengths(node: string, group: string, writes: readonly TagWrite[]): void {
  checkLengths(node, group);
  for (const { tag, value } of writes) {
    if (byteLength(tag) > Limits.tagName) throw new Fault(ErrorCode.TAG_NAME_TOO_LONG);
    if (typeof value === 'string') checkString(value);
  }
}

function writable(group: Group, name: string): Tag {
  const tag = group.tags.get(name);
  if (tag === undefined)
    throw new Fault(ErrorCode.TAG_NOT_FOUND, `The group "${group.name}" has no tag "${name}".`);
  if ((tag.attribute & Attribute.WRITE) === 0) {
    throw new Fault(ErrorCode.TAG_NOT_WRITABLE, `The tag "${name}" may not be written.`);
  }
  return tag;
}

/** For a write of several tags, one that is static or may not be written is as good as missing. */
function writableOfMany(group: Group, name: string): Tag {
  const tag = group.tags.get(name);
  if (tag === undefined || isStatic(tag) || (tag.attribute & Attribute.WRITE) === 0) {
    throw new Fault(
      ErrorCode.TAG_NOT_FOUND,
      `The group "${group.name}" has no tag "${name}" on a device that may be written.`,
    );
  }
  return tag;
}

import { DataType, ErrorCode, Limits, RunningState } from '@tagway/schemas';
import type {
  BrowsePage,
  BrowseRequest,
  JsonValue,
  TagDraft,
  TagWrite as AppWrite,
  Value,
  Writer,
  Fault,
} from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import type { Group, GroupReading, Node, Tag } from '../model.ts';
import { checkLengths, checkTagLength } from '../names.ts';
import { Pacer } from '../system/pacer.ts';
import { keys, tagRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { refuse } from '../system/refuse.ts';
import { faultOfWrite, ofWrite } from './fault-of-write.ts';
import { checkTag, isStatic, isWritable, longestAddress, tagNamed } from './tag-check.ts';
import { checkString, toDevice } from './value-conversion.ts';
import { Refusal, sentence } from '../system/sentence.ts';

export interface TagWrite {
  readonly tag: string;
  readonly value: JsonValue;
}

export interface GroupWrite {
  readonly group: string;
  readonly tags: readonly TagWrite[];
}

/** A write of an app that has passed the checks. */
interface CheckedWrite {
  readonly index: number;
  readonly driver: Node;
  readonly group: string;
  readonly tag: Tag;
  /** As the tag has it, before it is scaled for the device. */
  readonly plain: JsonValue;
  readonly value: Value;
}

/** Reading and writing tags of drivers, for clients and for apps. */
export class TagValues {
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

  /** The latest values of a group, at once. Throws NODE_NOT_FOUND, GROUP_NOT_ALLOWED or GROUP_NOT_FOUND. */
  latest(node: string, group: string): GroupReading {
    return this.#state.ports.runtime.reading(this.#state.group(node, group));
  }

  /**
   * Writes one tag, or with `many` all of them or, when one does not pass the checks, none. Resolves once the device has
   * confirmed; rejects with the first fault. `by`: who writes.
   */
  async write(
    node: string,
    group: string,
    tags: readonly TagWrite[],
    many: boolean,
    by?: Writer,
  ): Promise<void> {
    if (many) return this.#writeAll(node, [{ group, tags }], (_, tag) => `tags[${tag}]`, by);
    this.#checkWriteLengths(node, [{ group, tags }]);
    const driver = this.#running(node);
    const [first] = tags;
    if (first === undefined)
      throw new Refusal(ErrorCode.BODY_INVALID, sentence`A write names at least one tag.`);
    const tag = writable(this.#state.group(node, group), first.tag);
    if (isStatic(tag)) return this.#writeStatic(node, group, first);
    const value = ofWrite(tag, '', () => toDevice(tag, first.value, this.#longestText(driver)));
    await this.#writeDevice(driver, [{ tag, value, place: '' }], by);
  }

  /** Writes tags of several groups as `write` does with `many`. */
  async writeGroups(node: string, groups: readonly GroupWrite[], by?: Writer): Promise<void> {
    await this.#writeAll(node, groups, (group, tag) => `groups[${group}].tags[${tag}]`, by);
  }

  /** `placeOf` gives the place of a tag in the request, by the index of its group and its own index. */
  async #writeAll(
    node: string,
    groups: readonly GroupWrite[],
    placeOf: (group: number, tag: number) => string,
    by: Writer | undefined,
  ): Promise<void> {
    this.#checkWriteLengths(node, groups);
    const driver = this.#running(node);
    if (!driver.plugin.writesMany) {
      throw new Refusal(
        ErrorCode.WRITE_TAGS_UNSUPPORTED,
        sentence`The plugin "${driver.plugin.name}" of the node "${node}" writes one tag at a time.`,
      );
    }
    const pace = new Pacer();
    // All tags are looked up before any value is converted: the fault of a missing tag comes before that of a bad value.
    const found: { readonly tag: Tag; readonly value: JsonValue; readonly place: string }[] = [];
    for (const [at, { group, tags }] of groups.entries()) {
      const owner = this.#state.group(node, group);
      for (const [index, { tag, value }] of tags.entries()) {
        found.push({ tag: writableOfMany(owner, tag), value, place: placeOf(at, index) });
        if (pace.isDue) await pace.rest();
      }
    }
    if (found.length === 0)
      throw new Refusal(ErrorCode.BODY_INVALID, sentence`A write names at least one tag.`);
    const longest = this.#longestText(driver);
    const writes: { readonly tag: Tag; readonly value: Value; readonly place: string }[] = [];
    for (const { tag, value, place } of found) {
      writes.push({ tag, value: ofWrite(tag, place, () => toDevice(tag, value, longest)), place });
      if (pace.isDue) await pace.rest();
    }
    await this.#writeDevice(driver, writes, by);
  }

  /**
   * Carries out a request that an app has got, by the rules of the HTTP API: several tags as `writeGroups` does. Entry `i` is the fault of
   * write `i`; when the request is refused as a whole, all entries are the same.
   */
  async writeRequest(writes: readonly AppWrite[], by?: Writer): Promise<readonly (Fault | undefined)[]> {
    const faults = new Array<Fault | undefined>(writes.length).fill(undefined);
    try {
      for (const [driver, entries] of Map.groupBy(writes, ({ driver }) => driver)) {
        const groups = [...Map.groupBy(entries, ({ group }) => group)].map(([group, tags]) => ({
          group,
          tags,
        }));
        const [only] = groups;
        // An app that writes a single tag may do so through a driver that cannot write several.
        if (groups.length === 1 && only !== undefined)
          await this.write(driver, only.group, only.tags, entries.length > 1, by);
        else await this.writeGroups(driver, groups, by);
      }
    } catch (error) {
      if (!isFault(error)) throw error;
      faults.fill(error);
    }
    return faults;
  }

  /**
   * Writes tags for an app, each on its own: entry `i` is the fault of write `i`. Drivers are written to side by side; a driver that cannot
   * write several at once is given one after the other. `isWhole`: nothing is sent unless all writes pass the checks; otherwise each
   * entry is the fault of the first that does not.
   */
  async writeEach(
    writes: readonly AppWrite[],
    by?: Writer,
    isWhole = false,
  ): Promise<readonly (Fault | undefined)[]> {
    const faults = new Array<Fault | undefined>(writes.length).fill(undefined);
    const checked: CheckedWrite[] = [];
    for (const [index, write] of writes.entries()) {
      try {
        checked.push(this.#checked(index, write));
      } catch (error) {
        if (!isFault(error)) throw error;
        faults[index] = error;
      }
    }
    const refusal = faults.find((fault) => fault !== undefined);
    if (isWhole && refusal !== undefined) return faults.fill(refusal);
    const byDriver = Map.groupBy(checked, ({ driver }) => driver);
    await Promise.all([...byDriver].map(([driver, entries]) => this.#send(driver, entries, faults, by)));
    return faults;
  }

  /** Throws the fault of a write that does not pass the checks. */
  #checked(index: number, { driver: node, group, tag: name, value }: AppWrite): CheckedWrite {
    this.#checkWriteLengths(node, [{ group, tags: [{ tag: name, value }] }]);
    const driver = this.#running(node);
    const tag = writable(this.#state.group(node, group), name);
    const plain = plainBit(tag, value);
    const longest = isStatic(tag) ? undefined : this.#longestText(driver);
    return { index, driver, group, tag, plain, value: ofWrite(tag, '', () => toDevice(tag, plain, longest)) };
  }

  /** Sends what has passed the checks, and adds the faults. */
  async #send(
    driver: Node,
    entries: readonly CheckedWrite[],
    faults: (Fault | undefined)[],
    by: Writer | undefined,
  ): Promise<void> {
    const device = entries.filter(({ tag }) => !isStatic(tag));
    const parts = driver.plugin.writesMany && device.length > 0 ? [device] : device.map((entry) => [entry]);
    const attempt = async (
      part: readonly CheckedWrite[],
      work: () => Promise<readonly (Fault | undefined)[]>,
    ): Promise<void> => {
      let results: readonly (Fault | undefined)[];
      try {
        results = await work();
      } catch (error) {
        if (!isFault(error)) throw error;
        results = part.map(() => error);
      }
      for (const [at, { index }] of part.entries()) faults[index] = results[at];
    };
    for (const entry of entries)
      if (isStatic(entry.tag))
        await attempt([entry], async () => {
          await this.#writeStatic(driver.name, entry.group, { tag: entry.tag.name, value: entry.plain });
          return [undefined];
        });
    for (const part of parts) await attempt(part, () => this.#state.ports.runtime.write(driver, part, by));
  }

  /**
   * Reads one value from a driver's device as a tag of this address and type would, without scaling and byte order; the tag need not
   * exist. Rejects with the code that adding such a tag would be refused with, or with the fault of the read.
   */
  async test(node: string, group: string, tag: TagDraft): Promise<Value> {
    checkLengths(node, group);
    const { nodes, links } = this.#state;
    const fault = checkTag(tag, longestAddress(this.#state.ports.dialect, nodes.get(node)?.plugin));
    const isTooLong =
      fault?.code === ErrorCode.TAG_NAME_TOO_LONG || fault?.code === ErrorCode.TAG_ADDRESS_TOO_LONG;
    if (isTooLong) throw fault;
    const driver = this.#running(node);
    if (fault !== undefined) throw fault;
    if (isStatic(tag)) {
      throw new Refusal(
        ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
        sentence`A static tag has nothing to read from a device.`,
      );
    }
    const [refusal] = await this.#state.ports.runtime.checkTags(driver.plugin, [tag], driver.settings);
    const unlinked = refusal ?? links.check(driver)(tag);
    if (unlinked !== undefined) throw unlinked;
    const inputs = driver.plugin.inputs === true ? links.groupsOf(tag.address) : [];
    const value = await this.#state.ports.runtime.test(driver, tag, inputs);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new Refusal(
        ErrorCode.VALUE_EXPIRED,
        sentence`The device answered with ${value}, which is no number.`,
      );
    }
    return typeof value === 'boolean' && tag.type === DataType.BIT ? Number(value) : value;
  }

  /** Lists what a driver's device has at one place, page by page. Rejects with SCAN_UNSUPPORTED, NOT_RUNNING or the driver's fault. */
  async browse(node: string, request: BrowseRequest): Promise<BrowsePage> {
    checkLengths(node);
    const driver = this.#state.driver(node);
    if (!driver.plugin.browses) {
      throw new Refusal(
        ErrorCode.SCAN_UNSUPPORTED,
        sentence`The plugin "${driver.plugin.name}" of the node "${node}" cannot list what a device has.`,
      );
    }
    return this.#state.ports.runtime.browse(this.#running(node), request);
  }

  /** Bytes of UTF-8 of the longest text that may be written to the device of this driver. */
  #longestText({ plugin }: Node): number {
    return Math.min(plugin.longestText ?? Limits.stringValue, this.#state.ports.dialect.longestText);
  }

  #checkWriteLengths(node: string, groups: readonly GroupWrite[]): void {
    checkLengths(node, ...groups.map(({ group }) => group));
    const driver = this.#state.nodes.get(node);
    const longest = driver === undefined ? Limits.stringValue : this.#longestText(driver);
    for (const { tag, value } of groups.flatMap(({ tags }) => tags)) {
      checkTagLength(tag);
      if (typeof value === 'string') checkString(value, longest, tag);
    }
  }

  /** Throws NODE_NOT_FOUND, GROUP_NOT_ALLOWED for an app, NOT_RUNNING. */
  #running(node: string): Node {
    const driver = this.#state.driver(node);
    if (driver.running !== RunningState.RUNNING) {
      throw new Refusal(ErrorCode.NOT_RUNNING, sentence`The node "${node}" is not running.`);
    }
    return driver;
  }

  async #writeDevice(
    driver: Node,
    writes: readonly { readonly tag: Tag; readonly value: Value; readonly place: string }[],
    by: Writer | undefined,
  ): Promise<void> {
    const faults = await this.#state.ports.runtime.write(driver, writes, by);
    for (const [index, { tag, place }] of writes.entries()) {
      const fault = faults[index];
      if (fault !== undefined) throw faultOfWrite(fault, tag, place);
    }
  }

  async #writeStatic(node: string, name: string, { tag: tagName, value }: TagWrite): Promise<void> {
    await this.#state.changeValues(async () => {
      const group = this.#state.group(node, name);
      const tag = writable(group, tagName);
      if (!isStatic(tag))
        throw new Refusal(ErrorCode.TAG_NOT_FOUND, sentence`The tag "${tagName}" is not static any more.`);
      const raw = ofWrite(tag, '', () => toDevice(tag, value));
      const next = { ...tag, value: raw instanceof Uint8Array ? [...raw] : raw };
      await this.#state.commit({ set: [[keys.tag(group.id, tag.id), tagRecord(next)]] });
      group.tags.set(tagName, next);
      this.#state.ports.runtime.changed(group);
    });
  }
}

/** Apps may give `true` or 1 for BIT and BOOL alike. */
function plainBit({ type }: Tag, value: JsonValue): JsonValue {
  if (type === DataType.BIT && typeof value === 'boolean') return value ? 1 : 0;
  if (type === DataType.BOOL && (value === 0 || value === 1)) return value === 1;
  return value;
}

function writable(group: Group, name: string): Tag {
  const tag = tagNamed(group, name);
  return isWritable(tag)
    ? tag
    : refuse(ErrorCode.TAG_NOT_WRITABLE, sentence`The tag "${name}" may not be written.`);
}

/** As `writable`. In a write of several tags, a tag that is static or may not be written counts as missing. */
function writableOfMany(group: Group, name: string): Tag {
  const tag = group.tags.get(name);
  if (tag !== undefined && !isStatic(tag) && isWritable(tag)) return tag;
  const text = sentence`The group "${group.name}" has no tag "${name}" on a device that may be written.`;
  return refuse(ErrorCode.TAG_NOT_FOUND, text);
}

import { DataType, type Values } from '@tagway/sdk';
import type { TrapAddress } from '../address.ts';
import { put, textOf, type Target } from '../decode.ts';
import { noTrapYet } from '../faults.ts';
import { textOfOid, type Names } from '../names/names.ts';
import { Cursor } from '../wire/ber.ts';
import { isBelow, oidText } from '../wire/oid.ts';
import type { Notification } from './notification.ts';

/** Longest text of a notification. */
const longest = 8_000;

/** What a tag of notifications has seen. */
export class TrapValue {
  readonly #address: TrapAddress;
  readonly #names: Names;
  readonly #cursor = new Cursor();
  #count = 0;
  #text: string | undefined;
  #value: Buffer | undefined;

  constructor(address: TrapAddress, names: Names) {
    this.#address = address;
    this.#names = names;
  }

  /** Whether the notification has something for it, which it then keeps. */
  take({ oids, objects }: Notification): boolean {
    const { notification, object } = this.#address;
    if (notification !== undefined && !oids.some((oid) => oid.equals(notification))) return false;
    if (object !== undefined) {
      const found = objects.find(({ oid }) => isBelow(oid, object));
      if (found === undefined) return false;
      this.#value = found.value;
      return true;
    }
    this.#count++;
    this.#text = this.#textOf({ oids, objects });
    return true;
  }

  put(target: Target, into: Values): void {
    if (this.#address.object === undefined) {
      if (target.type !== DataType.STRING) return this.#putCount(target, into);
      return this.#text === undefined
        ? into.fault(target.point, noTrapYet)
        : into.text(target.point, this.#text);
    }
    if (this.#value === undefined) return into.fault(target.point, noTrapYet);
    const cursor = this.#cursor.begin(this.#value);
    cursor.next();
    put(cursor, target, into);
  }

  /** How often it came, as an agent would send a Counter32; for a truth value, whether it ever came. */
  #putCount(target: Target, into: Values): void {
    const isTruth = target.type === DataType.BIT || target.type === DataType.BOOL;
    const count = isTruth ? Math.min(1, this.#count) : this.#count;
    const counter = Buffer.of(0x41, 4, 0, 0, 0, 0);
    counter.writeUInt32BE(count >>> 0, 2);
    const cursor = this.#cursor.begin(counter);
    cursor.next();
    put(cursor, target, into);
  }

  /** JSON of the notification and its objects, as text by their names. */
  #textOf({ oids, objects }: Pick<Notification, 'oids' | 'objects'>): string {
    const known = oids.find((oid) => this.#names.at(oidText(oid) ?? '') !== undefined) ?? oids[0]!;
    const shown: Record<string, string> = {};
    let size = 0;
    for (const { oid, value } of objects) {
      const cursor = this.#cursor.begin(value);
      const syntax = this.#names.nearest(oidText(oid) ?? '')?.object.syntax;
      const text = cursor.next() ? textOf(cursor, syntax) : undefined;
      const name = textOfOid(this.#names, oid);
      size += name.length + (text?.length ?? 0) + 6;
      if (size > longest) break;
      if (text !== undefined) shown[name] = text;
    }
    return JSON.stringify({ notification: textOfOid(this.#names, known), objects: shown });
  }
}

/** What all tags of notifications of a node have seen. */
export class TrapValues {
  readonly #names: () => Names;
  readonly #values = new Map<string, TrapValue>();

  constructor(names: () => Names) {
    this.#names = names;
  }

  of(address: TrapAddress): TrapValue {
    const key = `${address.notification?.toString('latin1')} ${address.object?.toString('latin1')}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = new TrapValue(address, this.#names());
    this.#values.set(key, value);
    return value;
  }

  /** The values that the notification has changed. */
  take(notification: Notification): ReadonlySet<TrapValue> {
    const changed = new Set<TrapValue>();
    for (const value of this.#values.values()) if (value.take(notification)) changed.add(value);
    return changed;
  }
}

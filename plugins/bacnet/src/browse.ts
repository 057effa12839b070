import {
  DataType,
  ErrorCode,
  Fault,
  isFault,
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
} from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { textOf } from './decode.ts';
import { TagCursor } from './encoding.ts';
import { refusalOf, type Exchange } from './exchange.ts';
import { undecodable } from './faults.ts';
import type { FoundDevice } from './discovery.ts';
import { areaNames, instanceOf, ObjectType, objectOf, Property, propertyName, typeOf } from './properties.ts';
import { Kind, Service } from './protocol.ts';
import { openReadProperty, readProperty, type PropertyRef } from './services.ts';
import type { DeviceInfo } from './session.ts';
import { unitName } from './units.ts';

/** Entries on one page: each takes up to three requests. */
const pageSize = 100;

/** Most objects that are listed. */
const mostObjects = 100_000;

/** The id of the list of devices that answer to Who-Is. */
export const networkId = 'network';

const noInstance = new Fault(
  ErrorCode.READ_FAILED,
  'The device does not give its instance number, which is needed to list its objects: set device_id.',
);

export interface BrowserParts {
  readonly exchange: Exchange;
  readonly find: (signal: AbortSignal) => Promise<readonly FoundDevice[]>;
}

/** Lists the objects of a device, the properties of an object, and the devices of the network. */
export class Browser {
  readonly #parts: BrowserParts;
  /** The object list of the last session that was asked for it, for further pages. */
  #kept: { readonly device: DeviceInfo; readonly objects: readonly number[] } | undefined;

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  /** The cursor is the number of the entry with which the page begins. `device` is undefined while the device is not there. */
  async browse(
    { id, cursor }: BrowseRequest,
    device: DeviceInfo | undefined,
    signal: AbortSignal,
  ): Promise<BrowsePage> {
    if (id === networkId) return this.#network(signal);
    if (device === undefined) throw disconnected;
    if (id !== '') return this.#properties(id, signal);
    const from = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new Fault(ErrorCode.READ_FAILED, `"${cursor}" is not where a page of this list begins.`);
    return this.#objects(device, from, signal);
  }

  async #network(signal: AbortSignal): Promise<BrowsePage> {
    const found = await this.#parts.find(signal);
    const entries = found.map((device) => ({
      name: `Device ${device.instance}`,
      id: `${networkId}/${device.instance}`,
      readable: false,
      type: 0 as const,
      description: placeOf(device),
    }));
    return { total: entries.length, type: 0, isArray: false, entries };
  }

  async #objects(device: DeviceInfo, from: number, signal: AbortSignal): Promise<BrowsePage> {
    const objects =
      from > 0 && this.#kept?.device === device ? this.#kept.objects : await this.#list(device, signal);
    this.#kept = { device, objects };
    const page = objects.slice(from, from + pageSize);
    const entries = await Promise.all(page.map((object) => this.#describe(object, signal)));
    const next = from + page.length;
    if (from === 0)
      entries.unshift({
        name: 'Devices on the network',
        id: networkId,
        readable: false,
        type: 0,
        description: 'Asks all devices who they are (Who-Is).',
      });
    return {
      total: objects.length + 1,
      type: 0,
      isArray: false,
      entries,
      ...(next < objects.length && { cursor: String(next) }),
    };
  }

  /** All objects whose type this driver has an area for: at once if the device can send that, otherwise one by one. */
  async #list({ instance }: DeviceInfo, signal: AbortSignal): Promise<readonly number[]> {
    if (instance === undefined) throw noInstance;
    const object = objectOf(ObjectType.DEVICE, instance);
    const whole = await this.#read({ object, property: Property.OBJECT_LIST, index: undefined }, signal);
    const all = isFault(whole) ? await this.#listByIndex(object, signal) : unsignedIn(whole);
    return all.filter((one) => areaNames.has(typeOf(one)));
  }

  async #listByIndex(object: number, signal: AbortSignal): Promise<readonly number[]> {
    const property = Property.OBJECT_LIST;
    const size = await this.#read({ object, property, index: 0 }, signal);
    if (isFault(size)) throw size;
    const count = size.next() ? size.unsigned() : NaN;
    if (!(count <= mostObjects)) throw undecodable;
    const elements = await Promise.all(
      Array.from({ length: count }, (_, at) => this.#read({ object, property, index: at + 1 }, signal)),
    );
    return elements.flatMap((element) => (isFault(element) ? [] : unsignedIn(element)));
  }

  async #describe(object: number, signal: AbortSignal): Promise<BrowseEntry> {
    const text = async (property: number): Promise<string> => {
      const value = await this.#read({ object, property, index: undefined }, signal);
      return !isFault(value) && value.next() ? (textOf(value) ?? '') : '';
    };
    const id = `${areaNames.get(typeOf(object))}${instanceOf(object)}`;
    const type = presentType(object);
    const isAnalog = type === DataType.FLOAT;
    const [name, description, units] = await Promise.all([
      text(Property.OBJECT_NAME),
      text(Property.DESCRIPTION),
      isAnalog ? text(Property.UNITS) : '',
    ]);
    const unit = unitName(units);
    const known = { ...(description !== '' && { description }), ...(unit !== '' && { unit }) };
    return { name: name === '' ? id : name, id, readable: type !== 0, type, ...known };
  }

  /** The properties of an object that have a name; where the device does not list them, those that every object has. */
  async #properties(id: string, signal: AbortSignal): Promise<BrowsePage> {
    const address = parseAddress(id.startsWith('DEV') && !id.includes('.') ? `${id}.Object_Name` : id);
    if (isFault(address) || id.includes('.'))
      throw new Fault(ErrorCode.READ_FAILED, `"${id}" is not the id of an object, such as AI3.`);
    const { object } = address;
    const name = await this.#read({ object, property: Property.OBJECT_NAME, index: undefined }, signal);
    if (isFault(name)) throw name;
    const listed = await this.#read({ object, property: Property.PROPERTY_LIST, index: undefined }, signal);
    const numbers = [Property.OBJECT_NAME, ...(isFault(listed) ? requiredOf(object) : unsignedIn(listed))];
    const entries = numbers.flatMap((number): BrowseEntry[] => {
      const property = propertyName(number);
      if (property === undefined) return [];
      const type = number === Property.PRESENT_VALUE ? presentType(object) : DataType.STRING;
      return [{ name: property, id: `${id}.${property}`, readable: true, type }];
    });
    return { total: entries.length, type: presentType(object), isArray: false, entries };
  }

  /** The value of a property, with the cursor before its first tag; or why the device does not give it. */
  async #read(item: PropertyRef, signal: AbortSignal): Promise<TagCursor | Fault> {
    const answer = await this.#parts.exchange.ask(Service.READ_PROPERTY, readProperty(item), signal);
    if (isFault(answer)) throw answer;
    if (answer.kind !== Kind.COMPLEX_ACK) return refusalOf(answer) ?? undecodable;
    const cursor = new TagCursor().begin(answer.data);
    return openReadProperty(cursor, item) ? cursor : undecodable;
  }
}

function placeOf({ host, port, network, mac, vendor }: FoundDevice): string {
  const route = network === 0 ? '' : `, network ${network}, mac ${mac.toUpperCase()}`;
  return `host ${host}, port ${port}${route}, vendor ${vendor}`;
}

function unsignedIn(cursor: TagCursor): number[] {
  const objects: number[] = [];
  while (cursor.next() && !cursor.isClosing) objects.push(cursor.unsigned());
  return objects;
}

function requiredOf(object: number): readonly number[] {
  return presentType(object) === 0 ? [] : [Property.PRESENT_VALUE, Property.STATUS_FLAGS];
}

/** The type of a tag for the present value of an object; 0: it has none. */
function presentType(object: number): DataType | 0 {
  const area = areaNames.get(typeOf(object)) ?? 'DEV';
  if (area === 'DEV') return 0;
  if (area.startsWith('B')) return DataType.BIT;
  return area.startsWith('MS') ? DataType.UINT16 : area === 'ACC' ? DataType.UINT32 : DataType.FLOAT;
}

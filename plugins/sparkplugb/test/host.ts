import { expect } from 'chai';
import { connectAsync, type MqttClient } from 'mqtt';
import { get } from 'sparkplug-payload';
import { until } from '@tagway/testkit';
import { decode, plain, valueFields, type WireMetric, type WirePayload } from './oracle.ts';

export const spb = get('spBv1.0') as NonNullable<ReturnType<typeof get>>;

/** A decoded message of the edge node. */
export interface HostMessage {
  readonly type: string;
  readonly device: string | undefined;
  readonly payload: WirePayload;
  readonly qos: number;
  readonly retain: boolean;
}

/** The metrics of the node or of one device since its birth, by their names. */
interface Known {
  readonly types: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<number, string>;
  readonly values: Map<string, unknown>;
}

/**
 * A host that listens to one edge node, `plant/edge`, and checks every message by the rules for all messages: topics, quality
 * of service, sequence numbers, order of births and data, timestamps, names, aliases and types. `flaws` is what it found.
 */
export class Host implements AsyncDisposable {
  readonly messages: HostMessage[] = [];
  readonly flaws: string[] = [];
  readonly client: MqttClient;
  /** By device; the node itself under the empty name. */
  readonly #known = new Map<string, Known>();
  #seq: number | undefined;
  #bdSeq: string | undefined;

  private constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, bytes, { qos, retain }) => {
      const [namespace, group, type = '', node, device, ...rest] = topic.split('/');
      if (type === 'STATE' || group === 'STATE' || type.endsWith('CMD')) return;
      this.#check(
        `${namespace}/${group}/${node}` === 'spBv1.0/plant/edge' && rest.length === 0,
        `topic ${topic}`,
      );
      const message = { type, device, payload: decode(bytes), qos, retain };
      this.messages.push(message);
      this.#judge(message);
    });
  }

  static async connect(port: number): Promise<Host> {
    const host = new Host(await connectAsync({ host: '127.0.0.1', port, reconnectPeriod: 50 }));
    await host.client.subscribeAsync('spBv1.0/#', { qos: 1 });
    return host;
  }

  /** The types of the messages so far, with their devices: `DDATA modbus`. */
  get order(): string[] {
    return this.messages.map(({ type, device }) => (device === undefined ? type : `${type} ${device}`));
  }

  of(type: string): HostMessage[] {
    return this.messages.filter((message) => message.type === type);
  }

  /** Waits for so many messages of a type, and returns the last of them. */
  async wait(type: string, count = 1): Promise<HostMessage> {
    await until(
      `${count} ${type} have come after ${this.order.join(', ')}`,
      () => this.of(type).length >= count,
    );
    return this.of(type)[count - 1] as HostMessage;
  }

  /** The value of a metric of a device, as the host has it from births and data that are not historical. */
  value(name: string, device = 'modbus'): unknown {
    return this.#known.get(device)?.values.get(name);
  }

  /** Sends a command to the node or to a device. */
  async command(
    metrics: readonly object[],
    device?: string,
    options: { retain?: boolean } = {},
  ): Promise<void> {
    const payload = spb.encodePayload({ timestamp: Date.now(), metrics: [...metrics] as never });
    const topic = device === undefined ? 'spBv1.0/plant/NCMD/edge' : `spBv1.0/plant/DCMD/edge/${device}`;
    await this.client.publishAsync(topic, Buffer.from(payload), { qos: 0, ...options });
  }

  async rebirth(): Promise<void> {
    await this.command([{ name: 'Node Control/Rebirth', type: 'Boolean', value: true }]);
  }

  async state(id: string, online: boolean, timestamp: number): Promise<void> {
    const payload = JSON.stringify({ online, timestamp });
    await this.client.publishAsync(`spBv1.0/STATE/${id}`, payload, { qos: 1, retain: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.endAsync(true);
    expect(this.flaws).to.deep.equal([]);
  }

  #check(holds: boolean, flaw: string): void {
    if (!holds)
      this.flaws.push(`${flaw} in message ${this.messages.length} after ${this.order.slice(-4).join(', ')}`);
  }

  #judge({ type, device, payload, qos, retain }: HostMessage): void {
    const isOfDevice = type.startsWith('D');
    this.#check(['NBIRTH', 'NDEATH', 'DBIRTH', 'DDEATH', 'DDATA'].includes(type), `type ${type}`);
    this.#check((device !== undefined) === isOfDevice, 'a device id in the topic');
    this.#check(!retain && qos === (type === 'NDEATH' ? 1 : 0), `quality of service ${qos} or retain`);
    this.#check(isNow(payload.timestamp?.toNumber()), 'timestamp of the payload');
    if (type === 'NDEATH') return this.#judgeDeath(payload);
    this.#judgeSeq(type, payload);
    const id = device ?? '';
    if (type === 'NBIRTH') {
      this.#known.clear();
      this.#bdSeq = String(payload.metrics.find(({ name }) => name === 'bdSeq')?.longValue);
      const control = payload.metrics.find(({ name }) => name === 'Node Control/Rebirth');
      this.#check(control?.datatype === 11 && control.booleanValue === false, 'Node Control/Rebirth');
      this.#check(
        control !== undefined && !Object.hasOwn(control, 'alias'),
        'an alias of Node Control/Rebirth',
      );
    }
    this.#check(type === 'NBIRTH' || this.#known.has(''), `${type} before NBIRTH`);
    if (type === 'NBIRTH' || type === 'DBIRTH') this.#takeBirth(id, payload);
    if (type === 'DDATA') this.#update(id, payload);
    if (type === 'DDEATH') {
      this.#check(this.#known.delete(id), 'death of a device that was not born');
      this.#check(payload.metrics.length === 0, 'metrics of a dead device');
    }
  }

  #judgeDeath({ metrics, ...payload }: WirePayload): void {
    this.#check(!Object.hasOwn(payload, 'seq'), 'a sequence number in NDEATH');
    const [only] = metrics;
    this.#check(metrics.length === 1 && only?.name === 'bdSeq' && only.datatype === 4, 'metrics of NDEATH');
    const number = String(only?.longValue);
    this.#check(this.#bdSeq === undefined || this.#bdSeq === number, 'bdSeq of NDEATH');
    this.#known.clear();
    this.#bdSeq = undefined;
    this.#seq = undefined;
  }

  #judgeSeq(type: string, { seq }: WirePayload): void {
    const number = seq?.toNumber();
    const expected = type === 'NBIRTH' ? 0 : ((this.#seq ?? NaN) + 1) % 256;
    this.#check(number === expected, `sequence number ${number} for ${expected}`);
    this.#seq = number;
  }

  #takeBirth(id: string, { metrics }: WirePayload): void {
    const types = new Map<string, number>();
    const names = new Map<number, string>();
    const values = new Map<string, unknown>();
    for (const metric of metrics) {
      const { name = '', datatype = 0 } = metric;
      this.#judgeMetric(metric);
      this.#check(name !== '' && !types.has(name), `name "${name}"`);
      this.#check([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17].includes(datatype), `data type of ${name}`);
      types.set(name, datatype);
      values.set(name, plain(metric));
      if (!Object.hasOwn(metric, 'alias')) continue;
      const alias = metric.alias?.toNumber() as number;
      this.#check(
        ![...this.#known.values()].some(({ names: others }) => others.has(alias)) ||
          this.#known.get(id)?.names.has(alias) === true,
        `alias of ${name}`,
      );
      this.#check(!names.has(alias), `alias of ${name}`);
      names.set(alias, name);
    }
    this.#known.set(id, { types, names, values });
  }

  #update(id: string, { metrics }: WirePayload): void {
    const known = this.#known.get(id);
    this.#check(known !== undefined, `data of ${id} before its birth`);
    this.#check(metrics.length > 0, 'data without metrics');
    for (const metric of metrics) {
      this.#judgeMetric(metric);
      const name = Object.hasOwn(metric, 'name')
        ? metric.name
        : known?.names.get(metric.alias?.toNumber() as number);
      const byAlias = (known?.names.size ?? 0) > 0;
      this.#check(byAlias !== Object.hasOwn(metric, 'name'), 'name beside alias, or none');
      this.#check(!Object.hasOwn(metric, 'datatype'), 'a data type in data');
      const type = known?.types.get(name ?? '');
      this.#check(type !== undefined, `metric ${name} without a birth`);
      const [field] = valueFields(metric);
      this.#check(field === undefined || field === fieldOf(type ?? 0), `value of ${name}`);
      if (metric.isHistorical !== true) known?.values.set(name ?? '', plain(metric));
    }
  }

  #judgeMetric(metric: WireMetric): void {
    this.#check(
      Object.hasOwn(metric, 'timestamp') && (metric.timestamp?.toNumber() ?? 0) > 1e12,
      'timestamp of a metric',
    );
    const isNull = metric.isNull === true;
    this.#check(valueFields(metric).length === (isNull ? 0 : 1), `value of ${metric.name}`);
    const { properties } = metric;
    if (!Object.hasOwn(metric, 'properties') || properties === undefined) return;
    this.#check(properties.keys.length === properties.values.length, 'sizes of the property set');
    for (const value of properties.values)
      this.#check(value.type === 3 && [0, 192, 500].includes(value.intValue), 'quality');
  }
}

/** A payload says when it was published. */
function isNow(time: number | undefined): boolean {
  return time !== undefined && Math.abs(Date.now() - time) < 120_000;
}

/** Source: Sparkplug 3.0, 6.4.16. */
function fieldOf(type: number): string {
  if ([4, 8].includes(type)) return 'longValue';
  if (type <= 7) return 'intValue';
  const fields = new Map([
    [9, 'floatValue'],
    [10, 'doubleValue'],
    [11, 'booleanValue'],
    [12, 'stringValue'],
    [17, 'bytesValue'],
  ]);
  return fields.get(type) ?? '';
}

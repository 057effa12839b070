/** What goes to a topic, as it waits for the cluster: version (1 byte), time (8), topic and key with their lengths (2 each), value. */
const version = 1;
const headLength = 13;

export interface Outgoing {
  readonly topic: string;
  /** Records with the same key go to the same partition, and keep their order. Empty: they are spread over the partitions. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Where a record goes, for people. */
export function topicWithKey({ topic, key }: Pick<Outgoing, 'topic' | 'key'>): string {
  return key === '' ? topic : `${topic} (key ${key})`;
}

export function encodeOutgoing({ topic, key, time }: Outgoing, value: Uint8Array): Buffer {
  const topicLength = Buffer.byteLength(topic);
  const keyLength = Buffer.byteLength(key);
  const record = Buffer.allocUnsafe(headLength + topicLength + keyLength + value.length);
  record[0] = version;
  record.writeDoubleBE(time, 1);
  record.writeUInt16BE(topicLength, 9);
  record.writeUInt16BE(keyLength, 11);
  record.write(topic, headLength);
  record.write(key, headLength + topicLength);
  record.set(value, headLength + topicLength + keyLength);
  return record;
}

/** Undefined: it is none that this version can read. */
export function decodeOutgoing(data: Uint8Array): (Outgoing & { readonly value: Buffer }) | undefined {
  const record = Buffer.from(data.buffer, data.byteOffset, data.length);
  if (record.length < headLength || record[0] !== version) return undefined;
  const keyAt = headLength + record.readUInt16BE(9);
  const valueAt = keyAt + record.readUInt16BE(11);
  return {
    topic: record.toString('utf8', headLength, keyAt),
    key: record.toString('utf8', keyAt, valueAt),
    time: record.readDoubleBE(1),
    value: record.subarray(valueAt),
  };
}

// What a plugin may do to its gateway, by name: each is a call without arguments.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { DefaultDeserializer, DefaultSerializer } from 'node:v8';

/** The descriptor of the stream between runner and gateway. */
const channel = 3;

/** How the runner says that numbers follow as they are; before it stand the narrow forms, by their number. */
const wide = 3;
const narrow = [Int16Array, Int32Array, Float32Array];

class Writer extends DefaultSerializer {
  _writeHostObject(view) {
    this.writeUint32(wide);
    return super._writeHostObject(view);
  }
}

class Reader extends DefaultDeserializer {
  _readHostObject() {
    const width = this.readUint32();
    if (width === wide) return super._readHostObject();
    const bytes = Uint8Array.from(this.readRawBytes(this.readUint32()));
    return Float64Array.from(new narrow[width](bytes.buffer));
  }
}

/** The bytes of a message as the runner sends it, whatever it is. */
function framed(message) {
  const writer = new Writer();
  writer.writeHeader();
  writer.writeValue(message);
  const bytes = writer.releaseBuffer();
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const later = (work) => () => void setTimeout(work, 1);

/** Tries what only the gateway's own user may do, and writes what came of it into the folder of the node. */
function reachOut(folder) {
  const data = join(folder, '../..');
  const gateway = process.ppid;
  const attempts = {
    'the key of tokens': () => readFileSync(join(data, 'keys/token.pem')),
    'the key of secrets': () => readFileSync(join(data, 'keys/secrets.key')),
    'the database': () => readFileSync(join(data, 'tagway.sqlite')),
    'the log': () => readFileSync(join(data, 'logs/tagway.log')),
    'the audit': () => readdirSync(join(data, 'audit')),
    'the names in the data folder': () => readdirSync(data),
    'a new file in the data folder': () => writeFileSync(join(data, 'new'), ''),
    'a key that is trusted': () => writeFileSync(join(data, 'issuers/new.pem'), ''),
    'the library of another plugin': () => writeFileSync(join(data, 'libraries/bystander/index.js'), ''),
    'the own library': () => writeFileSync(join(import.meta.dirname, 'index.js'), ''),
    'the environment of the gateway': () => readFileSync(`/proc/${gateway}/environ`),
    'the memory of the gateway': () => readFileSync(`/proc/${gateway}/maps`),
    'an end of the gateway': () => process.kill(gateway, 'SIGSTOP') && process.kill(gateway, 'SIGCONT'),
    'the rights of root': () => process.setuid(0),
  };
  const got = Object.keys(attempts).filter((what) => {
    try {
      attempts[what]();
      return true;
    } catch {
      return false;
    }
  });
  const groups = process.getgroups();
  writeFileSync(join(folder, 'reached'), JSON.stringify({ got, uid: process.getuid(), groups }));
}

/** Messages of a wrong shape, by name. */
const messages = {
  nothing: null,
  text: 'hello',
  'no-kind': { id: 1 },
  'kind-of-the-prototype': { op: 'toString' },
  'log-level': { op: 'log', node: undefined, level: 'constructor', message: 'hello' },
  'log-message': { op: 'log', node: undefined, level: 'error', message: { a: 1 } },
  'sample-without-group': { op: 'sample' },
  'meter-value': { op: 'meters', node: 1, meters: [{ name: 'a', kind: 'gauge', value: '1\nforged 2' }] },
  meters: { op: 'meters', node: 1, meters: 7 },
  'link-state': { op: 'link', node: 1, link: 99 },
  'refusal-without-fault': { op: 'refused', node: 1 },
  'request-of-nothing': { op: 'request', id: 1 },
  'answer-without-number': { op: 'answer', id: 'x', fault: 5 },
  'answer-with-code-0': { op: 'answer', id: 1, fault: { code: 0, message: '', retry: true } },
};

/** Samples that do not fit the layout of the group, by name. */
const samples = {
  'numbers-that-are-too-many': { numbers: new Float64Array(7) },
  'numbers-of-another-kind': { numbers: [1] },
  'numbers-that-are-not-finite': { numbers: Float64Array.of(NaN) },
  'objects-that-are-none': { objects: [{ toJSON: 1 }] },
  'fault-with-code-0': { faults: Int32Array.of(0, 0) },
  'fault-of-no-column': { faults: Int32Array.of(77, 2001) },
  'row-of-no-column': { rows: Uint32Array.of(77) },
  'time-that-is-none': { timestamp: 1e300 },
  'layout-of-its-own': { layout: { columns: [] } },
};

/** From now on puts something else into every sample on its way to the gateway. */
function corruptSamples(more) {
  const write = Socket.prototype.write;
  Socket.prototype.write = function (chunk, ...rest) {
    const message = messageIn(chunk);
    if (message?.op !== 'sample') return write.call(this, chunk, ...rest);
    return write.call(this, framed({ ...message, sample: { ...message.sample, ...more } }), ...rest);
  };
}

function messageIn(chunk) {
  try {
    const reader = new Reader(chunk.subarray(4));
    reader.readHeader();
    return reader.readValue();
  } catch {
    return undefined;
  }
}

const kept = [];

/** Starts processes that outlive what starts them, and notes their numbers in a file. */
function startChildren(folder) {
  const options = { stdio: 'ignore' };
  const children = [
    spawn('sleep', ['300'], options),
    spawn('sleep', ['300'], { ...options, detached: true }),
    spawn('env', ['-i', '/bin/sh', '-c', 'sleep 300 & echo $! > "$0"; wait', join(folder, 'grandchild')], {
      ...options,
      detached: true,
    }),
    spawn('/bin/sh', ['-c', 'setsid sleep 300 & echo $! > "$0"', join(folder, 'orphan')], options),
  ];
  writeFileSync(join(folder, 'children'), children.map(({ pid }) => pid).join(' '));
}

/** Writes and reads the tags of another driver, in the name of every node that there may be. */
function commandOthers() {
  const writes = [{ driver: 'bystander', group: 'group', tag: 'command', value: 'exit' }];
  for (let node = 1; node < 50; node++) {
    const requests = [
      { op: 'write', node, app: 'app', writes, request: false },
      { op: 'write', node, app: 'app', writes, request: true },
    ];
    requests.forEach((request, index) => {
      writeSync(channel, framed({ op: 'request', id: 1e6 + 10 * node + index, request }));
    });
  }
}

/** `folder` is the data folder of the node. */
export const misdeedsIn = (folder) => ({
  ...Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      name,
      later(() => writeSync(channel, framed(message))),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(samples).map(([name, more]) => [name, later(() => corruptSamples(more))]),
  ),
  bytes: later(() => writeSync(channel, Buffer.from('{"op":"sample"}\n'.repeat(8)))),
  'short-bytes': later(() => writeSync(channel, Buffer.from([9, 0, 0, 0, 255, 15, 34, 200, 2, 3, 4, 5, 6]))),
  'a-gigabyte': later(() => writeSync(channel, Buffer.from([0, 0, 0, 64, 255, 15, 34]))),
  block: later(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
  print: later(() => {
    const chunk = Buffer.alloc(8 << 20, 'x');
    for (let i = 0; i < 75; i++) writeSync(1, chunk);
    writeSync(1, '\n');
  }),
  'print-lines': later(() => {
    for (let i = 0; i < 20_000; i++) process.stdout.write(`line ${i}\n`);
  }),
  'take-memory': () => {
    setInterval(() => kept.push(Buffer.alloc(32 << 20, 1)), 20);
  },
  // In one turn: nothing else runs until it has failed. `peak` holds the megabytes that it had got.
  'burst-memory': later(() => {
    const most = 40;
    for (let count = 1; count <= most; count++) {
      kept.push(Buffer.alloc(32 << 20, 1));
      writeFileSync(join(folder, 'peak'), String(count * 32));
    }
  }),
  'burst-heap': later(() => {
    for (;;) kept.push(new Array(10_000).fill(kept.length));
  }),
  children: () => startChildren(folder),
  'reach-out': () => reachOut(folder),
  'command-others': commandOthers,
});

/** Codes that no fault may have, by what a write is given. */
export const codes = {
  'code 0': 0,
  'code NaN': NaN,
  'code 1e300': 1e300,
  'code undefined': undefined,
  'code text': '0,"error":0',
  'code -1': -1,
  'code 2001.5': 2001.5,
};

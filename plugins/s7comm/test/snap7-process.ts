// A snap7 server: argument, JSON of `Seed`. It tells its parent the port, answers its commands, and ends with it.
import { EventEmitter } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';

export interface Seed {
  /** Path of the compiled binding. */
  readonly binding: string;
  readonly pdu: number;
  /** Areas by their names in snap7 (PE, PA, MK), as hexadecimal bytes. */
  readonly areas?: Readonly<Record<string, string>>;
  /** Data blocks by number. */
  readonly blocks?: Readonly<Record<number, string>>;
  /** Callback mode: words of timers and counters, by area code and number. Nothing else exists then. */
  readonly words?: Readonly<Record<string, number>>;
}

export type Command = { readonly area: string; readonly block: number } | { readonly written: true };

interface Tag {
  readonly Area: number;
  readonly DBNumber: number;
  readonly Start: number;
  readonly Size: number;
  readonly WordLen: number;
}

interface Server extends EventEmitter {
  SetParam(id: number, value: number): boolean;
  RegisterArea(area: number, ...rest: readonly (number | Buffer)[]): boolean;
  GetArea(area: number, block?: number): Buffer;
  SetResourceless(on: boolean): boolean;
  StartTo(address: string): boolean;
  readonly srvAreaDB: number;
}

const seed = JSON.parse(process.argv[2] ?? '{}') as Seed;
const { S7Server } = createRequire(import.meta.url)(seed.binding) as { S7Server: new () => Server };
Object.setPrototypeOf(S7Server.prototype, EventEmitter.prototype);
const server = new S7Server();
const codes: Readonly<Record<string, number>> = { PE: 0, PA: 1, MK: 2, CT: 3, TM: 4, DB: 5 };
const localPort = 1;
const pduRequest = 10;

for (const [name, bytes] of Object.entries(seed.areas ?? {}))
  server.RegisterArea(codes[name]!, Buffer.from(bytes, 'hex'));
for (const [number, bytes] of Object.entries(seed.blocks ?? {}))
  server.RegisterArea(codes['DB']!, Number(number), Buffer.from(bytes, 'hex'));

let written: object[] = [];
const { words } = seed;
if (words !== undefined) {
  server.SetResourceless(true);
  server.on(
    'readWrite',
    (_sender: string, operation: number, tag: Tag, data: Buffer, done: (data?: Buffer) => void) => {
      if (operation === 1) {
        written.push({
          area: tag.Area,
          start: tag.Start,
          wordLength: tag.WordLen,
          data: data.toString('hex'),
        });
        return done();
      }
      for (let at = 0; at < tag.Size; at++)
        data.writeUInt16BE(words[`${tag.Area}/${tag.Start + at}`] ?? 0, 2 * at);
      done(data);
    },
  );
}

process.on('message', (command: Command) => {
  if ('written' in command) {
    process.send?.(written);
    written = [];
  } else process.send?.(server.GetArea(codes[command.area]!, command.block).toString('hex'));
});
process.on('disconnect', () => process.exit());

// It cannot be told to choose a port, so one is chosen that was free a moment ago.
const probe = createServer().listen(0, '127.0.0.1', () => {
  const { port } = probe.address() as AddressInfo;
  probe.close(() => {
    server.SetParam(localPort, port);
    server.SetParam(pduRequest, seed.pdu);
    if (!server.StartTo('127.0.0.1')) process.exit(1);
    process.send?.({ port });
  });
});

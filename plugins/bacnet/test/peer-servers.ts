import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { keyOf, seeds, type PeerObject, type PeerValue, type Seeds } from './seeds.ts';

/** Anybody's server on a port of 127.0.0.1, with values of its own. */
export interface PeerServer extends AsyncDisposable {
  readonly port: number;
  readonly values: Seeds;
  /** Priorities of the writes that came. */
  readonly priorities: (number | undefined)[];
}

/** The parts of both libraries that are used; they name the same things the same way. */
interface Library {
  on(event: string, listener: (event: never) => void): unknown;
  close(): void;
  readProperty(
    to: object,
    object: PeerObject,
    property: number,
  ): Promise<{ readonly values: readonly PeerValue[] }>;
  readPropertyMultiple(
    to: object,
    request: readonly object[],
  ): Promise<{
    readonly values: readonly { readonly values: readonly { readonly value: readonly PeerValue[] }[] }[];
  }>;
  readPropertyResponse(
    to: unknown,
    id: number,
    object: PeerObject,
    property: object,
    value: PeerValue[],
  ): void;
  readPropertyMultipleResponse(to: unknown, id: number, values: object[]): void;
  simpleAckResponse(to: unknown, service: number, id: number): void;
  errorResponse(to: unknown, service: number, id: number, errorClass: number, code: number): void;
  resultResponse(to: unknown, code: number): void;
  iAmResponse(to: unknown, instance: number, segmentation: number, vendor: number): void;
}

interface Request {
  readonly objectId: PeerObject;
  readonly property: { readonly id: number; readonly index: number };
  readonly value: { readonly value: PeerValue[]; readonly priority?: number };
  readonly priority?: number;
  readonly properties: readonly {
    readonly objectId: PeerObject;
    readonly properties: readonly { readonly id: number; readonly index: number }[];
  }[];
}

/** A transport for both libraries: theirs send answers to a port that they were given, not to that of the asker. */
class Transport extends EventEmitter {
  readonly socket: Socket = createSocket('udp4', (data, { address, port }) =>
    this.emit('message', data, `${address}:${port}`),
  );

  open(): void {
    this.emit('listening');
  }

  close(): void {
    this.socket.close();
  }

  getBroadcastAddress(): string {
    return '127.0.0.1';
  }

  getMaxPayload(): number {
    return 1482;
  }

  send(buffer: Buffer, length: number, receiver: string): void {
    const [host, port] = receiver.split(':');
    this.socket.send(Buffer.from(buffer.subarray(0, length)), Number(port), host);
  }
}

const load = createRequire(import.meta.url);

/** The module of @bacnet-js/client is CommonJS, and its types are those of a module. */
export const BacnetJs = (load('@bacnet-js/client') as { default: new (options: object) => Library }).default;

const unknown = { class: 1, code: 31 };

/** `requestOf` picks what both call the request out of their events. */
function serve(
  library: Library,
  requestOf: (event: never) => { readonly to: unknown; readonly id: number; readonly request: Request },
): Pick<PeerServer, 'values' | 'priorities'> {
  const values = seeds();
  const priorities: (number | undefined)[] = [];
  library.on('error', () => undefined);
  library.on('readProperty', (event: never) => {
    const { to, id, request } = requestOf(event);
    const value = values.get(keyOf(request.objectId, request.property.id));
    if (value === undefined) library.errorResponse(to, 12, id, unknown.class, unknown.code);
    else library.readPropertyResponse(to, id, request.objectId, request.property, value);
  });
  library.on('readPropertyMultiple', (event: never) => {
    const { to, id, request } = requestOf(event);
    const answer = request.properties.map(({ objectId, properties }) => ({
      objectId,
      values: properties.map((property) => ({
        property,
        value: values.get(keyOf(objectId, property.id)) ?? [
          { type: 105, value: { type: 'BacnetError', errorClass: unknown.class, errorCode: unknown.code } },
        ],
      })),
    }));
    library.readPropertyMultipleResponse(to, id, answer);
  });
  library.on('writeProperty', (event: never) => {
    const { to, id, request } = requestOf(event);
    const { objectId, value } = request;
    const key = keyOf(objectId, (request.value as unknown as { property: { id: number } }).property.id);
    if (!values.has(key)) return library.errorResponse(to, 15, id, unknown.class, unknown.code);
    values.set(key, value.value);
    priorities.push(request.value.priority ?? request.priority);
    library.simpleAckResponse(to, 15, id);
  });
  return { values, priorities };
}

async function open(): Promise<Transport> {
  const transport = new Transport();
  transport.socket.bind(0, '127.0.0.1');
  await once(transport.socket, 'listening');
  return transport;
}

function close({ socket }: Transport): Promise<void> {
  return new Promise((resolve) => socket.close(resolve));
}

export async function serveBacnetJs(): Promise<PeerServer> {
  const transport = await open();
  const library = new BacnetJs({ transport });
  const served = serve(
    library,
    ({ header, invokeId, payload }: { header: { sender: unknown }; invokeId: number; payload: Request }) => ({
      to: header.sender,
      id: invokeId,
      request: payload,
    }),
  );
  return { port: transport.socket.address().port, ...served, [Symbol.asyncDispose]: () => close(transport) };
}

export async function serveBacstack(): Promise<PeerServer> {
  const transport = await open();
  const Bacstack = load('bacstack') as new (options: object) => Library;
  const served = serve(
    new Bacstack({ transport }),
    ({ address, invokeId, request }: { address: string; invokeId: number; request: Request }) => ({
      to: address,
      id: invokeId,
      request,
    }),
  );
  return { port: transport.socket.address().port, ...served, [Symbol.asyncDispose]: () => close(transport) };
}

/** What @bacnet-js/client takes a broadcast management device's messages for. */
export interface PeerBbmd extends AsyncDisposable {
  readonly port: number;
  /** Times to live of the registrations that came, in seconds. */
  readonly registered: readonly number[];
  /** How often Who-Is came. */
  readonly asked: number;
}

/** Takes every registration, and answers to Who-Is as the device with this instance. */
export async function serveForeign(instance: number): Promise<PeerBbmd> {
  const transport = await open();
  const library = new BacnetJs({ transport });
  const registered: number[] = [];
  let asked = 0;
  library.on(
    'registerForeignDevice',
    ({ header, payload }: { header: { sender: unknown }; payload: { ttl: number } }) => {
      registered.push(payload.ttl);
      library.resultResponse(header.sender, 0);
    },
  );
  library.on('whoIs', ({ header }: { header: { sender: { address: string } } }) => {
    asked++;
    library.iAmResponse({ address: header.sender.address }, instance, 3, 260);
  });
  return {
    port: transport.socket.address().port,
    registered,
    get asked() {
      return asked;
    },
    [Symbol.asyncDispose]: () => close(transport),
  };
}

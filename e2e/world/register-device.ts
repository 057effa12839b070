import { ServerTCP } from 'modbus-serial';
import { freePort } from '../kit/free-port.ts';

type Answer = (error: Error | null, values: number[]) => void;
type One = (error: Error | null, value: number) => void;

/** Registers by their addresses on the wire. */
export type Table = Map<number, number>;

/**
 * A Modbus TCP server of the modbus-serial package whose registers a test sets: what was not set is refused with exception 2, as by a device that
 * does not have it.
 */
export class RegisterDevice implements AsyncDisposable {
  readonly holding: Table = new Map();
  readonly input: Table = new Map();
  /** The unit that answers; undefined: all of them. */
  unit: number | undefined;
  /** Registers of one request at most. */
  most = 125;
  /** Reads that came, refused ones too. */
  requests = 0;
  readonly port: number;
  readonly #server: ServerTCP;

  private constructor(port: number, server: (device: RegisterDevice) => ServerTCP) {
    this.port = port;
    this.#server = server(this);
  }

  static async start(): Promise<RegisterDevice> {
    const port = await freePort();
    const started = Promise.withResolvers<void>();
    const device = new RegisterDevice(port, (of) => {
      const server = new ServerTCP(
        {
          // The package asks for one register in another way than for several.
          getHoldingRegister: (at: number, unit: number, answer: One) =>
            of.#read(of.holding, at, 1, unit, (error, values) => answer(error, values[0] ?? 0)),
          getInputRegister: (at: number, unit: number, answer: One) =>
            of.#read(of.input, at, 1, unit, (error, values) => answer(error, values[0] ?? 0)),
          getMultipleHoldingRegisters: (from: number, count: number, unit: number, answer: Answer) =>
            of.#read(of.holding, from, count, unit, answer),
          getMultipleInputRegisters: (from: number, count: number, unit: number, answer: Answer) =>
            of.#read(of.input, from, count, unit, answer),
        },
        { host: '127.0.0.1', port, unitID: 0 },
      );
      server.on('initialized', () => started.resolve());
      server.on('socketError', () => undefined);
      return server;
    });
    await started.promise;
    return device;
  }

  /** Sets registers from an address on. */
  set(table: Table, from: number, registers: readonly number[]): void {
    for (const [at, register] of registers.entries()) table.set(from + at, register);
  }

  /** What a node that reads it is set up with. */
  get params(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #read(table: Table, from: number, count: number, unit: number, answer: Answer): void {
    this.requests++;
    const values = Array.from({ length: count }, (_, at) => table.get(from + at));
    const isThere = values.every((value) => value !== undefined);
    if (!isThere || count > this.most || (this.unit !== undefined && unit !== this.unit))
      answer(Object.assign(new Error('There is no such register.'), { modbusErrorCode: 2 }), []);
    else answer(null, values);
  }
}

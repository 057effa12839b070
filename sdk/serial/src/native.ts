import { readSync } from 'node:fs';
import type * as Bindings from '@serialport/bindings-cpp';
import { ErrorCode, Fault } from '@tagway/sdk';
import { maySend, sendRefusal } from '@tagway/sdk/internal';

/** The serial ports of the operating system, through a native module that is loaded when the first port is needed. */

/** How a port is opened; with options that differ from the device's, its answers are garbled. */
export interface PortOptions {
  /** Such as `/dev/ttyUSB0` or `COM3`. */
  readonly path: string;
  readonly baudRate: number;
  readonly dataBits: 5 | 6 | 7 | 8;
  readonly stopBits: 1 | 2;
  /** `mark` and `space` exist on Windows alone: see `checkParity`. */
  readonly parity: 'none' | 'odd' | 'even' | 'mark' | 'space';
  /** Characters of silence that end a frame. Default 3.5. */
  readonly gapCharacters?: number;
}

export interface PortEvents {
  /** `data[0, end)` has arrived; it is valid only during the call. */
  received(data: Buffer, end: number): void;
  /** The port is of no use any more; close it. */
  lost(reason: string): void;
}

export interface Port {
  send(bytes: Buffer): void;
  close(): Promise<void>;
}

/** The module for this platform, whose types differ by what each platform has; the settings have been checked for that. */
interface Native {
  open(options: PortOptions): Promise<Bindings.BindingPortInterface>;
}

const readSize = 4096;

/** Rejects with a fault that says so when the native module does not work here. */
export async function loadNative(): Promise<typeof Bindings> {
  try {
    return await import('@serialport/bindings-cpp');
  } catch (error) {
    throw new Fault(
      ErrorCode.LIBRARY_OPEN_FAILED,
      `The native module for serial ports cannot be loaded (${messageOf(error)}). Use a package of this library that has it for ` +
        `${process.platform} on ${process.arch}, or the TCP link, which does without.`,
      { cause: error, retry: false },
    );
  }
}

/** Opens a port for this process alone. Rejects with an error whose message says why that is not possible. */
export async function openPort(options: PortOptions, events: PortEvents): Promise<Port> {
  const { autoDetect } = await loadNative();
  try {
    return new NativePort(await (autoDetect() as unknown as Native).open(options), events);
  } catch (error) {
    throw new Error(reasonFor(error), { cause: error });
  }
}

class NativePort implements Port {
  readonly #binding: Bindings.BindingPortInterface;
  readonly #events: PortEvents;
  #closed = false;

  constructor(binding: Bindings.BindingPortInterface, events: PortEvents) {
    this.#binding = binding;
    this.#events = events;
    // Not before the callers of `open` know that the port is open.
    setImmediate(() => void this.#receive());
  }

  send(bytes: Buffer): void {
    if (maySend()) this.#binding.write(bytes).catch((error: unknown) => this.#lost(error));
    else this.#lost(sendRefusal());
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#binding.close();
  }

  async #receive(): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(readSize);
    try {
      while (!this.#closed) {
        const size = await readSome(this.#binding, buffer);
        if (!this.#closed) this.#events.received(buffer, size);
      }
    } catch (error) {
      this.#lost(error);
    }
  }

  #lost(error: unknown): void {
    if (!this.#closed) this.#events.lost(messageOf(error));
  }
}

/**
 * Waits for bytes. The module's own `read` asks again and again, without a pause, when an adapter that was pulled out reads as an end
 * of file, and may still ask after the port was closed; so on Unix only its poller is used.
 */
async function readSome(binding: Bindings.BindingPortInterface, buffer: Buffer): Promise<number> {
  if (!('poller' in binding)) return (await binding.read(buffer, 0, buffer.length)).bytesRead;
  const { fd, poller } = binding as Bindings.LinuxPortBinding;
  for (;;) {
    const size = readNow(fd ?? -1, buffer);
    if (size > 0) return size;
    await new Promise<void>((resolve, reject) => {
      poller.once('readable', (error) => {
        if (error === null) resolve();
        else reject(new Error('it hung up', { cause: error }));
      });
    });
  }
}

/** Bytes read, or 0 when none are there yet. */
function readNow(fd: number, buffer: Buffer): number {
  try {
    const size = readSync(fd, buffer);
    if (size === 0) throw new Error('it hung up');
    return size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

function reasonFor(error: unknown): string {
  const message = messageOf(error).replace(/^Error:? /, '');
  return /lock port/.test(message)
    ? 'another program, or a node that names it differently, uses it'
    : message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

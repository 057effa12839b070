import { type AppContext, type ConnectedClient, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import { wireOf } from '@tagway/serial';
import type { Requests } from '../requests/requests.ts';
import { serialSettingsOf, type Settings } from '../settings.ts';
import type { Permission } from './permission.ts';
import { SerialLine } from './serial-line.ts';
import { counted, type Served, type Side } from './side.ts';

/** Milliseconds for another node to let go of the port. */
const claimTime = 2000;

/** The master of a serial line. */
export class SerialSide implements Side {
  readonly #context: AppContext<Settings>;
  readonly #line: SerialLine;
  readonly #device: string;
  readonly #released = Promise.withResolvers<void>();
  #since = NaN;

  constructor(context: AppContext<Settings>, requests: Requests, permission: Permission, served: Served) {
    this.#context = context;
    const { clock, node, settings } = context;
    const { device = '' } = settings;
    this.#device = device;
    this.#line = new SerialLine(wireOf(node, serialSettingsOf(settings)), {
      clock,
      requests,
      asker: {
        from: device,
        peer: `the master on ${device}`,
        refusal: permission.refusalOf(undefined),
      },
      opened: () => this.#opened(),
      closed: ({ reason }) => {
        this.#since = NaN;
        context.link(LinkState.DISCONNECTED, { reason: `The port cannot be used: ${reason}.` });
      },
      served,
      malformed: () => context.count('malformed_frames', 1),
      late: () => context.count('late_answers_total', 1),
    });
  }

  async open(): Promise<void> {
    await this.#claim();
    await this.#line.open();
  }

  clients(): ConnectedClient[] {
    if (Number.isNaN(this.#since)) return [];
    const { exceptions, requests } = this.#line;
    return [{ name: counted('The master', requests, exceptions), address: this.#device, since: this.#since }];
  }

  async close(): Promise<void> {
    await this.#line.close();
    this.#released.resolve();
  }

  #opened(): void {
    this.#since = this.#context.clock.now();
    this.#context.link(LinkState.CONNECTED, { reason: `A master is served on ${this.#device}.` });
  }

  /** Two nodes that share a port would both answer, or neither would hear everything. */
  async #claim(): Promise<void> {
    const { clock } = this.#context;
    const claimed = Promise.withResolvers<void>();
    const giveUp = new AbortController();
    using _timer = clock.timer(claimTime, () => {
      giveUp.abort();
      const reason = `Another Modbus Server has the port ${this.#device}: give one node the units of both, or this one another port.`;
      claimed.reject(new Fault(ErrorCode.NODE_SETTING_INVALID, reason, { retry: false }));
    });
    const hold = (): Promise<void> => {
      claimed.resolve();
      return giveUp.signal.aborted ? Promise.resolve() : this.#released.promise;
    };
    // It rejects with the reason of the signal, which has rejected the claim before.
    void this.#context.exclusive(this.#device, hold, giveUp.signal).catch(() => undefined);
    await claimed.promise;
  }
}

import type { Fault, Report } from '@tagway/sdk';

/** Records what a driver reports, as tests compare it: faults as their codes. */
export class ReportRecorder implements Report {
  readonly latest: unknown[];
  readonly faults: (Fault | undefined)[];
  readonly times: number[];
  readonly qualities: number[];
  /** What was sent, in order: index, value, and whether equal values are sent too. */
  readonly history: (readonly [index: number, value: unknown, every: boolean])[] = [];
  readonly #staged: (readonly [index: number, value: unknown])[] = [];
  /** What `send` answers. */
  hasRoom = true;
  drained: Promise<void> = Promise.resolve();
  sends = 0;

  constructor(count: number) {
    this.latest = new Array<unknown>(count).fill(undefined);
    this.faults = new Array<Fault | undefined>(count).fill(undefined);
    this.times = new Array<number>(count).fill(NaN);
    this.qualities = new Array<number>(count).fill(0);
  }

  number(index: number, value: number): void {
    this.#put(index, value);
  }

  integer(index: number, value: bigint): void {
    this.#put(index, value);
  }

  text(index: number, value: string): void {
    this.#put(index, value);
  }

  bytes(index: number, value: Uint8Array): void {
    this.#put(index, value);
  }

  fault(index: number, fault: Fault): void {
    this.#put(index, fault.code, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    this.times[index] = time;
    this.qualities[index] = quality;
  }

  send({ every = false }: { readonly every?: boolean } = {}): boolean {
    this.sends++;
    for (const [index, value] of this.#staged.splice(0)) this.history.push([index, value, every]);
    return this.hasRoom;
  }

  /** All values that one point had, in order. */
  of(index: number): unknown[] {
    return this.history.filter(([of]) => of === index).map(([, value]) => value);
  }

  #put(index: number, value: unknown, fault?: Fault): void {
    this.latest[index] = value;
    this.faults[index] = fault;
    this.times[index] = NaN;
    this.qualities[index] = 0;
    this.#staged.push([index, value]);
  }
}

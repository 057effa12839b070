import type { Fault, Value, Values } from '@tagway/sdk';

/** Records what a driver stores of some of its points in one call: bytes as hexadecimal digits, faults as their sentences. */
export class OutcomeRecorder implements Values {
  readonly outcomes = new Map<number, Value>();
  readonly stamps = new Map<number, readonly [time: number, quality: number | undefined]>();

  number(index: number, value: number): void {
    this.outcomes.set(index, value);
  }

  integer(index: number, value: bigint): void {
    this.outcomes.set(index, value);
  }

  text(index: number, value: string): void {
    this.outcomes.set(index, value);
  }

  bytes(index: number, value: Uint8Array): void {
    this.outcomes.set(index, Buffer.from(value).toString('hex'));
  }

  fault(index: number, fault: Fault): void {
    this.outcomes.set(index, fault.message);
  }

  stamp(index: number, time: number, quality?: number): void {
    this.stamps.set(index, [time, quality]);
  }
}

import type { DataType, Fault } from '@tagway/sdk';
import type { Range } from '@tagway/sdk/link';
import type { Variable } from './types.ts';

/** What passes have shown of the controller on this connection; all groups of a driver share it. */
export class Findings {
  readonly #numbers = new Map<string, number>();
  readonly #apart = new Set<string>();
  readonly #variables = new Map<string, Learned | Fault>();
  #packets = true;
  #epoch = 0;
  /** Grows when requests have to be made in another way. */
  version = 0;

  /** Structures that the controller does not give as a whole, by their keys. */
  get apart(): ReadonlySet<string> {
    return this.#apart;
  }

  /** Whether the controller takes several requests in one. */
  get packets(): boolean {
    return this.#packets;
  }

  /** A pass begins: what was found out of another program or connection counts no more. */
  begin(epoch: number): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#apart.clear();
    this.#variables.clear();
    this.#packets = true;
    this.version++;
  }

  /** By what the refusal of a tag is remembered. */
  placeOf(text: string, type: DataType): Range {
    const key = `${text} ${type}`.toLowerCase();
    const area = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, area);
    return { area, start: 0, end: 1 };
  }

  /** The controller does not give a structure as a whole: its members are read. */
  takeApart(structure: string): void {
    if (structure === '' || this.#apart.has(structure)) return;
    this.#apart.add(structure);
    this.version++;
  }

  /** The controller takes one request at a time. */
  withoutPackets(): void {
    if (!this.#packets) return;
    this.#packets = false;
    this.version++;
  }

  /** What the controller said of a variable that no list has. */
  learned(name: string): Learned | Fault | undefined {
    return this.#variables.get(name.toLowerCase());
  }

  learn(name: string, learned: Learned | Fault): void {
    this.#variables.set(name.toLowerCase(), learned);
  }
}

/** What the reply to a read has said of a variable. */
export interface Learned {
  readonly variable: Variable;
  /** Of a structure; 0 for others. */
  readonly handle: number;
  /** Bytes of the value. */
  readonly size: number;
}

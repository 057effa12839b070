/** What goes with the sample of a followed reading: a trace of OpenTelemetry. It is one object of a whole sample, whatever the tags are. */
export interface SampleWay {
  /** Of the trace: 32 hexadecimal digits. */
  readonly id: string;
  /** Of the span that the next one follows: 16 hexadecimal digits. Empty on the way to the host. */
  readonly parent: string;
  /** By `machineTime`. To the host: when the reading began, when the driver was called, and when it had ended. To apps: none. */
  readonly times: readonly number[];
}

/** What an app did with the sample of a followed reading. Times are those of `machineTime`. */
export interface Delivered {
  readonly node: number;
  /** Number of the group. */
  readonly group: number;
  /** As they came with the sample. */
  readonly id: string;
  readonly parent: string;
  /** When the sample was there, and when the app had taken it. */
  readonly arrived: number;
  readonly handed: number;
  /** When it was known what became of its messages; absent where the app does not say that, or where it took too long. */
  readonly settled?: number;
  /** Messages that were made of it; absent where the app does not say that. */
  readonly messages?: number;
  /** Where the first of them went. */
  readonly topic?: string;
  readonly failure?: string;
}

/** Milliseconds of a clock that all processes of a machine share, and that nobody sets. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A number in hexadecimal digits that no other one is equal to. */
export function randomId(bytes: 8 | 16): string {
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
}

/** A reading that is followed, while it is made. */
export class FollowedReading {
  readonly #began = machineTime();
  #called = this.#began;

  /** The driver is called now. */
  called(): void {
    this.#called = machineTime();
  }

  /** The sample of the reading, which ends now. */
  mark<S extends { readonly forCache?: true }>(sample: S): S & { readonly way?: SampleWay } {
    // What is for the cache alone goes nowhere.
    if (sample.forCache === true) return sample;
    return {
      ...sample,
      way: { id: randomId(16), parent: '', times: [this.#began, this.#called, machineTime()] },
    };
  }
}

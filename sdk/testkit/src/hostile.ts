import { FrameSplitter, type Protocol } from '@tagway/sdk/link';
import type { Driver, Point } from '@tagway/sdk';
import type { FrameServer, Script } from './frame-server.ts';
import { mutate, randomOf } from './random.ts';
import { readings, type Reading } from './readings.ts';
import { until } from './until.ts';

/** What a splitter has made of the random bytes. */
export interface FuzzResult {
  /** Frames that were found. */
  readonly frames: number;
  /** The most bytes that were kept for an incomplete frame. */
  readonly kept: number;
}

/** Feeds a protocol with random bytes, or with mutated copies of real frames, split at random places. They are the same in every run. */
export function fuzzProtocol<Session>(
  protocol: Protocol<Session>,
  session: Session,
  rounds: number,
  real: readonly Buffer[] = [],
): FuzzResult {
  const random = randomOf(20_260_301);
  const result = { frames: 0, kept: 0 };
  const splitter = new FrameSplitter(protocol, {
    frame(data, at, end) {
      result.frames++;
      protocol.frame(session, data, at, end);
    },
    skipped: () => undefined,
    invalid: () => {
      splitter.reset();
    },
  });
  for (let round = 1; round <= rounds; round++) {
    const frame = real[random(Math.max(1, real.length))];
    const bytes =
      frame === undefined
        ? Buffer.from(Array.from({ length: random(200) }, () => random(256)))
        : mutate(frame, random);
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + 1 + random(60));
      splitter.take(bytes.subarray(at, end), end - at);
      at = end;
    }
    if (round % 10 === 0) result.kept = Math.max(result.kept, splitter.reset());
  }
  return result;
}

/** Makes a device answer wrongly: one answer in four is right, and all are sent in two pieces. */
export function corruptAnswers(seed: number): Script {
  const random = randomOf(seed);
  return (_frame, usual) => {
    const bytes = random(4) === 0 ? usual() : mutate(usual(), random);
    const cut = random(bytes.length + 1);
    return [bytes.subarray(0, cut), bytes.subarray(cut)];
  };
}

/** The device answers wrongly for three seconds; after that, the first points get these values. `advance` moves the clock of the driver. */
export async function expectRecovery(
  { simulator, driver }: { readonly simulator: FrameServer; readonly driver: Driver },
  points: readonly Point[],
  values: readonly Reading[],
  advance: (ms: number) => void = () => undefined,
): Promise<void> {
  simulator.script = corruptAnswers(7);
  for (const end = performance.now() + 3000; performance.now() < end; advance(5000))
    await readings(driver, points);
  simulator.script = undefined;
  await until('values come', async () => {
    advance(60_000);
    const outcomes = await readings(driver, points);
    return values.every((value, at) => outcomes[at] === value);
  });
}

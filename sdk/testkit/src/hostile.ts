import { FrameSplitter, type Protocol } from '@tagway/sdk/link';
import type { Driver, Point } from '@tagway/sdk';
import type { FrameServer, Script } from './frame-server.ts';
import { mutate, randomOf } from './random.ts';
import { readings, type Reading } from './readings.ts';
import { until } from './until.ts';

/** What thousands of pieces have led to. */
export interface Fed {
  /** Frames that were found. */
  readonly frames: number;
  /** Most bytes that were kept for a frame that was not complete. */
  readonly kept: number;
}

/** Feeds a protocol with random bytes, or with mutated copies of real frames, cut anywhere. The same ones in every run. */
export function feed<Session>(
  protocol: Protocol<Session>,
  session: Session,
  rounds: number,
  real: readonly Buffer[] = [],
): Fed {
  const random = randomOf(20_260_301);
  const fed = { frames: 0, kept: 0 };
  const splitter = new FrameSplitter(protocol, {
    frame(data, at, end) {
      fed.frames++;
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
    if (round % 10 === 0) fed.kept = Math.max(fed.kept, splitter.reset());
  }
  return fed;
}

/** Answers of a PLC that has gone mad: one in four is right, all are cut in two. */
export function madness(seed: number): Script {
  const random = randomOf(seed);
  return (_frame, usual) => {
    const bytes = random(4) === 0 ? usual() : mutate(usual(), random);
    const cut = random(bytes.length + 1);
    return [bytes.subarray(0, cut), bytes.subarray(cut)];
  };
}

/** The device sends anything for three seconds; once it is sane, the first points have these values. `later` lets time pass. */
export async function expectRecovery(
  { simulator, driver }: { readonly simulator: FrameServer; readonly driver: Driver },
  points: readonly Point[],
  values: readonly Reading[],
  later: (ms: number) => void = () => undefined,
): Promise<void> {
  simulator.script = madness(7);
  for (const end = performance.now() + 3000; performance.now() < end; later(5000))
    await readings(driver, points);
  simulator.script = undefined;
  await until('values come', async () => {
    later(60_000);
    const outcomes = await readings(driver, points);
    return values.every((value, at) => outcomes[at] === value);
  });
}

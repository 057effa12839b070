import { OtlpReceiver } from '../world/otlp-receiver.ts';
import type { MeasureContext } from './setup.ts';
import { measureSideBySide } from './side-by-side.ts';

export const followingName = 'followed readings beside none, 10k @ 100 ms';

const job = { tags: 10_000, interval: 100 };

/** Two gateways that follow no reading, one that follows some, and one that follows each: ten a second. */
export async function measureFollowing(run: MeasureContext): Promise<void> {
  const receiver = await OtlpReceiver.start();
  run.stack.defer(() => receiver.close());
  // Metrics would cost the same at any rate of traces.
  const collector = ['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '3600'];
  await measureSideBySide(
    followingName,
    job,
    [
      { what: 'none' },
      { what: 'none, once more' },
      { what: 'one in a hundred', args: [...collector, '--otlp-traces', '100'], most: 1.05 },
      { what: 'each', args: [...collector, '--otlp-traces', '1'] },
    ],
    run,
  );
}

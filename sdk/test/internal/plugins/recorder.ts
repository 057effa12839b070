import { driver, ErrorCode, Fault, type Outcome, type Point } from '@tagway/sdk';

interface Settings {
  /** What start does. */
  readonly start?: 'ok' | 'refuse' | 'fail-once' | 'throw';
  /** Milliseconds that a read takes. */
  readonly slow?: number;
  readonly hang?: boolean;
}

let failures = 0;

/**
 * Answers every point from its address: `n` a number, `n!` a bigint, `"text`, `fault CODE`, `nan`, `short`, `gone` (throws), `calls`
 * (how many calls were under way at most).
 */
export default driver<Settings>({
  check: (tag) => (tag.address === 'bad' ? new Fault(ErrorCode.TAG_ADDRESS_INVALID) : undefined),
  checkSettings: (settings) =>
    settings.slow === -1
      ? new Fault(ErrorCode.NODE_SETTING_INVALID, 'slow must not be negative.')
      : undefined,
  create(context) {
    const { settings, log } = context;
    const written = new Map<string, unknown>();
    let underway = 0;
    let most = 0;
    let starts = 0;
    let stops = 0;

    async function alone<T>(work: () => Promise<T>): Promise<T> {
      underway++;
      most = Math.max(most, underway);
      try {
        return await work();
      } finally {
        underway--;
      }
    }

    function outcome({ address, name, raw }: Point): Outcome {
      if (address === 'gone') throw new Fault(ErrorCode.DISCONNECTED);
      if (address === 'bug') throw new TypeError('a bug of the driver');
      if (address === 'raw') return raw ? 1 : 0;
      if (address === 'most') return most;
      if (address === 'starts') return starts;
      if (address === 'written')
        return (written.get(name) as Outcome | undefined) ?? new Fault(ErrorCode.NOT_READY);
      if (address === 'nan') return Number.NaN;
      if (address === 'true') return true;
      if (address === 'bytes') return Uint8Array.of(1, 2, 255);
      if (address.startsWith('fault ')) return new Fault(Number(address.slice(6)));
      if (address.startsWith('"')) return address.slice(1);
      if (address.endsWith('!')) return BigInt(address.slice(0, -1));
      return Number(address);
    }

    return {
      async start() {
        starts++;
        if (settings.start === 'refuse')
          throw new Fault(ErrorCode.NODE_SETTING_INVALID, 'No such port.', { retry: false });
        if (settings.start === 'throw') throw new Error('start is broken');
        if (settings.start === 'fail-once' && failures++ === 0)
          throw new Fault(ErrorCode.DISCONNECTED, 'Not yet.');
        log.notice('started');
      },
      read: (points, signal) =>
        alone(async () => {
          if (settings.hang) return new Promise<never>(() => undefined);
          if (settings.slow) await context.clock.sleep(settings.slow, signal);
          if (points[0]?.address === 'short') return [];
          return points.map(outcome);
        }),
      write: (writes) =>
        alone(async () =>
          writes.map(({ point, value }) => {
            if (point.address !== 'written') return new Fault(ErrorCode.WRITE_FAILED);
            written.set(point.name, value);
            return undefined;
          }),
        ),
      async stop() {
        stops++;
        log.notice(`stopped ${stops} of ${starts}`);
      },
    };
  },
});

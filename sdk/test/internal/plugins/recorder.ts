import { DataType, driver, ErrorCode, Fault, type Point, type Value, type Values } from '@tagway/sdk';

interface Settings {
  /** What start does. */
  readonly start?: 'ok' | 'refuse' | 'fail-once' | 'throw';
  /** Milliseconds that a read takes. */
  readonly slow?: number;
  readonly hang?: boolean;
}

let failures = 0;

/**
 * Answers every point from its address: `n` a number, `n!` a bigint, `"text`, `fault CODE`, `nan`, `nothing`, `gone` (rejects),
 * `most` (how many calls were under way at most).
 */
export default driver<Settings>({
  calls: 'one',
  checkTag: (tag, settings) =>
    tag.address === 'bad' || (settings?.slow ?? 0) > 1000
      ? new Fault(ErrorCode.TAG_ADDRESS_INVALID, `There is no address "${tag.address}".`)
      : undefined,
  checkSettings: (settings) =>
    settings.slow === -1
      ? new Fault(ErrorCode.NODE_SETTING_INVALID, 'slow must not be negative.')
      : undefined,
  create(context) {
    const { settings, log } = context;
    const written = new Map<string, Value>();
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

    function answer({ address, name, type }: Point, at: number, into: Values): void {
      if (address === 'gone') throw new Fault(ErrorCode.DISCONNECTED);
      if (address === 'bug') throw new TypeError('a bug of the driver');
      if (address === 'nothing') return;
      if (address === 'most') into.number(at, most);
      else if (address === 'starts') into.number(at, starts);
      else if (address === 'written' && type === DataType.UINT64)
        into.integer(at, written.get(name) as bigint);
      else if (address === 'nan') into.number(at, Number.NaN);
      else if (address === 'true') into.number(at, 1);
      else if (address === 'bytes') into.bytes(at, Uint8Array.of(1, 2, 255));
      else if (address.startsWith('fault ')) into.fault(at, new Fault(Number(address.slice(6))));
      else if (address.startsWith('"')) into.text(at, address.slice(1));
      else if (address.endsWith('!')) into.integer(at, BigInt(address.slice(0, -1)));
      else into.number(at, Number(address));
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
      read: (points, into, { signal }) =>
        alone(async () => {
          if (settings.hang) return new Promise<never>(() => undefined);
          if (settings.slow) await context.clock.sleep(settings.slow, signal);
          points.forEach((point, at) => answer(point, at, into));
        }),
      write: (writes, into) =>
        alone(async () => {
          writes.forEach(({ point, value }, at) => {
            if (point.address !== 'written') return into.fault(at, new Fault(ErrorCode.WRITE_FAILED));
            written.set(point.name, value);
            into.done(at);
          });
        }),
      async stop() {
        stops++;
        log.notice(`stopped ${stops} of ${starts}`);
      },
    };
  },
});

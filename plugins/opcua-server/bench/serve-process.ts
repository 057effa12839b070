// The server of bench/serve.ts.
// It imports no package but the built plugin, whose memory is measured.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setInterval, setTimeout } from 'node:timers/promises';
import type { App, AppContext, Column, Layout, Sample, Subscription } from '@tagway/sdk';

const { tags, port, folder, history } = JSON.parse(process.argv[2] ?? '{}') as Record<
  'tags' | 'port' | 'history',
  number
> & { folder: string };
const began = performance.now();
const { default: plugin } = (await import(new URL('../dist/index.js', import.meta.url).href)) as {
  default: { create(context: AppContext): App };
};
const loaded = performance.now();
const nothing = (): void => undefined;
const printError = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const app = plugin.create({
  node: 'bench',
  settings: {
    host: '127.0.0.1',
    port,
    security_mode: 0,
    unsecured: true,
    trust: 0,
    anonymous: true,
    users: true,
    certificate_users: 0,
    folder: 'Tagway',
    namespace: 'urn:tagway:tags',
    max_sessions: 100,
    max_subscriptions: 20,
    max_items: 1_000_000,
  },
  log: { debug: nothing, info: nothing, notice: nothing, warn: printError, error: printError },
  clock: {
    now: Date.now,
    monotonic: () => performance.now(),
    timer: (ms: number, callback: () => void) => {
      const timer = globalThis.setTimeout(callback, ms);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
  },
  dataDir: folder,
  signal: new AbortController().signal,
  activeAlarms: async () => [],
  link: nothing,
  count: nothing,
  gauge: nothing,
} as unknown as AppContext);
await app.start();
const started = performance.now();
const size = 1000;
const columns = Array.from({ length: size }, (_, place): Column => ({
  name: `tag${place}`,
  // DOUBLE.
  type: 10,
  valueType: 10,
  precision: 0,
  address: '',
  description: '',
  scaled: false,
  onChange: false,
  writable: true,
  store: 0,
  place,
}));
const layouts = Array.from({ length: tags / size }, (_, group): Layout => ({
  version: group + 1,
  driver: 'modbus',
  group: `group${group}`,
  interval: 1000,
  columns,
  writeOnly: [],
  ...(history === 1 && { keepsHistory: true as const }),
}));
const subscriptions: Subscription[] = layouts.map((layout, index) => ({
  id: index + 1,
  driver: layout.driver,
  group: layout.group,
  layout,
}));
app.subscriptionsChanged(subscriptions);
const built = performance.now();
const megabytes = (): number => Math.round(process.memoryUsage.rss() / 1e6);
globalThis.gc?.();
const { user, system } = process.cpuUsage();
process.send?.({
  op: 'started',
  cpu: Math.round((user + system) / 1000),
  load: Math.round(loaded - began),
  start: Math.round(started - loaded),
  build: Math.round(built - started),
  rss: megabytes(),
  heap: Math.round(process.memoryUsage().heapUsed / 1e6),
});

let beat = 0;
function tick(): void {
  beat++;
  for (const [index, layout] of layouts.entries()) {
    const numbers = new Float64Array(size).fill(beat + index / 1000);
    const sample: Sample = {
      layout,
      timestamp: Date.now(),
      numbers,
      integers: new BigInt64Array(0),
      objects: [],
      faults: new Int32Array(0),
    };
    void app.deliver(sample, subscriptions[index]!);
  }
}

/** Begins a CPU profile, and gives what ends it and writes it to a file. */
async function profiled(file: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
  };
}

async function serve(beats: number, interval: number, profile: string | undefined): Promise<void> {
  let most = 0;
  const write = profile === undefined ? undefined : await profiled(profile);
  const from = process.cpuUsage();
  const since = performance.now();
  for await (const _ of setInterval(interval)) {
    tick();
    most = Math.max(most, megabytes());
    if (beat === beats) break;
  }
  await setTimeout(2000);
  const used = process.cpuUsage(from);
  const cpu = (used.user + used.system) / 1000 / (performance.now() - since);
  await write?.();
  globalThis.gc?.();
  const heap = Math.round(process.memoryUsage().heapUsed / 1e6);
  process.send?.({ op: 'figures', cpu: `${(cpu * 100).toFixed(1)} %`, rss: megabytes(), most, heap });
}

process.on(
  'message',
  ({ beats, interval, profile }: { beats: number; interval: number; profile?: string }) => {
    serve(beats, interval, profile).catch((error: unknown) => printError(String(error)));
  },
);

/** The stores that take line protocol. */
export const StoreKind = {
  INFLUXDB_1: 0,
  INFLUXDB_2: 1,
  INFLUXDB_3: 2,
  VICTORIA_METRICS: 3,
  QUESTDB: 4,
  TELEGRAF: 5,
} as const;
export type StoreKind = (typeof StoreKind)[keyof typeof StoreKind];

export interface StoreFacts {
  readonly path: string;
  /** What the store calls the units of times, from nanoseconds to seconds. */
  readonly precisions: readonly [string, string, string, string];
  /** Whether unsigned integers are a type of their own. */
  readonly unsigned: boolean;
  /** Whether the store keeps texts. */
  readonly texts: boolean;
  /** What goes before a token. */
  readonly scheme: string;
}

const short = ['ns', 'us', 'ms', 's'] as const;
const version1 = {
  path: '/write',
  precisions: short,
  unsigned: false,
  texts: true,
  scheme: 'Bearer',
} as const;

/** What is different in them, by their kinds. */
export const stores: readonly StoreFacts[] = [
  // InfluxDB 1 knows "u" for microseconds, and "us" from 1.8 on.
  { ...version1, precisions: ['ns', 'u', 'ms', 's'] },
  { ...version1, path: '/api/v2/write', unsigned: true, scheme: 'Token' },
  {
    ...version1,
    path: '/api/v3/write_lp',
    precisions: ['nanosecond', 'microsecond', 'millisecond', 'second'],
    unsigned: true,
  },
  { ...version1, texts: false },
  version1,
  { ...version1, unsigned: true },
];

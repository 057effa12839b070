/** What a metric of the gateway is called by the conventions of OpenTelemetry. */
export interface Semantic {
  readonly name: string;
  /** By UCUM. */
  readonly unit: string;
  /** `sum` grows only; `level` goes up and down and may be added up over gateways. */
  readonly kind: 'sum' | 'level' | 'gauge';
  readonly attributes?: Readonly<Record<string, string>>;
  /** What a value is multiplied by. */
  readonly scale?: number;
  /** A value that stands for none and is not sent. */
  readonly none?: number;
}

/** Why a metric of the page is not sent. */
export interface LeftOut {
  readonly leftOut: string;
}

const gauge = (name: string, unit: string, more: Partial<Semantic> = {}): Semantic => ({
  name,
  unit,
  kind: 'gauge',
  ...more,
});
const level = (name: string, unit: string, more: Partial<Semantic> = {}): Semantic => ({
  name,
  unit,
  kind: 'level',
  ...more,
});
const sum = (name: string, unit: string, more: Partial<Semantic> = {}): Semantic => ({
  name,
  unit,
  kind: 'sum',
  ...more,
});
const state = (of: string, value: string): Partial<Semantic> => ({
  attributes: { [`system.${of}.state`]: value },
});
const kind = (value: 'driver' | 'app'): Partial<Semantic> => ({ attributes: { 'tagway.node.kind': value } });
const direction = (value: 'transmit' | 'receive'): Partial<Semantic> => ({
  attributes: { 'network.io.direction': value },
});
const window = (seconds: number, more: Readonly<Record<string, string>> = {}): Partial<Semantic> => ({
  attributes: { 'tagway.window': `${seconds}s`, ...more },
});
const gibibytes = { scale: 2 ** 30 };
const milliseconds = { scale: 1e-3 };

/** By the names of the page of metrics. A metric that has no row gets its name by `semanticOf`. */
export const semantics: Readonly<Record<string, Semantic | LeftOut>> = {
  tagway_info: { leftOut: 'It is the resource.' },
  tagway_os_info: { leftOut: 'It is the resource.' },
  tagway_core_dumped: { leftOut: 'It is always 0.' },
  tagway_cpu_percent: gauge('system.cpu.utilization', '1', { scale: 0.01 }),
  tagway_cpu_cores: level('system.cpu.logical.count', '{cpu}'),
  tagway_mem_total_bytes: level('system.memory.limit', 'By'),
  tagway_mem_used_bytes: level('system.memory.usage', 'By', state('memory', 'used')),
  tagway_mem_cache_bytes: level('system.memory.usage', 'By', state('memory', 'cached')),
  tagway_rss_bytes: level('process.memory.usage', 'By'),
  tagway_uptime_seconds: gauge('process.uptime', 's'),
  tagway_disk_size_gibibytes: level('system.filesystem.limit', 'By', gibibytes),
  tagway_disk_used_gibibytes: level('system.filesystem.usage', 'By', {
    ...gibibytes,
    ...state('filesystem', 'used'),
  }),
  tagway_disk_avail_gibibytes: level('system.filesystem.usage', 'By', {
    ...gibibytes,
    ...state('filesystem', 'free'),
  }),
  tagway_license_max_tags: level('tagway.license.tag.limit', '{tag}'),
  tagway_license_used_tags: level('tagway.license.tag.count', '{tag}'),
  tagway_south_nodes: level('tagway.node.count', '{node}', kind('driver')),
  tagway_north_nodes: level('tagway.node.count', '{node}', kind('app')),
  tagway_south_running_nodes: level('tagway.node.running', '{node}', kind('driver')),
  tagway_north_running_nodes: level('tagway.node.running', '{node}', kind('app')),
  tagway_south_disconnected_nodes: level('tagway.node.disconnected', '{node}', kind('driver')),
  tagway_north_disconnected_nodes: level('tagway.node.disconnected', '{node}', kind('app')),
  tagway_node_type: gauge('tagway.node.type', '1'),
  tagway_running_state: gauge('tagway.node.state', '1'),
  tagway_link_state: gauge('tagway.node.link', '1'),
  tagway_last_rtt_ms: gauge('tagway.node.round_trip', 's', { ...milliseconds, none: 9999 }),
  tagway_send_bytes_total: sum('tagway.node.io', 'By', direction('transmit')),
  tagway_recv_bytes_total: sum('tagway.node.io', 'By', direction('receive')),
  tagway_tag_reads_total: sum('tagway.tag.reads', '{tag}'),
  tagway_tag_read_errors_total: sum('tagway.tag.read_errors', '{tag}'),
  tagway_tags: level('tagway.node.tag.count', '{tag}'),
  tagway_send_msgs_total: sum('tagway.message.sent', '{message}'),
  tagway_send_msg_errors_total: sum('tagway.message.send_errors', '{message}'),
  tagway_recv_msgs_total: sum('tagway.message.received', '{message}'),
  tagway_cached_msgs: level('tagway.message.waiting', '{message}'),
  ...Object.fromEntries(
    [5, 30, 60].flatMap((seconds) => [
      [
        `tagway_last_${seconds}s_trans_data_msgs`,
        gauge('tagway.window.data_messages', '{message}', window(seconds)),
      ],
      [`tagway_last_${seconds}s_recv_msgs`, gauge('tagway.window.received', '{message}', window(seconds))],
      [
        `tagway_last_${seconds}s_send_bytes`,
        gauge('tagway.window.io', 'By', window(seconds, { 'network.io.direction': 'transmit' })),
      ],
      [
        `tagway_last_${seconds}s_recv_bytes`,
        gauge('tagway.window.io', 'By', window(seconds, { 'network.io.direction': 'receive' })),
      ],
    ]),
  ),
  ...Object.fromEntries(
    [60, 600, 1800].map((seconds) => [
      `tagway_last_${seconds}s_disconnections`,
      gauge('tagway.window.disconnections', '{disconnection}', window(seconds)),
    ]),
  ),
  tagway_connections: level('tagway.node.connection.count', '{connection}'),
  tagway_refused_connections_total: sum('tagway.node.connection.refused', '{connection}'),
  tagway_group_tags: level('tagway.group.tag.count', '{tag}'),
  tagway_group_last_send_msgs: gauge('tagway.group.last_messages', '{message}'),
  tagway_group_last_timer_ms: gauge('tagway.group.last_duration', 's', milliseconds),
  tagway_group_slow: gauge('tagway.group.slow', '1'),
  tagway_group_last_error_code: gauge('tagway.group.last_error.code', '1', { none: 0 }),
  tagway_group_last_error_timestamp_ms: gauge('tagway.group.last_error.time', 's', {
    ...milliseconds,
    none: 0,
  }),
  tagway_pair_active: gauge('tagway.pair.active', '1'),
  tagway_pair_members: level('tagway.pair.member.count', '{gateway}'),
  tagway_pair_etcd_reachable: gauge('tagway.pair.etcd.reachable', '1'),
  tagway_pair_etcd_refuses: gauge('tagway.pair.etcd.refuses', '1'),
  tagway_pair_lease_age_seconds: gauge('tagway.pair.lease.age', 's'),
  tagway_pair_replication_lag_entries: gauge('tagway.pair.replication.lag', '{change}'),
  tagway_pair_replication_lag_seconds: gauge('tagway.pair.replication.delay', 's'),
  tagway_pair_switches_total: sum('tagway.pair.switches', '{switch}'),
  tagway_pair_last_switch_timestamp_seconds: gauge('tagway.pair.last_switch', 's'),
  tagway_config_info: gauge('tagway.config.info', '1'),
  tagway_config_applied_timestamp_seconds: gauge('tagway.config.applied', 's'),
  tagway_config_looked_timestamp_seconds: gauge('tagway.config.looked', 's'),
  tagway_config_drift: level('tagway.config.drift', '{difference}'),
  tagway_config_problem: gauge('tagway.config.problem', '1'),
  tagway_otlp_sent_total: sum('tagway.otlp.sent', '{item}'),
  tagway_otlp_dropped_total: sum('tagway.otlp.dropped', '{item}'),
  tagway_otlp_waiting_bytes: level('tagway.otlp.waiting', 'By'),
};

/** Units of metrics that plugins count, by how their names end, and what makes seconds of them. */
const endings: readonly (readonly [ending: string, unit: string, scale?: number])[] = [
  ['_bytes', 'By'],
  ['_ms', 's', 1e-3],
  ['_seconds', 's'],
  ['_percent', '1', 0.01],
];

/** Attributes by the labels of the page. */
const attributeNames: Readonly<Record<string, string>> = {
  node: 'tagway.node.name',
  group: 'tagway.group.name',
  pair: 'tagway.pair.id',
  commit: 'tagway.config.commit',
  signal: 'tagway.otlp.signal',
};

export function attributeOf(label: string): string {
  return attributeNames[label] ?? `tagway.${label}`;
}

/** Undefined for a metric that is not sent. Of a plugin's own `kafka_errors_total` it makes `tagway.plugin.kafka_errors`. */
export function semanticOf(family: {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
}): Semantic | undefined {
  const known = Object.hasOwn(semantics, family.name) ? semantics[family.name] : undefined;
  if (known !== undefined) return 'leftOut' in known ? undefined : known;
  const bare = family.name.replace(/^tagway_|_total$/g, '');
  const [ending = '', unit = '1', scale] = endings.find(([one]) => bare.endsWith(one)) ?? [];
  return {
    name: `tagway.plugin.${bare.slice(0, bare.length - ending.length)}`,
    unit,
    kind: family.type === 'counter' ? 'sum' : 'gauge',
    ...(scale !== undefined && { scale }),
  };
}

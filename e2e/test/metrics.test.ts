import { hostname } from 'node:os';
import { expect } from 'chai';
import { addModbus, addMqtt, readValues, registerTags } from '../kit/configure.ts';
import { useNorthPlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

/** Values by metric with its labels, such as `tags_total{node="plant"}`. */
function valuesOf(text: string): Map<string, number> {
  const values = new Map<string, number>();
  let family = '';
  for (const line of text.split('\n')) {
    const [, comment, name = ''] = /^# (HELP|TYPE) ([a-z0-9_]+) ./.exec(line) ?? [];
    if (comment === 'TYPE') {
      expect(line).to.match(/ (counter|gauge)$/);
      family = name;
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, metric, key = '', value] = /^(([a-z][a-z0-9_]*)(?:\{[^}]*\})?) (-?[\d.e+]+)$/.exec(line) ?? [];
    expect(metric, line).to.be.a('string');
    expect(key, 'values stand below the type of their metric').to.equal(family);
    expect(values.has(metric ?? ''), line).to.equal(false);
    values.set(metric ?? '', Number(value));
  }
  return values;
}

/** The name of a metric of the family, in the dialect of the specification. */
function shown(name: string): string {
  const bare = name.replace(/(nodes|tags)_total\b/, '$1');
  return `tagway_${/^(send|recv)_bytes\b/.test(bare) ? bare.replace('bytes', 'bytes_total') : bare}`;
}

/** The same of values by metric. */
function allShown(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [shown(name), value]));
}

describe('metrics', function () {
  this.timeout(60_000);
  const { device, broker, gateway, client } = useNorthPlant();

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(3) });
    await addModbus(client, 'dark "one"', { port: 9, tags: registerTags(1) });
    await addMqtt(client, 'north', broker.port);
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'plant',
      group: 'group',
      params: { topic: 'a' },
    });
    await readValues(client, 'plant', 'group');
  });

  const get = async (query: Record<string, string> = {}) => {
    const url = new URL('/api/v2/metrics', gateway.url);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    // Without a token.
    const response = await fetch(url);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };

  it('are text of Prometheus, without a token, with a prefix, and exactly the counters end in _total; the family keeps its names', async () => {
    const { status, type, text } = await get();
    expect(status).to.equal(200);
    expect(type).to.match(/^text\/plain/);
    const names = new Set([...valuesOf(text).keys()].map((metric) => metric.replace(/\{.*/, '')));
    const family = [
      ...[
        'os_info',
        'cpu_percent',
        'cpu_cores',
        'mem_total_bytes',
        'mem_used_bytes',
        'mem_cache_bytes',
        'rss_bytes',
      ],
      ...[
        'disk_size_gibibytes',
        'disk_used_gibibytes',
        'disk_avail_gibibytes',
        'core_dumped',
        'uptime_seconds',
      ],
      ...['license_max_tags', 'license_used_tags', 'north_nodes_total', 'south_nodes_total'],
      ...['north_running_nodes_total', 'south_running_nodes_total', 'north_disconnected_nodes_total'],
      ...['south_disconnected_nodes_total', 'node_type', 'running_state', 'link_state', 'last_rtt_ms'],
      ...[
        'send_bytes',
        'recv_bytes',
        'tag_reads_total',
        'tag_read_errors_total',
        'tags_total',
        'group_tags_total',
      ],
      ...[
        'group_last_send_msgs',
        'group_last_timer_ms',
        'group_last_error_code',
        'group_last_error_timestamp_ms',
      ],
      ...['send_msgs_total', 'send_msg_errors_total', 'recv_msgs_total', 'cached_msgs'],
      ...[5, 30, 60].flatMap((seconds) =>
        ['trans_data_msgs', 'send_bytes', 'recv_bytes', 'recv_msgs'].map(
          (name) => `last_${seconds}s_${name}`,
        ),
      ),
      ...[60, 600, 1800].map((seconds) => `last_${seconds}s_disconnections`),
    ];
    expect([...names]).to.include.members(family.map(shown));
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      expect(name).to.match(/^tagway_/);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
    }
    expect(text).to.match(
      new RegExp(`^tagway_info\\{name="${hostname()}",version="[0-9.]+",revision="[^"]+"\\} 1$`, 'm'),
    );
    expect(text).to.include('0 disconnected, 1 connecting, 2 connected');
    expect(text).to.include('3 running, 4 stopped');
    await gateway.restart(['--compat', 'family', '--name', 'hall "north"']);
    expect((await get()).text).to.match(/^tagway_info\{name="hall \\"north\\"",version="/m);
    // A client that knows Prometheus would add `_total` to the name of a counter.
    for (const name of ['send_bytes', 'recv_bytes'])
      expect((await get()).text).to.include(`# TYPE ${name} gauge\n${name}{node="plant"} `);
    const kept = [...valuesOf((await get()).text).keys()].map((metric) => metric.replace(/\{.*/, ''));
    expect(kept).to.include.members(family.filter((name) => !/_(send|recv)_|last_\d/.test(name)));
    await gateway.restart([]);
  });

  it('say what there is and count what happens', async () => {
    await until('the counters of the plant and the app have come', async () => {
      const values = valuesOf((await get()).text);
      return (
        (values.get(shown('tag_reads_total{node="plant"}')) ?? 0) > 0 &&
        (values.get(shown('last_5s_trans_data_msgs{node="north"}')) ?? 0) > 0 &&
        (values.get(shown('tag_read_errors_total{node="dark \\"one\\""}')) ?? 0) > 0
      );
    });
    const values = valuesOf((await get()).text);
    expect(Object.fromEntries(values)).to.include(
      allShown({
        south_nodes_total: 2,
        south_running_nodes_total: 2,
        south_disconnected_nodes_total: 1,
        north_nodes_total: 1,
        north_disconnected_nodes_total: 0,
        license_used_tags: 4,
        license_max_tags: 0,
        'node_type{node="plant"}': 1,
        'node_type{node="north"}': 2,
        'running_state{node="plant"}': 3,
        'link_state{node="plant"}': 2,
        'tags_total{node="plant"}': 3,
        'tag_read_errors_total{node="plant"}': 0,
        'group_tags_total{node="plant",group="group"}': 3,
        'group_last_send_msgs{node="plant",group="group"}': 1,
        'group_last_error_code{node="plant",group="group"}': 0,
        'last_rtt_ms{node="dark \\"one\\""}': 9999,
      }),
    );
    expect(values.get(shown('group_last_error_code{node="dark \\"one\\"",group="group"}'))).to.be.greaterThan(
      3000,
    );
    expect(values.get(shown('send_bytes{node="plant"}'))).to.be.greaterThan(0);
    expect(values.get(shown('recv_bytes{node="plant"}'))).to.be.greaterThan(0);
    expect(values.get(shown('send_msgs_total{node="north"}'))).to.be.greaterThan(0);
  });

  it('of a category or a node have nothing else', async () => {
    const labels = async (query: Record<string, string>): Promise<string[]> => {
      const metrics = [...valuesOf((await get(query)).text).keys()];
      return [...new Set(metrics.map((metric) => /node="((?:\\.|[^"\\])*)"/.exec(metric)?.[1] ?? 'none'))];
    };
    expect(await labels({ category: 'global' })).to.deep.equal(['none']);
    expect(await labels({ category: 'app' })).to.deep.equal(['north']);
    expect(await labels({ category: 'driver' })).to.deep.equal(['plant', 'dark \\"one\\"']);
    expect(await labels({ node: 'plant' })).to.deep.equal(['plant']);
    expect(await labels({ node: 'plant', category: 'driver' })).to.deep.equal(['plant']);
  });
});

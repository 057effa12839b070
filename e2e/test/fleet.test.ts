import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { addModbus, addMqtt, registerTags } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { useGateway } from '../world/plant.ts';
import { until } from '../kit/until.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const hasPromtool = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
const reason = hasPromtool ? '' : ' (promtool is not installed here)';

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** What promtool says; it ends with 0 when all is well. */
function promtool(cwd: string, ...args: string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

describe('the dashboard and the alerts for many gateways', function () {
  this.timeout(60_000);
  const folder = useFolder('fleet');
  const { gateway, client } = useGateway({ args: ['--name', 'north'] });
  let metrics: string;
  let rules: string;
  let dashboard: Dashboard;

  before(async () => {
    rules = await readFile(join(deploy, 'prometheus/tagway.rules.yml'), 'utf8');
    dashboard = JSON.parse(await readFile(join(deploy, 'grafana/tagway.json'), 'utf8')) as Dashboard;
    // Nobody is at this port: a node without a connection has all its metrics too.
    await addModbus(client, 'plant', { port: 9, tags: registerTags(1) });
    await addMqtt(client, 'uplink', 9);
    metrics = await until('the nodes are among the metrics', async () => {
      const text = await (await fetch(`${gateway.url}/api/v2/metrics`)).text();
      return /node="uplink"/.test(text) && text;
    });
  });

  const expressions = (): string[] =>
    dashboard.panels
      .flatMap(({ targets }) => targets.map(({ expr }) => expr))
      .map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(job|gateway)\b/g, '.*'));

  it('ask for metrics that there are, and for no others', () => {
    const served = new Set([...metrics.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const variables = dashboard.templating.list.flatMap(({ definition = '' }) => definition);
    const texts = [
      rules.replaceAll(/^\s*(#|summary:|description:|- name:).*$/gm, ''),
      ...expressions(),
      ...variables,
    ];
    const asked = new Set(texts.flatMap((text) => [...text.matchAll(/\btagway_\w+/g)].map(([name]) => name)));
    expect(asked.size).to.be.greaterThan(15);
    // Those of a pair are served with --pair alone; a test of the host looks at them.
    for (const name of asked)
      if (!name.startsWith('tagway_pair_')) expect([...served], name).to.include(name);
  });

  it('tell gateways apart by their names, which all metrics of one can be joined with', () => {
    expect(metrics).to.match(/^tagway_info\{name="north",version="[^"]+",revision="[^"]+"\} 1$/m);
    const alerts = rules.split(/^\s*- alert: /m).slice(1);
    expect(alerts).to.have.length.greaterThan(8);
    for (const alert of alerts) {
      const [name = ''] = alert.split('\n');
      // One that does not answer has no metrics to join with, and of a pair no gateway is meant more than the other.
      if (!['TagwayDown', 'TagwayNobodyPolls'].includes(name))
        expect(alert, name).to.include('$labels.name').and.to.include('tagway_info');
    }
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets)
        if (title !== 'Not reachable') expect(expr, title).to.include('tagway_info{name=~"$gateway"}');
  });

  it('has panels of different numbers that do not lie on each other', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it(`have rules and an example of a configuration that Prometheus accepts${reason}`, function () {
    if (!hasPromtool) this.skip();
    for (const args of [
      ['check', 'config', 'prometheus.yml'],
      ['check', 'rules', 'tagway.rules.yml'],
    ]) {
      const { status, said } = promtool(join(deploy, 'prometheus'), ...args);
      expect(status, said).to.equal(0);
      expect(said).to.include('SUCCESS');
    }
  });

  it(`raise each alert when its time has come, and in words${reason}`, async function () {
    if (!hasPromtool) this.skip();
    const { status, said } = promtool(join(deploy, 'prometheus'), 'test', 'rules', 'tagway.test.yml');
    expect(status, said).to.equal(0);
    const tested = await readFile(join(deploy, 'prometheus/tagway.test.yml'), 'utf8');
    for (const [, name = ''] of rules.matchAll(/^\s*- alert: (\w+)$/gm))
      expect(tested, `${name} is raised in a test`).to.match(
        new RegExp(`alertname: ${name}\\n.*\\n\\s*exp_alerts:\\n`),
      );
  });

  it(`have panels whose questions Prometheus understands${reason}`, async function () {
    if (!hasPromtool) this.skip();
    const file = folder('panels.yml');
    const records = expressions().map((expr, index) => ({ record: `panel:question:${index}`, expr }));
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
    const { status, said } = promtool(folder(), 'check', 'rules', file);
    expect(status, said).to.equal(0);
    expect(said).to.include(`${records.length} rules found`);
  });

  it(`are asked of metrics that Prometheus can read${reason}`, function () {
    if (!hasPromtool) this.skip();
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: metrics,
      encoding: 'utf8',
    });
    // 3: it can be read, and there are other names that Prometheus would choose; 1: it cannot.
    expect([0, 3], stderr).to.include(status);
  });
});

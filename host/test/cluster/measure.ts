/**
 * What the agents of a cluster at rest take: each in a process of its own, with an etcd of three members on this machine.
 *
 *   node_modules/.bin/node --conditions=source host/test/cluster/measure.ts GATEWAYS NODES SECONDS
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EtcdCluster } from '@tagway/testkit/etcd-cluster';
import { ClusterEtcd } from '../../src/cluster/cluster-etcd.ts';
import { MemberDriver } from '../../src/cluster/member-driver.ts';
import { Etcd } from '../../src/pair/etcd/etcd.ts';

const [gateways = '5', nodes = '2000', seconds = '20', name, endpoints] = process.argv.slice(2);

if (name === undefined) await lead();
else member(name, endpoints?.split(',') ?? []);

async function lead(): Promise<void> {
  await using cluster = await EtcdCluster.start(3);
  const members = Array.from({ length: Number(gateways) }, (_, at) =>
    fork(fileURLToPath(import.meta.url), [
      gateways,
      nodes,
      seconds,
      `gateway ${at + 1}`,
      cluster.endpoints.join(','),
    ]),
  );
  await Promise.all(members.map((child) => once(child, 'message')));
  await Promise.all(
    members.map((child) => {
      child.kill();
      return once(child, 'exit');
    }),
  );
}

function member(own: string, members: readonly string[]): void {
  const etcd = new Etcd({ endpoints: members });
  const describe = () => ({ labels: [], capacity: 1, load: 0, url: '', version: '' });
  const driver = new MemberDriver(
    own,
    new ClusterEtcd({ etcd, id: 'measured', name: own, describe, refused: () => undefined }),
    {
      open: () => undefined,
      start: () => undefined,
      stop: () => undefined,
      shut: () => undefined,
      kill: () => undefined,
      alarm: () => undefined,
    },
  );
  const those = Array.from({ length: Number(nodes) }, (_, at) => ({
    id: at + 1,
    affinity: at + 1,
    placement: {},
  }));
  driver.feed({ kind: 'host', facts: { isReady: true, isDraining: false, applied: 0, nodes: those } });
  setInterval(() => driver.feed({ kind: 'beat' }), 250);
  const isTaken = (): boolean => driver.state.owners.size > those.length;
  void (async () => {
    while (!isTaken()) await sleep(100);
    await sleep(2000);
    const before = process.cpuUsage();
    const begun = performance.now();
    await sleep(1000 * Number(seconds));
    const { user, system } = process.cpuUsage(before);
    const share = ((user + system) / 10 / (performance.now() - begun)).toFixed(2);
    console.log(`${own}: ${driver.state.owned.size} of ${nodes} nodes, ${share} % of a core`);
    process.send?.('measured');
  })();
}
